/* What the files of the JobSet pass share; callers want engine/jobset/jobset.h. */
#ifndef TY_ENGINE_JOBSET_JOBSET_INNER_H
#define TY_ENGINE_JOBSET_JOBSET_INNER_H

#include "engine/jobset/jobset.h"

#define TY_JOBSET_NAME         "jobset.sigs.k8s.io/jobset-name"
#define TY_JOBSET_RJOB         "jobset.sigs.k8s.io/replicatedjob-name"
#define TY_JOBSET_INDEX        "jobset.sigs.k8s.io/job-index"
#define TY_JOBSET_ATTEMPT      "jobset.sigs.k8s.io/restart-attempt"
#define TY_JOBSET_JOB_ATTEMPT  "jobset.sigs.k8s.io/job-restart-attempt"
#define TY_JOBSET_COORDINATOR  "jobset.sigs.k8s.io/coordinator"
#define TY_JOBSET_CONTROLLER   "jobset.sigs.k8s.io/jobset-controller"
#define TY_JOBSET_MAX_RESTARTS "jobset failed due to reaching max number of restarts"

enum ty_jobset_bucket {
    TY_JOBSET_ACTIVE,
    TY_JOBSET_SUCCESSFUL,
    TY_JOBSET_FAILED,
    TY_JOBSET_PREVIOUS, /* of an attempt that a restart has ended */
};
#define TY_JOBSET_BUCKETS 4

/* One entry of spec.replicatedJobs and what its Jobs do. */
struct ty_jobset_rjob {
    const struct ty_json *obj;
    struct ty_str name, group;
    int64_t replicas;
    int64_t before;                       /* replicas of all entries before this one */
    int64_t group_before, group_replicas; /* the same within its group, and all of the group */
    int64_t ready, succeeded, failed, active, suspended;
    int64_t owned; /* Jobs of it that exist, of any attempt */
    /* Gate RestartJob: counters by job index. NULL or short: zeros. */
    const struct ty_json *restarts, *toward_max;
};

struct ty_jobset_child { /* a Job that the JobSet owns */
    const struct ty_json *job;
    struct ty_json *edit; /* its changed copy, once ty_jobset_edit made one */
    struct ty_str name;
    struct ty_jobset_rjob *rjob; /* NULL: its label names none of ours */
    int64_t index;               /* job index; -1 unknown */
    enum ty_jobset_bucket bucket;
};

/* One pass. Everything lives with the arena. */
struct ty_jobset_ctx {
    struct ty_arena *arena;
    const struct ty_jobset_observed *in;
    struct ty_changes *out;
    const struct ty_json *spec, *failure_policy; /* the policy may be NULL */
    struct ty_str ns, name, uid, subdomain;
    bool dns, suspended, in_order;
    struct ty_jobset_rjob *rjobs;
    size_t n_rjobs;
    int64_t replicas;                            /* of all rjobs */
    struct ty_jobset_child *children, **by_name; /* sorted when first asked for */
    size_t n_children, in_bucket[TY_JOBSET_BUCKETS];
    struct ty_json *status; /* copy of the stored one; restarts and rjobs are written at the end */
    int64_t restarts, toward_max, max_restarts;
    bool dirty;                      /* the status is to be written */
    bool aborted;                    /* the pass failed: no status, no events of conditions */
    struct ty_changes status_events; /* events that follow a written status */
};

#define ty_jobset_each_rjob(r, js)                                                                 \
    for (struct ty_jobset_rjob *r = (js)->rjobs; r < (js)->rjobs + (js)->n_rjobs; r++)
#define ty_jobset_each_child(c, js)                                                                \
    for (struct ty_jobset_child *c = (js)->children; c < (js)->children + (js)->n_children; c++)

/* ---- jobset_read.c: objects -> struct ty_jobset_ctx ---- */
/* Spec and status; no Jobs. Enough for the builders. */
void ty_jobset_init(struct ty_jobset_ctx *js, struct ty_arena *a,
                    const struct ty_jobset_observed *in, struct ty_changes *out);
/* Sorts the Jobs into buckets and counts them per rjob. */
void ty_jobset_read_children(struct ty_jobset_ctx *js);
struct ty_jobset_rjob *ty_jobset_rjob(const struct ty_jobset_ctx *js,
                                      struct ty_str name);                             /* or NULL */
struct ty_jobset_child *ty_jobset_child(struct ty_jobset_ctx *js, struct ty_str name); /* or NULL */
int64_t ty_jobset_int_at(const struct ty_json *obj, const char *path, int64_t otherwise);
struct ty_str ty_jobset_label(const struct ty_json *obj, const char *key);
int64_t ty_jobset_counter(const struct ty_json *list, int64_t index); /* 0 when it is not there */
/* "<js>-<rj>-<ji>-<pi>.<subdomain>" of spec.coordinator */
char *ty_jobset_coordinator(struct ty_arena *a, const struct ty_json *spec, struct ty_str name);

/* ---- jobset_status.c: conditions, counters, events ---- */
bool ty_jobset_finished(const struct ty_jobset_ctx *js);
/* Notes whether the counters differ from the stored ones. */
void ty_jobset_compare_counters(struct ty_jobset_ctx *js);
/* A condition as it should be now, and its event; on: "True". */
struct ty_jobset_condition_value {
    const char *type, *event, *reason, *message;
    bool on;
};
void ty_jobset_condition(struct ty_jobset_ctx *js, const struct ty_jobset_condition_value *says);
void ty_jobset_not_restarting(struct ty_jobset_ctx *js, const char *reason, const char *message);
void ty_jobset_completed(struct ty_jobset_ctx *js);
void ty_jobset_failed(struct ty_jobset_ctx *js, const char *reason, const char *message);
/* The pass cannot go on: a Warning now, nothing of the status, another try in a second. */
void ty_jobset_abort(struct ty_jobset_ctx *js, const char *reason, const char *fmt, ...)
    TY_PRINTF(3, 4);
/* STATUS and its events, if there is something to write. */
void ty_jobset_write_status(struct ty_jobset_ctx *js);

/* ---- jobset_children.c, jobset_labels.c: what is created ---- */
struct ty_json *ty_jobset_make_job(struct ty_jobset_ctx *js, const struct ty_jobset_rjob *r,
                                   int64_t index);
struct ty_json *ty_jobset_make_service(struct ty_jobset_ctx *js);
struct ty_json *ty_jobset_make_claim(struct ty_jobset_ctx *js, const struct ty_json *policy,
                                     const struct ty_json *claim_template);
/* Labels and annotations of a Job, or of its pod template, into metadata. */
void ty_jobset_mark(struct ty_jobset_ctx *js, const struct ty_jobset_rjob *r, int64_t index,
                    struct ty_json *metadata);
/* Of the Job's placement, into its pod template. */
void ty_jobset_mark_placement(struct ty_jobset_ctx *js, const struct ty_json *job_metadata,
                              struct ty_json *pod_template);
bool ty_jobset_mounts(const struct ty_json *pod_spec, struct ty_str volume);
char *ty_jobset_claim_name(struct ty_arena *a, struct ty_str jobset, struct ty_str claim);

/* ---- jobset_policy.c ---- */
void ty_jobset_apply_failure_policy(struct ty_jobset_ctx *js);
bool ty_jobset_apply_success_policy(struct ty_jobset_ctx *js); /* true: completed */
int64_t ty_jobset_total_toward_max(const struct ty_jobset_ctx *js);

/* ---- jobset_start.c: which Jobs exist and run ---- */
bool ty_jobset_started(const struct ty_jobset_rjob *r);
bool ty_jobset_dependencies_met(const struct ty_jobset_ctx *js, const struct ty_jobset_rjob *r);
void ty_jobset_create_jobs(struct ty_jobset_ctx *js);
void ty_jobset_scale_jobs(struct ty_jobset_ctx *js);
void ty_jobset_suspend_jobs(struct ty_jobset_ctx *js);
void ty_jobset_resume_jobs(struct ty_jobset_ctx *js);

/* ---- jobset_inplace.c: gate InPlaceRestart ---- */
bool ty_jobset_in_place_enabled(const struct ty_jobset_ctx *js);
void ty_jobset_in_place_restart(struct ty_jobset_ctx *js);
bool ty_jobset_in_place_exceeded(const int64_t *attempts, size_t n, int64_t restarts,
                                 int64_t toward_max, int64_t max_restarts);

/* ---- jobset_validate_*.c: parts of ty_jobset_validate ---- */
struct ty_jobset_check {
    struct ty_arena *arena;
    const struct ty_json *obj, *spec, *rjobs;
    struct ty_str name; /* or a sample of what generateName will make */
    unsigned gates;
    struct ty_errs *errs;
};
void ty_jobset_check_failure_policy(struct ty_jobset_check *c);
void ty_jobset_check_coordinator(struct ty_jobset_check *c);
void ty_jobset_check_claims(struct ty_jobset_check *c);
void ty_jobset_check_rjobs(struct ty_jobset_check *c);
void ty_jobset_check_update(struct ty_jobset_check *c, const struct ty_json *old);
/* "<nil>: Internal error: …", as the webhook answers what has no field. */
void ty_jobset_internal_error(struct ty_jobset_check *c, const char *fmt, ...) TY_PRINTF(2, 3);
const char *ty_jobset_quoted(struct ty_arena *a, struct ty_str s);
/* As Go prints a pointer to it: null when v is NULL. */
const char *ty_jobset_value(struct ty_arena *a, const struct ty_json *v);
/* All that is wrong with s as a label; too_long replaces Kubernetes' words. value: what to print.
 */
void ty_jobset_check_label(struct ty_jobset_check *c, const struct ty_field_path *at,
                           struct ty_str s, struct ty_str value, const char *too_long);

#endif
