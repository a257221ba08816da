/* A conversion under way: what was read of the V1 object, what has been made of it so far, and the
 * tables that say which field goes where. */
#ifndef TY_CONVERT_V1_H
#define TY_CONVERT_V1_H

#include "api/schema.h"
#include "convert/convert.h"
#include "json/errs.h"

#define TY_V1_ROLES 5
#define TY_V1_LABEL "trainer.kubeflow.org/trainjob-ancestor-step"
#define TY_V1_PORT  29500 /* where a TrainJob's rank 0 listens, whatever V1 had */
#define TY_V1_PODS  10000 /* of a role: host names of all of them go into one variable */

enum ty_v1_restart {
    TY_RESTART_NEVER,
    TY_RESTART_ON_FAILURE,
    TY_RESTART_ALWAYS,
    TY_RESTART_EXIT_CODE,
};

struct ty_v1_conversion;
struct ty_v1_set;
typedef void ty_v1_field_fn(struct ty_v1_conversion *c, struct ty_v1_set *set,
                            const struct ty_json *v, const struct ty_field_path *at);

/* One field of V1. fn: what becomes of it; NULL: nothing, and `why` is told; neither: another part
 * of the converter reads it. A field that no row names is told as well. */
struct ty_v1_field {
    const char *key;
    ty_v1_field_fn *fn;
    const char *why;
};

struct ty_v1_role {             /* of the V1 job, as it stands there */
    const char *name;           /* "Master" */
    const char *rjob;           /* the replicated job that its pods become */
    const char *key;            /* as the user wrote it */
    const struct ty_json *spec; /* NULL: the job has none */
    struct ty_json *pod;        /* its pod template: our own copy, checked */
    struct ty_json *main;       /* the container that trains, in that copy */
    size_t main_at;
    int64_t replicas;
    enum ty_v1_restart restart;
};

struct ty_v1_set { /* a replicated job of the runtime */
    const char *rjob;
    bool trainer;  /* spec.trainer of the TrainJob is about it */
    int64_t count; /* pods */
    enum ty_v1_restart restart;
    const struct ty_v1_role *role;                /* whose template it has */
    struct ty_json *job, *pod, *meta, *container; /* of the runtime; use the functions below */
    struct ty_json *patch;                        /* of the pod template; NULL none */
    struct ty_json *env;                          /* ours, before the user's */
    const struct ty_json *user_env;
    const char *env_at; /* path of the user's list, */
    size_t *env_i;      /* and where in it each of user_env stood */
};

struct ty_v1_kind {
    const char *version, *kind;
    const char *specs; /* "pytorchReplicaSpecs" */
    const char *main;  /* name of the container that trains; NULL: the first one */
    bool or_first;     /* where none has that name it is the first one */
    bool everywhere;   /* V1 gave its variables to all containers of a pod */
    const char *port_name;
    int port;
    enum ty_v1_restart restart; /* where the job says nothing */
    const char *ml;             /* member of mlPolicy; NULL: plain */
    const char *framework;      /* label of the runtime */
    const char *builtin;        /* ClusterTrainingRuntime that will do when nothing is special */
    struct {
        const char *name, *rjob;
        int64_t max; /* 0: any */
    } roles[TY_V1_ROLES];
    const struct ty_v1_field *rows;           /* of spec, besides runPolicy and the replica specs */
    void (*make)(struct ty_v1_conversion *c); /* the sets and mlPolicy; then the rows are read */
    void (*finish)(struct ty_v1_conversion *c); /* the environment, when all is known */
};
extern const struct ty_v1_kind ty_v1_pytorch, ty_v1_tf, ty_v1_mpi1, ty_v1_mpi2, ty_v1_xgboost,
    ty_v1_paddle, ty_v1_jax;

struct ty_v1_conversion {
    struct ty_arena *arena;
    const struct ty_v1_kind *kind;
    struct ty_convert_opts opts;
    struct ty_convert_result *out;
    const struct ty_json *v1, *spec;
    const char *name;
    const char *main; /* kind->main, or what mainContainer says */
    struct ty_v1_role roles[TY_V1_ROLES];
    struct ty_v1_set sets[TY_V1_ROLES];
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
void ty_v1_warn(struct ty_v1_conversion *c, const struct ty_json *v, const struct ty_field_path *at,
                const char *fmt, ...) TY_PRINTF(4, 5);
/* The first one counts; the conversion goes on, and its result is not used. */
void ty_v1_error(struct ty_v1_conversion *c, const struct ty_json *v,
                 const struct ty_field_path *at, const char *fmt, ...) TY_PRINTF(4, 5);

/* ---- reading ---- */
void ty_v1_convert_fields(struct ty_v1_conversion *c, struct ty_v1_set *set,
                          const struct ty_json *obj, const struct ty_field_path *at,
                          const struct ty_v1_field *rows);
/* False, with the mistake told, unless it is a whole number in that range. */
bool ty_v1_int(struct ty_v1_conversion *c, const struct ty_json *v, const struct ty_field_path *at,
               int64_t min, int64_t max, int64_t *ret_n);
bool ty_v1_bool(struct ty_v1_conversion *c, const struct ty_json *v, const struct ty_field_path *at,
                bool *ret_b);
/* Empty, with the mistake told, unless it is a text. */
struct ty_str ty_v1_str(struct ty_v1_conversion *c, const struct ty_json *v,
                        const struct ty_field_path *at);
/* The same as C text that lives with the arena. */
const char *ty_v1_cstr(struct ty_v1_conversion *c, struct ty_str s);
/* The member, or NULL where it is absent or null: V1 reads both alike. */
const struct ty_json *ty_v1_get(const struct ty_json *obj, const char *key);

/* ---- roles and pods (v1_roles.c, v1_pod.c, v1_merge.c) ---- */
void ty_v1_read_roles(struct ty_v1_conversion *c);
struct ty_v1_role *ty_v1_role(struct ty_v1_conversion *c,
                              const char *name); /* NULL: the job has none */
/* A replicated job with the template of a role. */
struct ty_v1_set *ty_v1_add_set(struct ty_v1_conversion *c, struct ty_v1_role *role, bool trainer);
/* Master and Worker become one set of equal pods, the master first. Gives NULL when they differ. */
struct ty_v1_set *ty_v1_merge(struct ty_v1_conversion *c);
void ty_v1_check_pod(struct ty_v1_conversion *c, struct ty_v1_role *role);
void ty_v1_convert_pod(struct ty_v1_conversion *c, struct ty_v1_set *set);
/* A port of the main container by its name, or the kind's. */
int64_t ty_v1_port(const struct ty_v1_conversion *c, const struct ty_v1_role *role);

/* ---- writing; all but the patch make a runtime of the job's own necessary ---- */
struct ty_json *ty_v1_jobset(struct ty_v1_conversion *c);
struct ty_json *ty_v1_job(struct ty_v1_conversion *c, struct ty_v1_set *set);
struct ty_json *ty_v1_pod(struct ty_v1_conversion *c, struct ty_v1_set *set);
struct ty_json *ty_v1_container(struct ty_v1_conversion *c, struct ty_v1_set *set);
struct ty_json *ty_v1_patch(struct ty_v1_conversion *c, struct ty_v1_set *set);
void ty_v1_success(struct ty_v1_conversion *c,
                   const char *const *rjobs); /* JobSet: when all of these do */
void ty_v1_first_succeeds(struct ty_v1_conversion *c,
                          struct ty_v1_set *set); /* Job: when pod 0 does */
const char *ty_v1_host(struct ty_v1_conversion *c, const char *rjob, int64_t i);

/* ---- environment (v1_env.c) ---- */
/* In place of the user's, which V1 overwrote, too. The first one of a name counts. */
void ty_v1_env(struct ty_v1_conversion *c, struct ty_v1_set *set, const char *name, const char *fmt,
               ...) TY_PRINTF(4, 5);
/* Unless the user has set it: for what V1 itself did not set. */
void ty_v1_env_weak(struct ty_v1_conversion *c, struct ty_v1_set *set, const char *name,
                    const char *fmt, ...) TY_PRINTF(4, 5);
void ty_v1_env_index(struct ty_v1_conversion *c,
                     struct ty_v1_set *set); /* TY_INDEX: the pod's number */
/* Takes the user's list: what a TrainJob refuses is left out and told. */
void ty_v1_user_env(struct ty_v1_conversion *c, struct ty_v1_set *set, const struct ty_json *list,
                    const struct ty_field_path *at);
/* Why such an entry of the user's is left out; NULL: it is not. */
const char *ty_v1_env_refusal(const struct ty_v1_conversion *c, const struct ty_v1_set *set,
                              struct ty_str name);
void ty_v1_join_env(struct ty_v1_conversion *c, struct ty_v1_set *set);
/* Tells texts of a pod that hold V1 host names, ports or labels. */
void ty_v1_scan(struct ty_v1_conversion *c, const struct ty_v1_set *set, const struct ty_json *v,
                const struct ty_field_path *at);

/* ---- shared policies (v1_policy.c, v1_restart.c) ---- */
void ty_v1_convert_metadata(struct ty_v1_conversion *c);
ty_v1_field_fn ty_v1_run_policy, ty_v1_clean_pod_policy;
void ty_v1_convert_gang(struct ty_v1_conversion *c);
void ty_v1_convert_restarts(struct ty_v1_conversion *c);
enum ty_v1_restart ty_v1_restart_of(struct ty_v1_conversion *c, const struct ty_json *v,
                                    const struct ty_field_path *at);
int64_t ty_v1_pods(const struct ty_v1_conversion *c); /* of all roles */

#endif
