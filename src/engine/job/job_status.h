/* A Job's status and conditions. */
#ifndef TY_ENGINE_JOB_JOB_STATUS_H
#define TY_ENGINE_JOB_JOB_STATUS_H

#include "engine/job/job_count.h"

/* Conditions as this controller sets them: a new one only when True; any difference rewrites its
 * times. True if something changed. */
bool ty_job_condition_set(struct ty_arena *a, struct ty_json *conditions, const char *type, bool on,
                          const char *reason, const char *message, int64_t now_s);
bool ty_job_condition_is(const struct ty_json *job, const char *type); /* there and True */
struct ty_job_status {
    struct ty_json *conditions;    /* array */
    int64_t start_s, completion_s; /* 0: none */
    int64_t succeeded, failed;     /* final counters */
    const struct ty_job_count *count;
};
struct ty_json *ty_job_status_make(struct ty_arena *a, const struct ty_job_spec *s,
                                   const struct ty_job_status *st);

#endif
