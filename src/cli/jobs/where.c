#include "cli/jobs/where.h"
#include "cli/jobs/user_config.h"

/* -1 after a usage error; else 0. */
static int check_options(struct ty_cli *cli, const struct ty_cmd *cmd,
                         const struct ty_where_opts *opts)
{
    const char *other = opts->cluster      ? "--cluster"
                        : opts->context    ? "--context"
                        : opts->kubeconfig ? "--kubeconfig"
                                           : NULL;

    if (!opts->local || !other)
        return 0;
    ty_cli_usage(cli, cmd, "--local and %s exclude each other", other);
    return -1;
}

int ty_where(struct ty_cli *cli, const struct ty_cmd *cmd, const struct ty_where_opts *opts)
{
    struct ty_user_config config = { 0 };
    struct ty_err err = { 0 };
    bool cluster =
        opts->cluster || opts->context || opts->kubeconfig || (cli->kubectl && !opts->local);

    if (check_options(cli, cmd, opts) < 0)
        return -1;
    if (!cluster && !opts->local) {
        if (ty_user_config_read(cli->arena, &config, &err) < 0) {
            ty_cli_msg(cli, TY_MSG_ERROR, "%s; --local or --cluster decides without it", err.text);
            return -1;
        }
        cluster = config.cluster;
    }
    if (!cluster)
        return TY_WHERE_LOCAL;
    if (opts->history.run) {
        ty_cli_usage(cli, cmd,
                     "--run %s: only this machine numbers its runs, and this command works on a "
                     "cluster%s%s; add --local",
                     opts->history.run, config.cluster ? " as configured in " : "",
                     config.cluster ? config.file : "");
        return -1;
    }
    return TY_WHERE_CLUSTER;
}
