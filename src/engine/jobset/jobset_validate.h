/* The parts of ty_jobset_validate: jobset_validate_*.c check one area of the spec each. */
#ifndef TY_ENGINE_JOBSET_JOBSET_VALIDATE_H
#define TY_ENGINE_JOBSET_JOBSET_VALIDATE_H

#include "engine/jobset/jobset.h"

struct ty_jobset_check {
    struct ty_arena *arena;
    const struct ty_json *obj, *spec, *rjobs;
    struct ty_str name; /* or a sample of what generateName will make */
    struct ty_errs *errs;
};
void ty_jobset_check_failure_policy(struct ty_jobset_check *c);
void ty_jobset_check_coordinator(struct ty_jobset_check *c);
void ty_jobset_check_claims(struct ty_jobset_check *c);
void ty_jobset_check_rjobs(struct ty_jobset_check *c);
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
