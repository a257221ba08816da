/* Names of objects in a cluster, for shell completion. */
#ifndef TY_CLI_CLUSTER_CLUSTER_NAMES_H
#define TY_CLI_CLUSTER_CLUSTER_NAMES_H

#include "cli/cluster/cluster_session.h"

enum ty_cluster_names {
    TY_CLUSTER_NAMES_JOBS,       /* TrainJobs of the session's namespace */
    TY_CLUSTER_NAMES_NODES,      /* of one TrainJob */
    TY_CLUSTER_NAMES_NAMESPACES, /* that the user may list */
};
/* Adds the names to the list; they live with the cli's arena. job: of NODES, as on the command
 * line; else ignored. Returns an exit code, after an error message if it is not TY_EXIT_OK. */
int ty_cluster_names(struct ty_cli *cli, const struct ty_where_opts *where,
                     enum ty_cluster_names what, const char *job, struct ty_strlist *ret);

#endif
