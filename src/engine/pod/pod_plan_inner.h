/* Shared by the files that make a pod's plan; nobody else includes this. */
#ifndef TY_ENGINE_POD_POD_PLAN_INNER_H
#define TY_ENGINE_POD_POD_PLAN_INNER_H

#include "engine/pod/pod_plan.h"

/* Everything a plan is made from. */
struct ty_pod_ctx {
    struct ty_arena *a;       /* what stays */
    size_t before;            /* bytes in it before the plan */
    struct ty_arena *scratch; /* what is needed while the plan is made */
    const struct ty_json *pod, *spec;
    struct ty_str ns;
    const char *hostname;
    const struct ty_host *host;
    const struct ty_view *view;
    const struct ty_pod_net *net;
};

/* False once a pod's plan takes more memory than any process could be given: loops over what the
 * user wrote end, and ty_pod_plan_make says so. */
bool ty_pod_plan_has_room(const struct ty_pod_ctx *x);

/* ---- env_expand.c ---- */
/* As ty_env_expand, for subPathExpr: false, with the names that have no value ("A, B") in
 * *ret_missing.
 */
bool ty_env_expand_strict(struct ty_arena *a, struct ty_str text, const char *const *env,
                          const char **ret_text, const char **ret_missing);
/* The value of NAME in a NULL-terminated list of NAME=value, or NULL. */
const char *ty_env_find(const char *const *env, struct ty_str name);

/* ---- pod_env.c ---- */
/* A growing NULL-terminated list of NAME=value. */
struct ty_env_list {
    struct ty_arena *a;    /* for the strings */
    struct ty_arena *list; /* for the list itself, which is left behind when it grows */
    const char **v;
    size_t n, cap;
};
void ty_pod_env_set(struct ty_env_list *e, struct ty_str name,
                    struct ty_str value); /* replaces or appends */
/* envFrom and env of a container: what $(VAR) sees. */
int ty_pod_env_declared(struct ty_pod_ctx *x, const struct ty_json *container,
                        struct ty_env_list *ret, struct ty_err *err);
/* The whole environment of its process, made from what is declared. `uid`: whose process (-1 ours).
 */
const char **ty_pod_env_whole(struct ty_pod_ctx *x, const struct ty_env_list *declared);
/* What $(VAR) sees in the commands of probes and hooks: literal values, not expanded (a quirk). */
const char **ty_pod_env_literal(struct ty_arena *a, const struct ty_json *container);

/* ---- pod_env_ref.c ---- */
/* A fieldRef's value. -EINVAL with a sentence for a path that is not supported. `whole`: also
 * metadata.labels and metadata.annotations, as downwardAPI files have them. */
int ty_pod_env_field_ref(struct ty_pod_ctx *x, struct ty_str path, bool whole, struct ty_str *ret,
                         struct ty_err *err);
/* A resourceFieldRef's value; `container`: of which, when the reference names none. */
int ty_pod_env_resource_ref(struct ty_pod_ctx *x, const struct ty_json *ref,
                            const struct ty_json *container, struct ty_str *ret,
                            struct ty_err *err);
/* An object of the pod's namespace, or NULL. */
const struct ty_json *ty_pod_object(const struct ty_pod_ctx *x, const struct ty_kind *kind,
                                    struct ty_str name);
/* One key of a ConfigMap (data; with `binary` also binaryData) or Secret. False: it is not there.
 */
bool ty_pod_key(struct ty_arena *a, const struct ty_kind *kind, const struct ty_json *obj,
                struct ty_str key, bool binary, struct ty_str *ret);
/* Padded base64, line breaks allowed. */
bool ty_pod_base64(struct ty_arena *a, struct ty_str text, struct ty_str *ret);
/* A container or init container by name, or NULL. */
const struct ty_json *ty_pod_container(const struct ty_json *spec, struct ty_str name);

/* ---- pod_env_net.c ---- */
/* The text with this run's port instead of 29500 and, if need be, addresses instead of names.
 * `before`: the text that stands before it (a variable's name, the previous argument), or "". */
struct ty_str ty_pod_net_text(const struct ty_pod_ctx *x, struct ty_str before, struct ty_str text);
/* Settings for libraries that would look for other machines; `i` from 0, NULL ends: NAME=value. */
const char *ty_pod_net_setting(size_t i, bool root);

/* ---- pod_volumes.c ---- */
int ty_pod_volumes(struct ty_pod_ctx *x, struct ty_volume **ret, struct ty_err *err);
int ty_pod_mounts(struct ty_pod_ctx *x, const struct ty_json *container,
                  const char *const *declared, const struct ty_volume *volumes,
                  struct ty_mount **ret, struct ty_err *err);
/* Relative, not empty, no "..": what a file's path or a subPath must be. */
bool ty_pod_path_ok(struct ty_str path);

/* ---- pod_volumes_files.c ---- */
/* The files of a configMap, secret, projected or downwardAPI source. */
int ty_pod_volumes_files(struct ty_pod_ctx *x, const struct ty_json *volume, struct ty_volume *v,
                         struct ty_err *err);

/* ---- pod_plan_probe.c ---- */
/* A probe or lifecycle handler; NULL for none. Ports by name are the container's. */
int ty_pod_probe(struct ty_pod_ctx *x, const struct ty_json *container, const struct ty_json *spec,
                 const struct ty_probe **ret, struct ty_err *err);

/* ---- pod_plan_image.c ---- */
/* "dataset" or "model" when the container runs the program of one of Kubeflow's initializers. */
const char *ty_pod_initializer(const struct ty_json *container);
/* It only runs sshd. */
bool ty_pod_is_sshd(const struct ty_json *container);

static inline const char *ty_pod_dup(struct ty_arena *a, struct ty_str s)
{
    return ty_arena_strndup(a, s.p, s.n);
}

/* A token like this one is issued here. */
static inline bool ty_pod_token_issued(const struct ty_host *host, const struct ty_json *source)
{
    return host->token &&
           (!host->audience || ty_str_is(ty_json_str_at(source, "audience"), host->audience));
}

#endif
