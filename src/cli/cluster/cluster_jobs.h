/* TrainJobs of a cluster with their JobSets and pods, over a session. */
#ifndef TY_CLI_CLUSTER_CLUSTER_JOBS_H
#define TY_CLI_CLUSTER_CLUSTER_JOBS_H

#include "cli/cluster/cluster_session.h"
#include "cli/history/job_history_pods.h"

/* Limit of the input arenas for objects of a cluster: two lists. */
#define TY_CLUSTER_CEILING (2 * TY_CLUSTER_SESSION_LIST)

/* An entry for the functions of job_state.h, from objects that live with the arena. jobset may be
 * NULL. */
void ty_cluster_jobs_entry(struct ty_arena *a, struct ty_json *job, struct ty_json *jobset,
                           struct ty_job_history_entry *ret);
/* The TrainJob of this name with its JobSet, which is NULL if it does not exist or may not be read.
 * 0, -ENOENT, or another result of the client; *answer has the reason. Lives with the arena. */
int ty_cluster_jobs_get(struct ty_cluster_session *s, struct ty_arena *a, const char *ns,
                        const char *name, struct ty_job_history_entry *ret,
                        struct ty_cluster_answer *answer);
/* The TrainJob that a word of the command line means in the session's namespace: "ddp",
 * "trainjob/ddp", or a pod of it: "ddp-node-0-1", "pod/ddp-node-0-1-x7k2p". Then ret->pod is the
 * pod's host name. Results as above; nothing is printed. */
int ty_cluster_jobs_find(struct ty_cluster_session *s, struct ty_arena *a, const char *word,
                         struct ty_job_history_entry *ret, struct ty_cluster_answer *answer);
/* The same for commands: lives with the cli's arena; prints the error, or kubectl's "not found" and
 * a hint at the runs of this machine. Returns an exit code. */
int ty_cluster_jobs_find_or_print(struct ty_cluster_session *s, struct ty_cli *cli,
                                  const char *word, struct ty_job_history_entry *ret);
/* After ty_cluster_jobs_find returned an error: no TrainJob has this name, but the cluster has the
 * kind. */
bool ty_cluster_jobs_is_missing(const struct ty_cluster_answer *answer);
/* Prints what find_or_print prints for this error, and returns TY_EXIT_BAD. */
int ty_cluster_jobs_error(struct ty_cluster_session *s, struct ty_cli *cli, const char *word,
                          const struct ty_cluster_answer *why);
/* The newest pod of each host name, sorted by name. 0, or a result of the client (*answer). */
int ty_cluster_jobs_pods(struct ty_cluster_session *s, struct ty_arena *a,
                         const struct ty_job_history_entry *job, struct ty_job_history_pod **ret,
                         size_t *ret_n, struct ty_cluster_answer *answer);

#endif
