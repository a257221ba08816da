/* The pods of a TrainJob's run. */
#ifndef TY_CLI_HISTORY_JOB_HISTORY_PODS_H
#define TY_CLI_HISTORY_JOB_HISTORY_PODS_H

#include "cli/history/job_history.h"

struct ty_job_history_pod {
    const char *host, *node; /* node: host without "JOB-" */
    struct ty_json *obj;
    int64_t version;
    bool gone;
};
/* The newest pod of each host name, sorted by name with numbers in numeric order. Gives an exit
 * code; the pods live with the arena. */
int ty_job_history_pods(struct ty_cli *cli, struct ty_history_db *d, struct ty_arena *a,
                        const struct ty_job_history_entry *job, struct ty_job_history_pod **ret,
                        size_t *ret_n);
/* "t-node-0-1" or "node-0-1" of job t. */
bool ty_job_history_pod_is(const struct ty_job_history_pod *pod, const char *node);

#endif
