/* JobSet -> Jobs, as the JobSet controller does it. Pure: objects and the
 * time in, wanted changes out. */
#ifndef TY_ENGINE_JOBSET_JOBSET_H
#define TY_ENGINE_JOBSET_JOBSET_H

#include "engine/changes.h"

/* On creation, in place: what the schema and the mutating webhook fill in. */
void ty_jobset_default(struct ty_arena *a, struct ty_json *jobset);
/* On creation: what the validating webhook says, beyond the schema. JobSet's feature gates are off,
 * as by default: what needs one is refused. */
void ty_jobset_validate(struct ty_arena *a, const struct ty_json *jobset, struct ty_errs *errs);

/* On creation: what the webhook says of claims that exist already (any owner, any namespace). */
void ty_jobset_validate_claims(const struct ty_json *jobset, const struct ty_json *const *claims,
                               size_t n_claims, struct ty_errs *errs);

struct ty_jobset_observed {
    const struct ty_json *jobset;
    const struct ty_json *const *jobs; /* owned by it, any order */
    size_t n_jobs;
    bool service;                        /* its headless Service exists */
    const struct ty_json *const *claims; /* PVCs that exist, any owner */
    size_t n_claims;
    int64_t now_s;
};
/* One pass. Changes: CREATE (Service, PVC, Job), UPDATE (a Job's suspend or template),
 * STATUS (of a resumed Job, without its start), DELETE (Job, or the JobSet when its TTL is over),
 * STATUS (the JobSet). Events only if the status is written, except Warnings of a pass that failed.
 */
void ty_jobset_reconcile(struct ty_arena *a, const struct ty_jobset_observed *in,
                         struct ty_changes *ret);

/* "<js>-<rj>-<ji>" */
char *ty_jobset_job_name(struct ty_arena *a, struct ty_str jobset, struct ty_str rjob,
                         int64_t index);

#endif
