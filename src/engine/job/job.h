/* Job -> Pods, as the Job controller does it (batch/v1 of Kubernetes 1.36). Pure. */
#ifndef TY_ENGINE_JOB_JOB_H
#define TY_ENGINE_JOB_JOB_H

#include "engine/changes.h"
#include "engine/pod/pod_summary.h"

/* batch/v1 validation of the fields that the engine obeys; path prefix `at`. */
void ty_job_validate(struct ty_arena *a, const struct ty_json *job, const struct ty_field_path *at,
                     struct ty_errs *errs);

struct ty_job_observed {
    const struct ty_json *job;
    const struct ty_pod_summary *pods; /* owned by it */
    size_t n_pods;
    int64_t now_s;
    uint64_t seed; /* for the random part of pod names */
};
/* Changes: UPDATE Pod (a merge patch: metadata.annotations only), DELETE Pod, CREATE Pod, STATUS
 * (the Job), DELETE Job (TTL). Apply all of them or none: a pod that is counted and the count
 * belong together. New pods share the nodes of the template that they have in common. A Job that is
 * being deleted gets no changes; its pods go with it. Pods that ended must stay as long as their
 * Job. */
void ty_job_reconcile(struct ty_arena *a, const struct ty_job_observed *in, struct ty_changes *ret);

#endif
