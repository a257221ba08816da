/* trainyard suspend, trainyard resume: send a command to the control socket of a live run. */
#include "cli/cmds.h"
#include "cli/history/job_history.h"
#include "cli/history/job_state.h"
#include "engine/control_socket.h"

struct suspend_opts {
    struct ty_args args;
    struct ty_job_history_opts history;
};
static const struct ty_opt options[] = {
    TY_OPTS_JOB_HISTORY(struct suspend_opts),
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
    int code =
        ty_job_history_open_job(cli, cmd, &opts->history, opts->args.operands.v[0], &d, &job);
    if (code)
        return code;
    if (job.alive != TY_HISTORY_RUN_LIVE) {
        ty_cli_msg(cli, TY_MSG_ERROR, "trainjob \"%s\" does not run: it is %s", job.name,
                   ty_job_state_text(cli->arena, &job));
        return TY_EXIT_BAD;
    }
    if (ty_control_socket_send(job.run.dir, cmd->name, job.name, &err) < 0)
        return ty_job_history_error(cli, &err);
    fprintf(cli->out, "trainjob.trainer.kubeflow.org/%s %s\n", job.name, done);
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
    .about = "End the pods of a running TrainJob until it is resumed",
    .operand = "NAME",
    .more = "Sets spec.suspend, as on a cluster: the pods are terminated, and 'trainyard run' "
            "waits.\n",
    .examples = "  trainyard suspend torch-ddp\n",
    .opts = TY_OPTS(options, struct suspend_opts),
    .run = run_suspend,
};
const struct ty_cmd ty_cmd_resume = {
    .name = "resume",
    .about = "Resume a suspended TrainJob",
    .operand = "NAME",
    .more = "Clears spec.suspend: the pods are created again.\n",
    .examples = "  trainyard resume torch-ddp\n",
    .opts = TY_OPTS(options, struct suspend_opts),
    .run = run_resume,
};
