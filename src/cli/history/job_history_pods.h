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
/* node-0-2 before node-0-10. */
void ty_job_history_pods_sort(struct ty_job_history_pod *pods, size_t n);
/* The host name of a pod, by which its node is known: a restarted pod has the same. A pod without
 * one, or that is not readable (NULL), is known by its name. Lives with the arena. */
const char *ty_job_history_pods_host(struct ty_arena *a, const struct ty_json *pod,
                                     const char *name);
/* The part of a host name after "JOB-". */
const char *ty_job_history_pods_node(const char *job, const char *host);
/* True for some seconds after a live run has begun: what it lacks now, it may have soon. */
bool ty_job_history_is_starting(struct ty_history_db *d, const struct ty_job_history_entry *job);
/* The same, but waits for the first pod of a run that is starting. */
int ty_job_history_pods_soon(struct ty_cli *cli, struct ty_history_db *d, struct ty_arena *a,
                             const struct ty_job_history_entry *job,
                             struct ty_job_history_pod **ret, size_t *ret_n);
/* Compares host names with numbers in numeric order: node-0-2 before node-0-10. */
int ty_job_history_pods_compare(const char *a, const char *b);
/* "node-0-1", "t-node-0-1" or "pod/t-node-0-1-x7k2p" of job t. */
bool ty_job_history_pod_is(const struct ty_job_history_pod *pod, const char *node);

#endif
