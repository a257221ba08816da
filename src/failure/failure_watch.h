/* Failure summaries and phase events of TrainJobs on a cluster (failureSummary.enable). Only the
 * leader watches.
 *
 *   pods of JobSets --> states --> first bad end --> collection of logs --> event FirstFailure,
 *   (JobSet's label)        |                                               note behind Failed
 *                           '--> problems (unschedulable, image, ...) ----> an event each
 *   reconciles of TrainJobs --> phase changed ----------------------------> an event each
 *
 * It writes nothing but events: the note is taken by the controller, which writes the status. */
#ifndef TY_FAILURE_FAILURE_WATCH_H
#define TY_FAILURE_FAILURE_WATCH_H

#include "controller/trainjob_controller.h"

struct ty_failure_watch;

struct ty_failure_watch_settings { /* everything pointed to outlives it */
    struct uv_loop_s *loop;
    struct ty_kube *kube;
    const struct ty_log *log;
    struct ty_budget *budget; /* may be NULL */
    struct ty_trainjob_controller *controller;
    int64_t (*now_s)(void *ctx); /* Unix time; NULL: the system's */
    void *ctx;
};
struct ty_failure_watch_counts { /* since the start; for metrics */
    uint64_t summaries, log_requests, problems;
    size_t pods, jobs, pod_bytes, collections; /* now */
};

struct ty_failure_watch *
ty_failure_watch_new(const struct ty_failure_watch_settings *s); /* gives */
/* takes; before controller and client; NULL is fine. The loop must turn once more. */
void ty_failure_watch_free(struct ty_failure_watch *w);
/* This process leads: starts to watch, as soon as the controller's cache is complete. */
void ty_failure_watch_lead(struct ty_failure_watch *w);
/* For the controller's `synced`. */
void ty_failure_watch_synced(struct ty_failure_watch *w);
/* The process stops, or has lost the lease: no more requests and events. */
void ty_failure_watch_stop(struct ty_failure_watch *w);

/* For the controller's callbacks of these names. */
struct ty_str ty_failure_watch_note(const struct ty_failure_watch *w, const struct ty_cached *job);
void ty_failure_watch_reconciled(struct ty_failure_watch *w, const struct ty_cached *job,
                                 const struct ty_cached *jobset, bool initial);
void ty_failure_watch_deleted(struct ty_failure_watch *w, struct ty_str ns, struct ty_str name);

void ty_failure_watch_count(const struct ty_failure_watch *w, struct ty_failure_watch_counts *ret);

#endif
