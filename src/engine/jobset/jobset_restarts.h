/* How failures are retried in a local run. Kubernetes' defaults are made for machines that come and
 * go: six restarts with growing delays. Somebody who waits at a terminal for a wrong import wants
 * to read the error, so where a JobSet says nothing about restarts, a run stops at the first
 * failure. */
#ifndef TY_ENGINE_JOBSET_JOBSET_RESTARTS_H
#define TY_ENGINE_JOBSET_JOBSET_RESTARTS_H

#include "json/json.h"

enum ty_restarts {
    TY_RESTARTS_AS_CLUSTER, /* the defaults of Kubernetes */
    TY_RESTARTS_AS_WRITTEN, /* none where nothing is written about them */
    TY_RESTARTS_NEVER,      /* whatever is written; sidecars are restarted all the same */
};
/* In place, before the JobSet's defaults. AS_WRITTEN changes a replicated Job if neither the JobSet
 * has a failurePolicy, nor the Job backoffLimit, backoffLimitPerIndex or podFailurePolicy, nor its
 * pods a restartPolicy: they get restartPolicy Never and backoffLimit 0. */
void ty_jobset_restarts(struct ty_arena *a, struct ty_json *jobset, enum ty_restarts how);

#endif
