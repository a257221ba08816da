/* Job -> Pods, as the Job controller does it (batch/v1 of Kubernetes 1.36). Pure. */
#ifndef TY_ENGINE_JOB_JOB_H
#define TY_ENGINE_JOB_JOB_H

#include "engine/changes.h"

enum ty_pod_phase { TY_PENDING, TY_RUNNING, TY_SUCCEEDED, TY_FAILED };

/* A container of a finished or failing pod that ended with an exit code other than 0. */
struct ty_pod_summary_exit {
    struct ty_str container;
    int code;
    bool init;
};

struct ty_pod_summary_condition {
    struct ty_str type, status;
};

/* A pod as its Job sees it: read from the Pod object by ty_pod_summary_read, so that a Job of
 * thousands of pods does not parse thousands of objects in every pass. */
struct ty_pod_summary {
    struct ty_str name, uid;
    int64_t index; /* completion index, -1 none */
    enum ty_pod_phase phase;
    bool ready, deleting, disrupted; /* Ready; deletionTimestamp; DisruptionTarget=True */
    bool counted;                    /* its end is in the Job's status already */
    int64_t counted_at;              /* in which count of its Job, from 1; 0: never to be counted */
    int64_t restarts;                /* sum over containers and init containers */
    int64_t created_s, ready_s, finished_s, deleted_s; /* 0: not */
    int64_t failures, ignored;               /* per-index counts that it was created with */
    const struct ty_pod_summary_exit *exits; /* containers, then init containers */
    size_t n_exits;
    const struct ty_pod_summary_condition *conditions;
    size_t n_conditions;
};
/* Lives with the arena; strings are borrowed from pod. */
void ty_pod_summary_read(struct ty_arena *a, const struct ty_json *pod, struct ty_pod_summary *ret);
/* Annotation by which a pod's end is counted once: the local form of the tracking finalizer. Its
 * value is counted_at: retry delays depend on which ends were seen together. */
#define TY_ANN_COUNTED "trainyard.dev/counted"

void ty_job_default(struct ty_arena *a, struct ty_json *job);
/* batch/v1 validation of the fields that the engine obeys; path prefix `at`. */
void ty_job_validate(struct ty_arena *a, const struct ty_json *job, const struct ty_field_path *at,
                     struct ty_errs *errs);

struct ty_job_observed {
    const struct ty_json *job;
    const struct ty_pod_summary *pods; /* owned by it */
    size_t n_pods;
    int64_t now_s;
    uint64_t seed; /* for the random part of pod names */
};
/* Changes: UPDATE Pod (a merge patch: metadata.annotations only), DELETE Pod, CREATE Pod, STATUS
 * (the Job), DELETE Job (TTL). Apply all of them or none: a pod that is counted and the count
 * belong together. New pods share the nodes of the template that they have in common. A Job that is
 * being deleted gets no changes; its pods go with it. Pods that ended must stay as long as their
 * Job. */
void ty_job_reconcile(struct ty_arena *a, const struct ty_job_observed *in, struct ty_changes *ret);

#endif
