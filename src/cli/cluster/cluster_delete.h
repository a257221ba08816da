/* Deletes TrainJobs of a cluster. */
#ifndef TY_CLI_CLUSTER_CLUSTER_DELETE_H
#define TY_CLI_CLUSTER_CLUSTER_DELETE_H

#include "cli/cluster/cluster_session.h"

struct ty_cluster_delete_opts {
    const struct ty_where_opts *where;
    const char *const *names; /* of TrainJobs, also "trainjob/x" */
    size_t n;                 /* 0: all of the namespace */
    bool dry_run, yes, wait;
};
#define TY_CLUSTER_DELETE_NONE "nothing was deleted, because not all of these TrainJobs exist"
/* Deletes nothing if one of several names does not exist. With `wait` it returns when the TrainJob,
 * its JobSet and its pods are gone (foreground deletion), else at once. Returns an exit code. */
int ty_cluster_delete(struct ty_cli *cli, const struct ty_cluster_delete_opts *opts);

#endif
