/* trainyard events: prints the events of a TrainJob, its JobSet, Jobs and pods. */
#include "cli/cmds.h"
#include "cli/history/job_history.h"
#include "cli/view/events_view.h"

static const char *const outputs[] = { "json", "yaml", NULL };
struct events_opts {
    struct ty_args args;
    struct ty_job_history_opts history;
    const char *output;
};
static const struct ty_opt options[] = {
    { "output", 'o', TY_OPT_WORD, "FORMAT", "json or yaml", outputs,
      TY_OPT_AT(struct events_opts, output) },
    TY_OPTS_JOB_HISTORY(struct events_opts),
    TY_OPT_HELP(struct events_opts),
    TY_OPT_END,
};

static int run(struct ty_cli *cli, const void *parsed)
{
    const struct events_opts *opts = parsed;
    ty_auto_history_db *d = NULL;
    struct ty_job_history_entry job;

    if (opts->args.operands.n != 1)
        return ty_cli_usage(cli, &ty_cmd_events, "name one TrainJob");
    int code = ty_job_history_open_job(cli, &ty_cmd_events, &opts->history,
                                       opts->args.operands.v[0], &d, &job);
    if (code)
        return code;
    struct ty_history_read_filter which = { .run = job.run.id, .job = job.name };
    return ty_events_view_print(cli, d, &which, opts->output, NULL);
}

const struct ty_cmd ty_cmd_events = {
    .name = "events",
    .about = "Show what happened to a TrainJob",
    .operand = "NAME",
    .more =
        "Events of the TrainJob, its JobSet, Jobs and pods, oldest first. NAME means its newest\n"
        "run.\n",
    .examples = "  trainyard events torch-ddp\n",
    .opts = TY_OPTS(options, struct events_opts),
    .run = run,
};
