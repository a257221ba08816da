/* Builds the Pod objects of a Job. */
#ifndef TY_ENGINE_JOB_JOB_POD_BUILDER_H
#define TY_ENGINE_JOB_JOB_POD_BUILDER_H

#include "engine/job/job.h"
#include "engine/job/job_spec.h"

struct ty_job_pod_builder { /* what all pods of a pass have in common */
    struct ty_arena *arena;
    const struct ty_job_spec *spec;
    struct ty_json *labels, *annotations, *pod_spec, *owners;
    uint64_t seed;
    uint32_t *taken; /* name suffixes that exist: a hash table of size mask + 1 */
    size_t mask;
};
/* `more`: how many pods will be made. */
void ty_job_pod_builder_init(struct ty_job_pod_builder *m, struct ty_arena *a,
                             const struct ty_job_spec *s, const struct ty_job_observed *in,
                             size_t more);
/* index -1 without indexes; failures, ignored -1: do not say. */
struct ty_json *ty_job_pod_builder_make(struct ty_job_pod_builder *m, int64_t index,
                                        int64_t failures, int64_t ignored);

#endif
