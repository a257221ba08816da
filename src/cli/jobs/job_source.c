#include "cli/jobs/job_source.h"
#include "cli/cluster/cluster_source.h"
#include "cli/history/history_source.h"

int ty_job_source_open(struct ty_cli *cli, const struct ty_cmd *cmd,
                       const struct ty_where_opts *where, bool all, struct ty_job_source **ret)
{
    int side = ty_where(cli, cmd, where);

    if (side < 0)
        return TY_EXIT_USAGE;
    if (side == TY_WHERE_CLUSTER)
        return ty_cluster_source_open(cli, where, all, ret);
    return ty_history_source_open(cli, cmd, &where->history, ret);
}
