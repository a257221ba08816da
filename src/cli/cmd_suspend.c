/* trainyard suspend, trainyard resume: send a command to the control socket of a live run, or patch
 * the TrainJob of a cluster. */
#include "cli/cluster/cluster_suspend.h"
#include "cli/cmds.h"
#include "cli/history/job_history.h"
#include "cli/jobs/run_stopped.h"
#include "engine/control_socket.h"

struct suspend_opts {
    struct ty_args args;
    struct ty_where_opts where;
};
static const struct ty_opt options[] = {
    TY_OPTS_WHERE_JOB(struct suspend_opts),
    TY_OPT_HELP(struct suspend_opts),
    TY_OPT_END,
};

static int send_command(struct ty_cli *cli, const struct suspend_opts *opts,
                        const struct ty_cmd *cmd, const char *done)
{
    ty_auto_history_db *d = NULL;
    struct ty_job_history_entry job;
    struct ty_err err = { 0 };

    if (opts->args.operands.n != 1)
        return ty_cli_usage(cli, cmd, "name one TrainJob");
    int where = ty_where(cli, cmd, &opts->where);
    if (where < 0)
        return TY_EXIT_USAGE;
    if (where == TY_WHERE_CLUSTER)
        return ty_cluster_suspend(cli, &opts->where, cmd->name, opts->args.operands.v[0], done);
    int code =
        ty_job_history_open_job(cli, cmd, &opts->where.history, opts->args.operands.v[0], &d, &job);
    if (code)
        return code;
    if (job.pod) {
        ty_cli_msg(cli, TY_MSG_ERROR, "\"%s\" is a pod: %s its trainjob \"%s\"",
                   opts->args.operands.v[0], cmd->name, job.name);
        return TY_EXIT_BAD;
    }
    code = ty_run_stopped_check_live(cli, &job);
    if (code)
        return code;
    if (ty_control_socket_send(job.run.dir, cmd->name, job.name, &err) < 0)
        return ty_job_history_error(cli, &err);
    ty_cli_printf(cli, "trainjob.trainer.kubeflow.org/%s %s\n", job.name, done);
    return TY_EXIT_OK;
}

static int run_suspend(struct ty_cli *cli, const void *parsed)
{
    return send_command(cli, parsed, &ty_cmd_suspend, "suspended");
}

static int run_resume(struct ty_cli *cli, const void *parsed)
{
    return send_command(cli, parsed, &ty_cmd_resume, "resumed");
}

const struct ty_cmd ty_cmd_suspend = {
    .name = "suspend",
    .names = TY_NAMES_JOBS,
    .about = "End the pods of a running TrainJob until it is resumed",
    .operand = "NAME",
    .more = "Sets spec.suspend, as on a cluster: the pods are terminated, and 'trainyard run' "
            "waits.\n",
    .examples = "  trainyard suspend torch-ddp\n"
                "  trainyard suspend torch-ddp --cluster -n team-a\n",
    .opts = TY_OPTS(options, struct suspend_opts),
    .run = run_suspend,
};
const struct ty_cmd ty_cmd_resume = {
    .name = "resume",
    .names = TY_NAMES_JOBS,
    .about = "Resume a suspended TrainJob",
    .operand = "NAME",
    .more = "Clears spec.suspend: the pods are created again.\n",
    .examples = "  trainyard resume torch-ddp\n",
    .opts = TY_OPTS(options, struct suspend_opts),
    .run = run_resume,
};
