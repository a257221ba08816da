/* Why a TrainJob of a cluster failed, or cannot run, from its pods and their logs as far as they
 * exist and the user may read them. */
#ifndef TY_CLI_CLUSTER_CLUSTER_FAILURE_H
#define TY_CLI_CLUSTER_CLUSTER_FAILURE_H

#include "cli/cluster/cluster_session.h"
#include "cli/history/job_history_pods.h"

enum {
    TY_CLUSTER_FAILURE_LOGS = 64,    /* at most so many logs, of failed containers first */
    TY_CLUSTER_FAILURE_AT_ONCE = 8,  /* requests */
    TY_CLUSTER_FAILURE_LINES = 1000, /* of each log at most, and of these the last 64 KiB */
    TY_CLUSTER_FAILURE_MS = 15000,   /* for all logs; what has arrived by then is judged */
};

/* Adds the failure summary in whole lines, or else what keeps pods from running; nothing if the
 * pods show no failure. If logs may not be read, a sentence says so at the end. */
void ty_cluster_failure(struct ty_cluster_session *s, struct ty_arena *a,
                        const struct ty_job_history_entry *job,
                        const struct ty_job_history_pod *pods, size_t n, struct ty_buf *out);

#endif
