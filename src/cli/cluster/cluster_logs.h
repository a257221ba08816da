/* The logs of a TrainJob of a cluster, of all its pods. */
#ifndef TY_CLI_CLUSTER_CLUSTER_LOGS_H
#define TY_CLI_CLUSTER_CLUSTER_LOGS_H

#include "cli/cluster/job_watch.h"

struct ty_cluster_logs_opts {
    const char *job;       /* the TrainJob, as the user wrote it */
    const char *node;      /* NULL: all, each line with its node in front */
    const char *container; /* NULL: all */
    int64_t tail, attempt; /* -1: not given; attempts count from 0 */
    int64_t since_ms;      /* 0: not given */
    bool follow, previous, timestamps;
    int64_t end_ms; /* --follow: monotonic; 0: until the job is over */
    bool sigint;    /* --follow: Ctrl-C ends it, and not the process */
    /* --follow: of silence once the job is over, until logs that have not ended are given up; 0: a
     * minute. */
    int64_t quiet_ms;
};
/* Prints the logs there are, or follows them until the job is Complete or Failed and all logs have
 * ended. A log that cannot be read is an error message and TY_EXIT_BAD; the others are printed.
 * Returns an exit code. *ret_end (may be NULL): why it ended. */
int ty_cluster_logs(struct ty_cli *cli, struct ty_cluster_session *s,
                    const struct ty_cluster_logs_opts *opts, enum ty_job_watch_end *ret_end);

#endif
