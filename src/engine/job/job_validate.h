/* Validation of a Job, private to job_validate.c and job_validate_policy.c. */
#ifndef TY_ENGINE_JOB_JOB_VALIDATE_H
#define TY_ENGINE_JOB_JOB_VALIDATE_H

#include "engine/job/job.h"

struct ty_job_check {
    struct ty_arena *a;
    const struct ty_json *spec;
    struct ty_errs *errs;
    int64_t completions; /* -1: not set */
    bool indexed;
};

/* A number, or -1 when absent; complains when it is below 0 (and gives -1 too). */
int64_t ty_job_check_number(const struct ty_job_check *c, const struct ty_json *obj,
                            const char *key, const struct ty_field_path *at);
/* Required, or Unsupported with the list of what there is: `words` sorted, ends with NULL. */
void ty_job_check_word(const struct ty_job_check *c, const struct ty_json *v,
                       const char *const *words, const struct ty_field_path *at);
/* Adds "Invalid value: <v>: detail". v NULL: no value is printed. */
void ty_job_check_bad(const struct ty_job_check *c, const struct ty_json *v,
                      const struct ty_field_path *at, const char *detail);

void ty_job_check_failure_policy(const struct ty_job_check *c, const struct ty_field_path *at);
void ty_job_check_success_policy(const struct ty_job_check *c, const struct ty_field_path *at);

#endif
