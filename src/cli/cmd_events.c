/* trainyard events: what happened to a TrainJob and what it is made of. */
#include "cli/cmds.h"
#include "cli/history/job_history.h"

static const char *const outputs[] = { "json", "yaml", NULL };
static const struct ty_opt options[] = {
    { "output", 'o', TY_OPT_WORD, "FORMAT", "json or yaml", outputs, TY_OPT_AT(output) },
    TY_OPT_NAMESPACE,
    TY_OPT_RUN,
    TY_OPT_HELP,
    TY_OPT_END,
};

static int run(struct ty_cli *cli, const struct ty_args *args)
{
    ty_auto_history_db *d = NULL;
    struct ty_job_history_entry job;

    if (args->rest.n != 1)
        return ty_cli_usage(cli, &ty_cmd_events, "name one TrainJob");
    int code = ty_job_history_open_job(cli, &ty_cmd_events, args, &d, &job);
    if (code)
        return code;
    struct ty_history_read_filter which = { .run = job.run.id, .job = job.name };
    return ty_events_view_print(cli, d, &which, args->output, NULL);
}

const struct ty_cmd ty_cmd_events = {
    .name = "events",
    .about = "Show what happened to a TrainJob",
    .operand = "NAME",
    .more =
        "Events of the TrainJob, its JobSet, Jobs and pods, oldest first. NAME means its newest\n"
        "run.\n",
    .examples = "  trainyard events torch-ddp\n",
    .opts = options,
    .run = run,
};
