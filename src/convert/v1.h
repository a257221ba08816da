/* The state of a conversion: the parsed V1 object, the result so far, and the tables that map
 * fields. */
#ifndef TY_CONVERT_V1_H
#define TY_CONVERT_V1_H

#include "api/schema.h"
#include "convert/convert.h"
#include "json/errs.h"

#define TY_V1_ROLES 5
#define TY_V1_LABEL "trainer.kubeflow.org/trainjob-ancestor-step"
#define TY_V1_PORT  29500 /* the port of a TrainJob's rank 0, independent of V1's */
#define TY_V1_PODS  10000 /* maximum of a role: the host names of all pods go into one variable */

enum ty_v1_restart {
    TY_RESTART_NEVER,
    TY_RESTART_ON_FAILURE,
    TY_RESTART_ALWAYS,
    TY_RESTART_EXIT_CODE,
};

struct ty_v1_conversion;
typedef void ty_v1_field_fn(struct ty_v1_conversion *c, const struct ty_json *v,
                            const struct ty_field_path *at);

/* One field of V1. fn converts it; NULL: it is dropped with the warning `why`; neither: another
 * part of the converter reads it. Fields without a row cause a warning, too. */
struct ty_v1_field {
    const char *key;
    ty_v1_field_fn *fn;
    const char *why;
};

struct ty_v1_role {             /* of the V1 job, as it stands there */
    const char *name;           /* "Master" */
    const char *rjob;           /* the replicated job of its pods */
    const char *key;            /* as the user wrote it */
    const struct ty_json *spec; /* NULL: the job has no such role */
    struct ty_json *pod;        /* a validated copy of its pod template */
    struct ty_json *main;       /* the container that trains, in that copy */
    size_t main_at;
    int64_t replicas;
    enum ty_v1_restart restart;
};

struct ty_v1_set { /* a replicated job of the runtime */
    const char *rjob;
    bool trainer;  /* spec.trainer of the TrainJob applies to it */
    int64_t count; /* pods */
    enum ty_v1_restart restart;
    const struct ty_v1_role *role;                /* the role whose template it has */
    struct ty_json *job, *pod, *meta, *container; /* of the runtime; use the functions below */
    struct ty_json *patch;                        /* of the pod template; NULL: none */
    struct ty_json *env;                          /* the converter's variables, before the user's */
    const struct ty_json *user_env;
    const char *env_at; /* path of the user's list, */
    size_t *env_i;      /* and the index in it of each entry of user_env */
};

struct ty_v1_kind {
    const char *version, *kind;
    const char *specs; /* "pytorchReplicaSpecs" */
    const char *main;  /* name of the container that trains; NULL: the first one */
    bool or_first;     /* if no container has that name, use the first one */
    bool everywhere;   /* V1 set its variables in all containers of a pod */
    const char *port_name;
    int port;
    enum ty_v1_restart restart; /* the default of the kind */
    const char *ml;             /* member of mlPolicy; NULL: none */
    const char *framework;      /* label of the runtime */
    const char *builtin; /* ClusterTrainingRuntime to use if the job needs no runtime of its own */
    struct {
        const char *name, *rjob;
        int64_t max; /* 0: any */
    } roles[TY_V1_ROLES];
    const struct ty_v1_field *rows; /* fields of spec, except runPolicy and the replica specs */
    void (*make)(struct ty_v1_conversion
                     *c); /* creates the sets and mlPolicy; called before the rows are read */
    void (*finish)(struct ty_v1_conversion *c); /* writes the environment; called at the end */
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
    const char *main; /* kind->main, or the value of mainContainer */
    struct ty_v1_role roles[TY_V1_ROLES];
    struct ty_v1_set sets[TY_V1_ROLES];
    size_t n_sets;
    struct ty_v1_set *set; /* whose pod template is read now */
    struct ty_json *job_meta, *job_spec, *trainer;
    struct ty_json *jobset, *rjobs, *ml, *template_meta;
    struct ty_json *pod_group;
    bool own;      /* the job needs a runtime of its own */
    bool mpi;      /* launcher and nodes: the image applies to both */
    bool split;    /* Master and Worker share a script */
    int64_t procs; /* processes of each node, if V1 has a number; else 1 */
};

/* ---- warnings and errors ---- */
void ty_v1_warn(struct ty_v1_conversion *c, const struct ty_json *v, const struct ty_field_path *at,
                const char *fmt, ...) TY_PRINTF(4, 5);
/* The first error is reported; the conversion continues, but its result is not used. */
void ty_v1_error(struct ty_v1_conversion *c, const struct ty_json *v,
                 const struct ty_field_path *at, const char *fmt, ...) TY_PRINTF(4, 5);

/* ---- reading ---- */
void ty_v1_convert_fields(struct ty_v1_conversion *c, const struct ty_json *obj,
                          const struct ty_field_path *at, const struct ty_v1_field *rows);
/* False, with an error, unless it is an integer in that range. */
bool ty_v1_int(struct ty_v1_conversion *c, const struct ty_json *v, const struct ty_field_path *at,
               int64_t min, int64_t max, int64_t *ret_n);
bool ty_v1_bool(struct ty_v1_conversion *c, const struct ty_json *v, const struct ty_field_path *at,
                bool *ret_b);
/* Empty, with an error, unless it is a string. */
struct ty_str ty_v1_str(struct ty_v1_conversion *c, const struct ty_json *v,
                        const struct ty_field_path *at);
/* The same as a C string that lives with the arena. */
const char *ty_v1_cstr(struct ty_v1_conversion *c, struct ty_str s);
/* The member, or NULL if it is absent or null: V1 treats both alike. */
const struct ty_json *ty_v1_get(const struct ty_json *obj, const char *key);

/* ---- roles and pods (v1_roles.c, v1_pod.c, v1_merge.c) ---- */
void ty_v1_read_roles(struct ty_v1_conversion *c);
struct ty_v1_role *ty_v1_role(struct ty_v1_conversion *c,
                              const char *name); /* NULL: the job has none */
/* Adds a replicated job with the template of a role. */
struct ty_v1_set *ty_v1_add_set(struct ty_v1_conversion *c, struct ty_v1_role *role, bool trainer);
/* Merges Master and Worker into one set of equal pods, the master first: the nodes. An error if
 * they differ. */
void ty_v1_merge(struct ty_v1_conversion *c);
void ty_v1_check_pod(struct ty_v1_conversion *c, struct ty_v1_role *role);
void ty_v1_convert_pod(struct ty_v1_conversion *c, struct ty_v1_set *set);
/* A port of the main container by its name, or the kind's default. */
int64_t ty_v1_port(const struct ty_v1_conversion *c, const struct ty_v1_role *role);

/* The number of nodes, in the TrainJob and as the default of the runtime. */
void ty_v1_set_nodes(struct ty_v1_conversion *c, int64_t n);

/* ---- writing; all but the patch require a runtime of the job's own ---- */
struct ty_json *ty_v1_jobset(struct ty_v1_conversion *c);
struct ty_json *ty_v1_job(struct ty_v1_conversion *c, struct ty_v1_set *set);
struct ty_json *ty_v1_pod(struct ty_v1_conversion *c, struct ty_v1_set *set);
struct ty_json *ty_v1_container(struct ty_v1_conversion *c, struct ty_v1_set *set);
struct ty_json *ty_v1_patch(struct ty_v1_conversion *c, struct ty_v1_set *set);
void ty_v1_success(struct ty_v1_conversion *c,
                   const char *const *rjobs); /* the JobSet succeeds when all of these do */
void ty_v1_first_succeeds(struct ty_v1_conversion *c,
                          struct ty_v1_set *set); /* the Job succeeds when pod 0 does */
const char *ty_v1_host(struct ty_v1_conversion *c, const char *rjob, int64_t i);

/* ---- environment (v1_env.c) ---- */
typedef void ty_v1_env_fn(struct ty_v1_conversion *c, struct ty_v1_set *set, const char *name,
                          const char *fmt, ...) TY_PRINTF(4, 5);
/* Overrides the user's variable, as V1 did. The first of the same name counts. */
ty_v1_env_fn ty_v1_env;
/* Unless the user has set it: for variables that V1 did not set. */
ty_v1_env_fn ty_v1_env_weak;
void ty_v1_env_index(struct ty_v1_conversion *c,
                     struct ty_v1_set *set); /* TY_INDEX: the pod's index */
/* Converts the user's list; entries that a TrainJob refuses are dropped with a warning. */
void ty_v1_user_env(struct ty_v1_conversion *c, struct ty_v1_set *set, const struct ty_json *list,
                    const struct ty_field_path *at);
/* Why an entry of the user's list is dropped; NULL: it is not. */
const char *ty_v1_env_refusal(const struct ty_v1_conversion *c, const struct ty_v1_set *set,
                              struct ty_str name);
void ty_v1_join_env(struct ty_v1_conversion *c, struct ty_v1_set *set);
/* Warns about strings of a pod that contain V1 host names, ports or labels. */
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
