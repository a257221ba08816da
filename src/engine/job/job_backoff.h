/* When a failed pod is retried. */
#ifndef TY_ENGINE_JOB_JOB_BACKOFF_H
#define TY_ENGINE_JOB_JOB_BACKOFF_H

#include "engine/job/job_count.h"

enum {
    TY_JOB_BACKOFF_S = 10, /* before the first retry; doubles with each failure */
    TY_JOB_BACKOFF_MAX_S = 600,
};

int64_t ty_job_backoff_s(int64_t failures, int64_t first_s, int64_t max_s);
/* Seconds until new pods may be created; 0: now. */
int64_t ty_job_backoff_wait_s(const struct ty_job_count *c, int64_t now_s);
/* Lost: may be NULL. */
int64_t ty_job_backoff_index_wait_s(const struct ty_pod_summary *lost, int64_t now_s);

#endif
