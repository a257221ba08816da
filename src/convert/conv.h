/* A conversion under way: what was read of the V1 object, what has been made of it so far, and the
 * tables that say which field goes where. */
#ifndef TY_CONVERT_CONV_H
#define TY_CONVERT_CONV_H

#include "api/schema.h"
#include "convert/convert.h"
#include "json/errs.h"

#define TY_CONV_ROLES 5
#define TY_CONV_LABEL "trainer.kubeflow.org/trainjob-ancestor-step"
#define TY_CONV_PORT  29500 /* where a TrainJob's rank 0 listens, whatever V1 had */
#define TY_CONV_PODS  10000 /* of a role: host names of all of them go into one variable */

enum ty_restart {
    TY_RESTART_NEVER,
    TY_RESTART_ON_FAILURE,
    TY_RESTART_ALWAYS,
    TY_RESTART_EXIT_CODE,
};

struct ty_conv;
struct ty_conv_set;
typedef void ty_conv_fn(struct ty_conv *c, struct ty_conv_set *set, const struct ty_json *v,
                        const struct ty_field_path *at);

/* One field of V1. fn: what becomes of it; NULL: nothing, and `why` is told; neither: another part
 * of the converter reads it. A field that no row names is told as well. */
struct ty_conv_row {
    const char *key;
    ty_conv_fn *fn;
    const char *why;
};

struct ty_conv_role {           /* of the V1 job, as it stands there */
    const char *name;           /* "Master" */
    const char *rjob;           /* the replicated job that its pods become */
    const char *key;            /* as the user wrote it */
    const struct ty_json *spec; /* NULL: the job has none */
    struct ty_json *pod;        /* its pod template: our own copy, checked */
    struct ty_json *main;       /* the container that trains, in that copy */
    size_t main_at;
    int64_t replicas;
    enum ty_restart restart;
};

struct ty_conv_set { /* a replicated job of the runtime */
    const char *rjob;
    bool trainer;  /* spec.trainer of the TrainJob is about it */
    int64_t count; /* pods */
    enum ty_restart restart;
    const struct ty_conv_role *role;              /* whose template it has */
    struct ty_json *job, *pod, *meta, *container; /* of the runtime; use the functions below */
    struct ty_json *patch;                        /* of the pod template; NULL none */
    struct ty_json *env;                          /* ours, before the user's */
    const struct ty_json *user_env;
    const char *env_at; /* path of the user's list, */
    size_t *env_i;      /* and where in it each of user_env stood */
};

struct ty_conv_kind {
    const char *version, *kind;
    const char *specs; /* "pytorchReplicaSpecs" */
    const char *main;  /* name of the container that trains; NULL: the first one */
    bool or_first;     /* where none has that name it is the first one */
    bool everywhere;   /* V1 gave its variables to all containers of a pod */
    const char *port_name;
    int port;
    enum ty_restart restart; /* where the job says nothing */
    const char *ml;          /* member of mlPolicy; NULL: plain */
    const char *framework;   /* label of the runtime */
    const char *builtin;     /* ClusterTrainingRuntime that will do when nothing is special */
    struct {
        const char *name, *rjob;
        int64_t max; /* 0: any */
    } roles[TY_CONV_ROLES];
    const struct ty_conv_row *rows;    /* of spec, besides runPolicy and the replica specs */
    void (*make)(struct ty_conv *c);   /* the sets and mlPolicy; then the rows are read */
    void (*finish)(struct ty_conv *c); /* the environment, when all is known */
};
extern const struct ty_conv_kind ty_conv_pytorch, ty_conv_tf, ty_conv_mpi1, ty_conv_mpi2,
    ty_conv_xgboost, ty_conv_paddle, ty_conv_jax;

struct ty_conv {
    struct ty_arena *arena;
    const struct ty_conv_kind *kind;
    struct ty_convert_opts opts;
    struct ty_converted *out;
    const struct ty_json *v1, *spec;
    const char *name;
    const char *main; /* kind->main, or what mainContainer says */
    struct ty_conv_role roles[TY_CONV_ROLES];
    struct ty_conv_set sets[TY_CONV_ROLES];
    size_t n_sets;
    struct ty_json *job_meta, *job_spec, *trainer;
    struct ty_json *jobset, *rjobs, *ml, *template_meta;
    struct ty_json *pod_group;
    bool own;      /* the runtime holds something that no built-in one has */
    bool mpi;      /* launcher and nodes: the image belongs to both */
    bool split;    /* Master and Worker have one script */
    int64_t procs; /* on each node, where V1 says a number; else 1 */
};

/* ---- telling ---- */
void ty_conv_warn(struct ty_conv *c, const struct ty_json *v, const struct ty_field_path *at,
                  const char *fmt, ...) TY_PRINTF(4, 5);
/* The first one counts; the conversion goes on, and its result is not used. */
void ty_conv_bad(struct ty_conv *c, const struct ty_json *v, const struct ty_field_path *at,
                 const char *fmt, ...) TY_PRINTF(4, 5);

/* ---- reading ---- */
void ty_conv_rows(struct ty_conv *c, struct ty_conv_set *set, const struct ty_json *obj,
                  const struct ty_field_path *at, const struct ty_conv_row *rows);
/* False, with the mistake told, unless it is a whole number in that range. */
bool ty_conv_int(struct ty_conv *c, const struct ty_json *v, const struct ty_field_path *at,
                 int64_t min, int64_t max, int64_t *ret_n);
bool ty_conv_bool(struct ty_conv *c, const struct ty_json *v, const struct ty_field_path *at,
                  bool *ret_b);
/* Empty, with the mistake told, unless it is a text. */
struct ty_str ty_conv_str(struct ty_conv *c, const struct ty_json *v,
                          const struct ty_field_path *at);
/* The same as C text that lives with the arena. */
const char *ty_conv_cstr(struct ty_conv *c, struct ty_str s);
/* The member, or NULL where it is absent or null: V1 reads both alike. */
const struct ty_json *ty_conv_get(const struct ty_json *obj, const char *key);

/* ---- roles and pods (roles.c, pod.c, merge.c) ---- */
void ty_conv_read_roles(struct ty_conv *c);
struct ty_conv_role *ty_conv_role(struct ty_conv *c, const char *name); /* NULL: the job has none */
/* A replicated job with the template of a role. */
struct ty_conv_set *ty_conv_add_set(struct ty_conv *c, struct ty_conv_role *role, bool trainer);
/* Master and Worker become one set of equal pods, the master first. Gives NULL when they differ. */
struct ty_conv_set *ty_conv_merge(struct ty_conv *c);
void ty_conv_check_pod(struct ty_conv *c, struct ty_conv_role *role);
void ty_conv_take_pod(struct ty_conv *c, struct ty_conv_set *set);
/* A port of the main container by its name, or the kind's. */
int64_t ty_conv_port(const struct ty_conv *c, const struct ty_conv_role *role);

/* ---- writing; all but the patch make a runtime of the job's own necessary ---- */
struct ty_json *ty_conv_jobset(struct ty_conv *c);
struct ty_json *ty_conv_job(struct ty_conv *c, struct ty_conv_set *set);
struct ty_json *ty_conv_pod(struct ty_conv *c, struct ty_conv_set *set);
struct ty_json *ty_conv_container(struct ty_conv *c, struct ty_conv_set *set);
struct ty_json *ty_conv_patch(struct ty_conv *c, struct ty_conv_set *set);
void ty_conv_success(struct ty_conv *c,
                     const char *const *rjobs); /* JobSet: when all of these do */
void ty_conv_first_succeeds(struct ty_conv *c, struct ty_conv_set *set); /* Job: when pod 0 does */
const char *ty_conv_host(struct ty_conv *c, const char *rjob, int64_t i);

/* ---- environment (env.c) ---- */
/* In place of the user's, which V1 overwrote, too. The first one of a name counts. */
void ty_conv_env(struct ty_conv *c, struct ty_conv_set *set, const char *name, const char *fmt, ...)
    TY_PRINTF(4, 5);
/* Unless the user has set it: for what V1 itself did not set. */
void ty_conv_env_weak(struct ty_conv *c, struct ty_conv_set *set, const char *name, const char *fmt,
                      ...) TY_PRINTF(4, 5);
void ty_conv_env_index(struct ty_conv *c, struct ty_conv_set *set); /* TY_INDEX: the pod's number */
/* Takes the user's list: what a TrainJob refuses is left out and told. */
void ty_conv_user_env(struct ty_conv *c, struct ty_conv_set *set, const struct ty_json *list,
                      const struct ty_field_path *at);
/* Why such an entry of the user's is left out; NULL: it is not. */
const char *ty_conv_env_refusal(const struct ty_conv *c, const struct ty_conv_set *set,
                                struct ty_str name);
void ty_conv_join_env(struct ty_conv *c, struct ty_conv_set *set);
/* Tells texts of a pod that hold V1 host names, ports or labels. */
void ty_conv_scan(struct ty_conv *c, const struct ty_conv_set *set, const struct ty_json *v,
                  const struct ty_field_path *at);

/* ---- shared policies (policy.c, restart.c) ---- */
void ty_conv_metadata(struct ty_conv *c);
ty_conv_fn ty_conv_run_policy, ty_conv_clean_pod_policy;
void ty_conv_gang(struct ty_conv *c);
void ty_conv_restarts(struct ty_conv *c);
enum ty_restart ty_conv_restart_of(struct ty_conv *c, const struct ty_json *v,
                                   const struct ty_field_path *at);
int64_t ty_conv_pods(const struct ty_conv *c); /* of all roles */

#endif
