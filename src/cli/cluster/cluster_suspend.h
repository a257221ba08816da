/* Suspends and resumes a TrainJob of a cluster. */
#ifndef TY_CLI_CLUSTER_CLUSTER_SUSPEND_H
#define TY_CLI_CLUSTER_CLUSTER_SUSPEND_H

#include "cli/cluster/cluster_session.h"

/* Sets spec.suspend by a merge patch, as kubectl patch does. verb: "suspend" or "resume"; done:
 * what is printed then, "suspended". Returns an exit code. */
int ty_cluster_suspend(struct ty_cli *cli, const struct ty_where_opts *where, const char *verb,
                       const char *word, const char *done);

#endif
