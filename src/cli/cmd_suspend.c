/* trainyard suspend, trainyard resume: orders to a run at work. */
#include "cli/cmds.h"
#include "cli/history.h"
#include "engine/control.h"

static const struct ty_opt options[] = {
    TY_OPT_NAMESPACE,
    TY_OPT_RUN,
    TY_OPT_HELP,
    TY_OPT_END,
};

static int order(struct ty_cli *cli, const struct ty_args *args, const struct ty_cmd *cmd,
                 const char *done)
{
    ty_auto_durable *d = NULL;
    struct ty_past_job job;
    struct ty_err err = { 0 };

    if (args->rest.n != 1)
        return ty_cli_usage(cli, cmd, "name one TrainJob");
    int code = ty_history_job(cli, cmd, args, &d, &job);
    if (code)
        return code;
    if (job.alive != TY_PAST_LIVE) {
        ty_cli_say(cli, TY_SAY_ERROR, "trainjob \"%s\" does not run: it is %s", job.name,
                   ty_job_state(cli->arena, &job));
        return TY_EXIT_BAD;
    }
    if (ty_control_ask(job.run.dir, cmd->name, job.name, &err) < 0)
        return ty_history_error(cli, &err);
    fprintf(cli->out, "trainjob.trainer.kubeflow.org/%s %s\n", job.name, done);
    return TY_EXIT_OK;
}

static int suspend(struct ty_cli *cli, const struct ty_args *args)
{
    return order(cli, args, &ty_cmd_suspend, "suspended");
}

static int resume(struct ty_cli *cli, const struct ty_args *args)
{
    return order(cli, args, &ty_cmd_resume, "resumed");
}

const struct ty_cmd ty_cmd_suspend = {
    .name = "suspend",
    .about = "End the pods of a running TrainJob until it is resumed",
    .operand = "NAME",
    .more = "Sets spec.suspend, as on a cluster: the pods end with their grace, 'trainyard run' "
            "waits.\n",
    .examples = "  trainyard suspend torch-ddp\n",
    .opts = options,
    .run = suspend,
};
const struct ty_cmd ty_cmd_resume = {
    .name = "resume",
    .about = "Let a suspended TrainJob go on",
    .operand = "NAME",
    .more = "Clears spec.suspend: the pods start anew.\n",
    .examples = "  trainyard resume torch-ddp\n",
    .opts = options,
    .run = resume,
};
