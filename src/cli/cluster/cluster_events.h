/* Events of TrainJobs in a cluster. */
#ifndef TY_CLI_CLUSTER_CLUSTER_EVENTS_H
#define TY_CLI_CLUSTER_CLUSTER_EVENTS_H

#include "cli/cluster/cluster_session.h"
#include "cli/cluster/cluster_watch.h"
#include "cli/jobs/job_source.h"

struct ty_cluster_events_query {
    struct ty_arena *arena; /* objects and texts live with it */
    struct ty_str ns;       /* if job is NULL; empty: all namespaces */
    const struct ty_job_history_entry *job;
    struct ty_cluster_watch *watch; /* only events that have changed; NULL: list */
    ty_job_source_event_fn *fn;
    void *ctx;
};
/* Reports the events of a TrainJob, its JobSet, Jobs and pods, those that are gone included; or, if
 * job is NULL, of all TrainJobs, JobSets, Jobs and pods; in the order of their last occurrence. One
 * list of the namespace, of which only these take memory: a field selector cannot name objects that
 * are gone. 0, or a result of the client (*answer). */
int ty_cluster_events(struct ty_cluster_session *s, const struct ty_cluster_events_query *q,
                      struct ty_cluster_answer *answer);
/* Whether the object is the TrainJob, its JobSet, or by its name a Job or pod of it:
 * NAME-REPLICATEDJOB-INDEX and NAME-REPLICATEDJOB-INDEX-INDEX-SUFFIX. For tests. */
bool ty_cluster_events_is_of(const struct ty_job_history_entry *job, struct ty_str kind,
                             struct ty_str name);

#endif
