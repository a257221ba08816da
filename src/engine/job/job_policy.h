/* podFailurePolicy and successPolicy. */
#ifndef TY_ENGINE_JOB_JOB_POLICY_H
#define TY_ENGINE_JOB_JOB_POLICY_H

#include "engine/job/job_indexes.h"
#include "engine/job/job_spec.h"
#include "engine/pod/pod_summary.h"

enum ty_pod_failure_action {
    TY_POD_FAILURE_COUNT,
    TY_POD_FAILURE_IGNORE,
    TY_POD_FAILURE_FAIL_INDEX,
    TY_POD_FAILURE_FAIL_JOB
};
/* What podFailurePolicy says about the end of a pod. *ret_message (may be NULL) is set for FailJob.
 */
enum ty_pod_failure_action ty_job_failure_action(struct ty_arena *a, const struct ty_job_spec *s,
                                                 const struct ty_pod_summary *pod,
                                                 const char **ret_message);
/* The index of the first rule of successPolicy that is met, or -1. */
int64_t ty_job_success_rule(struct ty_arena *a, const struct ty_job_spec *s,
                            const struct ty_job_indexes *succeeded);

#endif
