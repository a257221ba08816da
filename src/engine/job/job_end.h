/* Decides whether a Job has completed or failed, and why. */
#ifndef TY_ENGINE_JOB_JOB_END_H
#define TY_ENGINE_JOB_JOB_END_H

#include "engine/job/job_count.h"

struct ty_job_end {
    bool over, success;
    bool in_status; /* FailureTarget or SuccessCriteriaMet is in the status already */
    const char *reason, *message;
};
void ty_job_end(struct ty_arena *a, const struct ty_job_spec *s, const struct ty_job_observed *in,
                const struct ty_job_count *c, int64_t start_s, struct ty_job_end *ret);

#endif
