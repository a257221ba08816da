/* Waits for a condition of a TrainJob of a cluster. */
#ifndef TY_CLI_CLUSTER_CLUSTER_WAIT_H
#define TY_CLI_CLUSTER_CLUSTER_WAIT_H

#include "cli/cluster/job_watch.h"
#include "cli/jobs/wait_condition.h"

/* Prints "condition met", or why not: the job is over, --timeout (end_ms: monotonic; 0: never), no
 * right. Returns an exit code. */
int ty_cluster_wait(struct ty_cli *cli, struct ty_cluster_session *s, const char *word,
                    const struct ty_wait_condition *want, int64_t end_ms);
/* What is printed for a condition that is met, also of a job of this machine. TY_EXIT_OK. */
int ty_cluster_wait_print_met(struct ty_cli *cli, const char *name);
/* Waits until the job is Complete or Failed, or Ctrl-C if sigint. *ret_end: why it ended. Returns
 * TY_EXIT_OK if it is Complete. Prints how it ended on standard error. */
int ty_cluster_wait_over(struct ty_cli *cli, struct ty_cluster_session *s, const char *ns,
                         const char *name, int64_t end_ms, bool sigint,
                         enum ty_job_watch_end *ret_end);

#endif
