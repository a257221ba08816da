/* A container's environment. */
#ifndef TY_ENGINE_POD_POD_ENV_H
#define TY_ENGINE_POD_POD_ENV_H

#include "engine/pod/pod_plan_inner.h"

/* A growing NULL-terminated list of NAME=value. */
struct ty_env_list {
    struct ty_arena *a;    /* for the strings */
    struct ty_arena *list; /* for the list itself, which is left behind when it grows */
    const char **v;
    size_t n, cap;
};
/* Replaces or appends. */
void ty_pod_env_set(struct ty_env_list *e, struct ty_str name, struct ty_str value);
/* envFrom and env of a container: what $(VAR) sees. */
int ty_pod_env_declared(struct ty_pod_ctx *x, const struct ty_json *container,
                        struct ty_env_list *ret, struct ty_err *err);
/* The whole environment of its process, made from what is declared. `uid`: whose process (-1 ours).
 */
const char **ty_pod_env_whole(struct ty_pod_ctx *x, const struct ty_env_list *declared);
/* What $(VAR) sees in the commands of probes and hooks: literal values, not expanded (a quirk). */
const char **ty_pod_env_literal(struct ty_arena *a, const struct ty_json *container);

#endif
