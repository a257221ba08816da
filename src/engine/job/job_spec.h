/* A Job's spec, parsed once per pass. */
#ifndef TY_ENGINE_JOB_JOB_SPEC_H
#define TY_ENGINE_JOB_JOB_SPEC_H

#include "json/json.h"

struct ty_job_spec {
    struct ty_str name, ns, uid;
    bool indexed, suspended;
    bool on_failure;     /* containers restart inside their pod */
    bool replace_failed; /* podReplacementPolicy Failed: a terminating pod is not replaced before it
                            has ended */
    int64_t parallelism, completions, backoff_limit; /* -1: not set */
    int64_t per_index, max_failed, deadline_s, ttl_s;
    const struct ty_json *failure_rules, *success_rules; /* or NULL */
    const struct ty_json *pod_template;
};
void ty_job_spec_read(const struct ty_json *job, struct ty_job_spec *ret);

/* On creation, in place: the defaults that the API server sets. */
void ty_job_default(struct ty_arena *a, struct ty_json *job);

#endif
