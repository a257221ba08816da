/* Which side a command works on: the runs of this machine, or a cluster of the kubeconfig. */
#ifndef TY_CLI_JOBS_WHERE_H
#define TY_CLI_JOBS_WHERE_H

#include "cli/cli.h"
#include "cli/history/job_history.h"

/* Member `where` of a command's options. */
struct ty_where_opts {
    bool cluster, local;
    const char *kubeconfig, *context;
    struct ty_job_history_opts history; /* -n of both sides; --run of this machine's */
    /* Of no option, for shell completion: calls to the cluster end after this time together, and
     * exec credential plugins do not prompt. 0: each has its own timeout. */
    int64_t quick_ms;
};
/* clang-format off */
/* --cluster, --local, --context, --kubeconfig. A command with its own -n copies that to
 * where.history.ns. */
#define TY_OPTS_WHERE(type)                                                                        \
    { "cluster", 0, TY_OPT_FLAG, NULL, "work on a cluster, not on the runs of this machine", NULL, \
      TY_OPT_AT(type, where.cluster) },                                                            \
    { "local", 0, TY_OPT_FLAG, NULL, "work on the runs of this machine (default)", NULL,           \
      TY_OPT_AT(type, where.local) },                                                              \
    { "context", 0, TY_OPT_WORD, "NAME", "context of the kubeconfig; implies --cluster", NULL,     \
      TY_OPT_AT(type, where.context) },                                                            \
    { "kubeconfig", 0, TY_OPT_WORD, "FILE", "path of the kubeconfig; implies --cluster", NULL,     \
      TY_OPT_AT(type, where.kubeconfig) }
/* The same with -n and --run. */
#define TY_OPTS_WHERE_JOB(type)                                                                    \
    { "namespace", 'n', TY_OPT_WORD, "NAME", "only objects of this namespace", NULL,               \
      TY_OPT_AT(type, where.history.ns) },                                                         \
    { "run", 0, TY_OPT_WORD, "ID", "an earlier run of that name: see 'trainyard get -o wide'",     \
      NULL, TY_OPT_AT(type, where.history.run) },                                                  \
    TY_OPTS_WHERE(type)
/* clang-format on */

enum ty_where_side { TY_WHERE_LOCAL, TY_WHERE_CLUSTER };

/* TY_WHERE_LOCAL or TY_WHERE_CLUSTER; -1 after an error message, for which the command returns
 * TY_EXIT_USAGE: both options, --context or --kubeconfig with --local, --run on a cluster, a user
 * configuration that cannot be used. --context and --kubeconfig imply --cluster. Without options:
 * the cluster if called as a kubectl plugin (cli->kubectl), else what the user configuration says
 * (user_config.h), else this machine. The environment (KUBECONFIG) never decides. */
int ty_where(struct ty_cli *cli, const struct ty_cmd *cmd, const struct ty_where_opts *opts);

#endif
