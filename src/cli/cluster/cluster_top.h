/* CPU and memory of the pods of TrainJobs in a cluster, as metrics-server reports them. */
#ifndef TY_CLI_CLUSTER_CLUSTER_TOP_H
#define TY_CLI_CLUSTER_CLUSTER_TOP_H

#include "cli/cluster/cluster_session.h"

struct ty_cluster_top_opts {
    const struct ty_where_opts *where;
    const char *word; /* a TrainJob or a pod of it; NULL: all of the namespace */
    bool json, headers, watch;
    int64_t every_ms; /* between samples; 0: 15 s, as often as metrics-server measures */
};
int ty_cluster_top(struct ty_cli *cli, const struct ty_cluster_top_opts *opts); /* exit code */

#endif
