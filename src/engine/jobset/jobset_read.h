/* A JobSet and its Jobs, parsed once per pass. */
#ifndef TY_ENGINE_JOBSET_JOBSET_READ_H
#define TY_ENGINE_JOBSET_JOBSET_READ_H

#include "engine/jobset/jobset.h"

#define TY_JOBSET_NAME         "jobset.sigs.k8s.io/jobset-name"
#define TY_JOBSET_RJOB         "jobset.sigs.k8s.io/replicatedjob-name"
#define TY_JOBSET_INDEX        "jobset.sigs.k8s.io/job-index"
#define TY_JOBSET_ATTEMPT      "jobset.sigs.k8s.io/restart-attempt"
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
};

struct ty_jobset_child { /* a Job that the JobSet owns */
    const struct ty_json *job;
    struct ty_str name;
    struct ty_jobset_rjob *rjob; /* NULL: its label names none of ours */
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
    struct ty_jobset_child *children, **by_name; /* sorted by the first lookup */
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

/* Spec and status; no Jobs. Enough for the builders. */
void ty_jobset_init(struct ty_jobset_ctx *js, struct ty_arena *a,
                    const struct ty_jobset_observed *in, struct ty_changes *out);
/* Sorts the Jobs into buckets and counts them per rjob. */
void ty_jobset_read_children(struct ty_jobset_ctx *js);
struct ty_jobset_rjob *ty_jobset_rjob(const struct ty_jobset_ctx *js,
                                      struct ty_str name);                             /* or NULL */
struct ty_jobset_child *ty_jobset_child(struct ty_jobset_ctx *js, struct ty_str name); /* or NULL */
int64_t ty_jobset_int_at(const struct ty_json *obj, const char *path, int64_t otherwise);
/* "<js>-<rj>-<ji>-<pi>.<subdomain>" of spec.coordinator */
char *ty_jobset_coordinator(struct ty_arena *a, const struct ty_json *spec, struct ty_str name);

#endif
