/* A Pod object reduced to what the Job controller needs. */
#ifndef TY_ENGINE_POD_POD_SUMMARY_H
#define TY_ENGINE_POD_POD_SUMMARY_H

#include "json/json.h"

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
    bool announced;                          /* the back-off of its index, by an event */
    const struct ty_pod_summary_exit *exits; /* containers, then init containers */
    size_t n_exits;
    const struct ty_pod_summary_condition *conditions;
    size_t n_conditions;
};
/* Lives with the arena; strings are borrowed from pod. */
void ty_pod_summary_read(struct ty_arena *a, const struct ty_json *pod, struct ty_pod_summary *ret);

#define TY_ANN_INDEX   "batch.kubernetes.io/job-completion-index" /* a label too */
#define TY_ANN_FAILED  "batch.kubernetes.io/job-index-failure-count"
#define TY_ANN_IGNORED "batch.kubernetes.io/job-index-ignored-failure-count"
/* Annotation by which a pod's end is counted once: the local form of the tracking finalizer. Its
 * value is counted_at: retry delays depend on which ends were seen together. */
#define TY_ANN_COUNTED "trainyard.dev/counted"
/* Annotation of a failed pod whose index waits for its replacement: an event has said so. */
#define TY_ANN_BACKOFF "trainyard.dev/backoff"

#endif
