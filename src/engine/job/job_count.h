/* A Job's pods, classified and counted. */
#ifndef TY_ENGINE_JOB_JOB_COUNT_H
#define TY_ENGINE_JOB_JOB_COUNT_H

#include "engine/job/job.h"
#include "engine/job/job_indexes.h"
#include "engine/job/job_spec.h"

enum ty_job_mark { TY_MARK_NONE, TY_MARK_COUNT, TY_MARK_NEVER, TY_MARK_BACKOFF };
struct ty_job_pod {
    const struct ty_pod_summary *summary;
    bool active, terminating;
    bool valid;             /* its index belongs to the Job; true without indexes */
    bool failed;            /* counts as a failure */
    bool fresh;             /* its end, if it has ended, is not counted yet */
    bool held;              /* counted only when its index has a replacement */
    bool remove;            /* this pass deletes it */
    uint8_t mark;           /* enum ty_job_mark: what this pass writes down about it */
    uint8_t failure_action; /* enum ty_pod_failure_action, of fresh failed pods */
    const char *fail_job;   /* the message of its FailJob action, or NULL */
};
struct ty_job_count {
    struct ty_job_pod *pods;
    size_t n;
    int64_t active, ready, terminating;
    int64_t succeeded, failed;        /* with the ends that are not yet in the status */
    int64_t restarts;                 /* in pods that are Pending or Running */
    int64_t last_count;               /* greatest counted_at */
    struct ty_job_indexes done, lost; /* succeeded and failed indexes, as of now */
    struct ty_job_indexes busy;       /* indexes of active pods */
    struct ty_job_pod **held;         /* pods that are held, by index */
    size_t n_held;
};
void ty_job_count(struct ty_arena *a, const struct ty_job_spec *s, const struct ty_job_observed *in,
                  struct ty_job_count *ret);
const struct ty_job_pod *ty_job_held(const struct ty_job_count *c, int64_t index); /* or NULL */

#endif
