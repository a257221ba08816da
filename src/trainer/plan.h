/* The plan: a TrainJob and its runtime, resolved and patched, before the child objects are built.
 * Plugins edit the JobSet template in place through the functions below, which also record the
 * origin of each value (for `render --origins`). Pure: live objects, time and entropy are inputs.
 */
#ifndef TY_TRAINER_PLAN_H
#define TY_TRAINER_PLAN_H

#include "api/kind.h"
#include "base/arena.h"
#include "base/buf.h"
#include "trainer/trainjob.h"
#include "json/errs.h"
#include "json/json.h"

struct ty_plugin;
struct ty_pipeline;

/* Constants of docs/spec/trainer.md 2. */
#define TY_LABEL_ANCESTOR "trainer.kubeflow.org/trainjob-ancestor-step"
#define TY_NODE           "node"     /* the trainer's job and main container */
#define TY_LAUNCHER       "launcher" /* the MPI launcher's job */
#define TY_DATASET_INIT   "dataset-initializer"
#define TY_MODEL_INIT     "model-initializer"
#define TY_TRAINER_PORT   29500
/* Limit for what one TrainJob may add to a template, all copies together; stored objects are far
 * smaller. */
#define TY_SPEC_MAX    ((size_t)16 << 20)
#define TY_INDEX_FIELD "metadata.annotations['batch.kubernetes.io/job-completion-index']"

/* The cluster as a pass sees it: returns objects by kind and name, or NULL. Never blocks. */
struct ty_view {
    void *ctx;
    const struct ty_json *(*get)(void *ctx, const struct ty_kind *kind, struct ty_str ns,
                                 struct ty_str name);
    /* The text of this runtime's snapshot, if an earlier pass computed it and the runtime is
     * unchanged; empty: unknown. May be NULL. */
    struct ty_str (*snapshot)(void *ctx, const struct ty_json *runtime);
    /* The reason why it is unknown whether an object that `get` does not return exists (a read
     * failed); NULL: it does not exist. May be NULL. */
    const char *(*unread)(void *ctx, const struct ty_kind *kind, struct ty_str ns,
                          struct ty_str name);
    /* For hints: fills `ret` with the names of at most `most` objects of that kind (and namespace)
     * and returns their number; they live with the arena. May be NULL. */
    size_t (*names)(void *ctx, struct ty_arena *a, const struct ty_kind *kind, struct ty_str ns,
                    const char *ret[], size_t most);
};
/* view may be NULL: an empty cluster. */
static inline const struct ty_json *ty_plan_view_get(const struct ty_view *view,
                                                     const struct ty_kind *kind, struct ty_str ns,
                                                     struct ty_str name)
{
    return view ? view->get(view->ctx, kind, ns, name) : NULL;
}

/* The parts of the operator's configuration that a pass needs. */
struct ty_settings {
    bool status_gate;            /* feature gate TrainJobStatus */
    int status_port;             /* 10443 */
    const char *operator_ns;     /* "kubeflow-system" */
    const char *webhook_service; /* "kubeflow-trainer-controller-manager" */
    const char *webhook_secret;  /* "kubeflow-trainer-webhook-cert" */
};
extern const struct ty_settings ty_settings_default;

/* Random bytes for the MPI key; the caller generates them for each pass. */
#define TY_ENTROPY 128

enum ty_role { TY_ROLE_NONE, TY_ROLE_TRAINER, TY_ROLE_DATASET, TY_ROLE_MODEL };

/* One replicated job of the template. The pointers refer to plan->spec. */
struct ty_podset {
    struct ty_str name;
    enum ty_role role;
    struct ty_json *rjob;     /* the entry of replicatedJobs */
    struct ty_json *job;      /* its template.spec (a Job's spec) */
    struct ty_json *pod;      /* the pod's spec */
    struct ty_json *pod_meta; /* the pod template's metadata */
    int64_t count;            /* pods per replica; >= 0 */
    int64_t replicas;         /* of the job; 1 for trainer and initializers */
    bool gang;                /* member of the gang: starts together with the trainer */
};

struct ty_desired_object { /* one child object to apply */
    const struct ty_kind *kind;
    struct ty_json *obj;
    struct ty_desired_object *next;
};

struct ty_plan {
    struct ty_arena *arena;
    const struct ty_pipeline *pipeline;
    const struct ty_settings *settings;
    const struct ty_view *view;
    const struct ty_plugin *running; /* the plugin whose hook is running; NULL: the core */
    const unsigned char *entropy;    /* TY_ENTROPY bytes; NULL in validation */

    const struct ty_json *runtime; /* the runtime object, normalized */
    struct ty_str runtime_name;
    const struct ty_json *ml;   /* spec.mlPolicy, or NULL */
    const struct ty_json *gang; /* spec.podGroupPolicy, or NULL */
    const struct ty_json *base; /* the runtime's own JobSet spec, before patches */

    struct ty_json *spec;                         /* the JobSet spec that plugins edit */
    struct ty_json *labels, *annotations;         /* of the JobSet */
    struct ty_json *pod_labels, *pod_annotations; /* for pods of the gang (set by enforce_gang) */
    struct ty_podset *sets;
    size_t n_sets;
    struct ty_podset *trainer; /* the first trainer job, or NULL */
    bool implicit_trainer;     /* no job has an ancestor label: job `node` was chosen (B28) */
    const struct ty_json *command, *args; /* of the main container; NULL: as in the template */

    struct ty_desired_object *want, *want_last; /* children, in apply order */
    const char **origins;                       /* texts by index; [0] unknown */
    size_t n_origins, cap_origins;
    uint16_t origin; /* the origin of values that are written now */
};

#define ty_each_set(s, plan)                                                                       \
    for (struct ty_podset *s = (plan)->sets; s < (plan)->sets + (plan)->n_sets; s++)

/* Inputs of the plan. All borrowed. */
struct ty_plan_in {
    const struct ty_pipeline *pipeline;
    const struct ty_settings *settings;
    const struct ty_view *view;
    const unsigned char *entropy; /* NULL for validation */
    const struct ty_json *runtime;
};

/* Resolves, patches and counts: docs/spec/trainer.md 4.4. The plan lives with the arena. */
int ty_plan_init(struct ty_arena *a, const struct ty_trainjob *job, const struct ty_plan_in *in,
                 struct ty_plan *ret_plan, struct ty_err *err);
/* 0, or -EFBIG: its arena is full. Called after each step whose size depends on input. */
int ty_plan_check_size(const struct ty_plan *plan, struct ty_err *err);

/* ---- queries ---- */
/* The trainer job of a runtime without any ancestor label: `node`, or `launcher` under a policy
 * with a launcher (mpi), if it has a container `node` (B28). NULL: there are labels, or no such
 * job. */
const struct ty_json *ty_plan_unlabeled_trainer(const struct ty_json *jobs,
                                                const struct ty_json *ml);
struct ty_podset *ty_plan_find_podset(const struct ty_plan *plan, struct ty_str name); /* or NULL */
/* A regular container of the set, or NULL. */
struct ty_json *ty_plan_podset_container(const struct ty_podset *set, struct ty_str name);
/* The same, then among init containers. */
struct ty_json *ty_plan_podset_any_container(const struct ty_podset *set, struct ty_str name);
/* The trainer's container `node`, or NULL. */
struct ty_json *ty_plan_main_container(const struct ty_plan *plan);
/* mlPolicy.NAME, or NULL if the runtime has another policy. */
const struct ty_json *ty_plan_policy(const struct ty_plan *plan, const char *name);
/* GPUs of one node, from the merged resources of the main container (of job `node` under mpi):
 * requests, else limits; resource names in the order of B15 (docs/spec/trainer.md 4.11).
 * ty_plan_cpus: CPUs, rounded up. 0 if the container has none. */
int64_t ty_plan_gpus(const struct ty_plan *plan);
int64_t ty_plan_cpus(const struct ty_plan *plan);
/* The requests of one pod of the set (Kubernetes' PodRequests; a limit without a request counts).
 */
struct ty_json *ty_plan_podset_requests(const struct ty_plan *plan, const struct ty_podset *set);
struct ty_json *ty_plan_pod_requests(struct ty_arena *a,
                                     const struct ty_json *pod_spec); /* the same for a pod spec */

/* Pods in all replicas of the set; saturates at INT64_MAX. */
int64_t ty_plan_podset_pods(const struct ty_podset *set);

/* ---- addresses: computed one at a time, in any phase, without a list ---- */
struct ty_plan_endpoints {
    const struct ty_plan *plan;
    const struct ty_trainjob *job;
    const struct ty_podset *set;
    int64_t replica, pod; /* next one */
};
/* Appends "<job>-<rjob>-<replica>-<pod>.<subdomain>" and advances; false: no more, or out is full.
 */
bool ty_plan_endpoints_next(struct ty_plan_endpoints *it, struct ty_buf *out);
struct ty_str ty_plan_subdomain(const struct ty_plan *plan, const struct ty_trainjob *job);
/* One address, lives with the arena: rank 0 of the trainer is (plan->trainer, 0, 0). */
char *ty_plan_endpoint(const struct ty_plan *plan, const struct ty_trainjob *job,
                       const struct ty_podset *set, int64_t replica, int64_t pod);

/* ---- editing; each replaces the item with the same key in place, else appends ---- */
void ty_plan_env(struct ty_plan *plan, struct ty_json *container, const char *name, const char *fmt,
                 ...) TY_PRINTF(4, 5);
void ty_plan_env_field(struct ty_plan *plan, struct ty_json *container, const char *name,
                       const char *field_path);
/* Variables from the user (copied; an absent value becomes ""). */
void ty_plan_env_list(struct ty_plan *plan, struct ty_json *container, const struct ty_json *list);
/* {containerPort: port}, unless a TCP port of that number exists (B1). */
void ty_plan_port(struct ty_plan *plan, struct ty_json *container, int port);
/* By mountPath. */
void ty_plan_mount(struct ty_plan *plan, struct ty_json *container, const char *volume,
                   const char *path, bool read_only);
/* By name; takes v. */
void ty_plan_volume(struct ty_plan *plan, struct ty_podset *set, struct ty_json *v);
/* Sets the pod count of a set (parallelism and completions follow at pre_build). */
void ty_plan_podset_scale(struct ty_podset *set, int64_t count);

/* ---- children ---- */
/* Adds a child to the plan: apiVersion, kind, metadata {name, namespace if any, ownerReferences to
 * the TrainJob}. */
struct ty_json *ty_plan_child(struct ty_plan *plan, const struct ty_trainjob *job,
                              const struct ty_kind *kind, const char *name);
/* The same without adding it. */
struct ty_json *ty_plan_child_new(struct ty_arena *a, const struct ty_trainjob *job,
                                  const struct ty_kind *kind, const char *name);
const struct ty_json *ty_plan_live_object(const struct ty_plan *plan, const struct ty_kind *kind,
                                          struct ty_str ns, const char *name);

/* ---- origins ---- */
/* Creates an origin; all values that are written until the next call get it. */
uint16_t ty_plan_origin(struct ty_plan *plan, const char *fmt, ...) TY_PRINTF(2, 3);
const char *ty_plan_origin_text(const struct ty_plan *plan, uint16_t origin); /* NULL unknown */

#endif
