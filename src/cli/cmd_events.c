/* trainyard events: prints the events of a TrainJob, its JobSet, Jobs and pods. */
#include "cli/cmds.h"
#include "cli/jobs/job_source.h"
#include "cli/view/events_view.h"

static const char *const outputs[] = { "json", "yaml", NULL };
struct events_opts {
    struct ty_args args;
    struct ty_where_opts where;
    const char *output;
};
static const struct ty_opt options[] = {
    { "output", 'o', TY_OPT_WORD, "FORMAT", "json or yaml", outputs,
      TY_OPT_AT(struct events_opts, output) },
    TY_OPTS_WHERE_JOB(struct events_opts),
    TY_OPT_HELP(struct events_opts),
    TY_OPT_END,
};

static int run(struct ty_cli *cli, const void *parsed)
{
    const struct events_opts *opts = parsed;
    ty_auto_job_source *source = NULL;
    struct ty_job_history_entry job;

    if (opts->args.operands.n != 1)
        return ty_cli_usage(cli, &ty_cmd_events, "name one TrainJob");
    int code = ty_job_source_open(cli, &ty_cmd_events, &opts->where, false, &source);
    if (code == TY_EXIT_OK)
        code = source->ops->find(source, opts->args.operands.v[0], &job);
    return code ? code : ty_events_view_print(source, &job, opts->output);
}

const struct ty_cmd ty_cmd_events = {
    .name = "events",
    .names = TY_NAMES_JOBS,
    .about = "Show what happened to a TrainJob",
    .operand = "NAME",
    .more =
        "Events of the TrainJob, its JobSet, Jobs and pods, oldest first. NAME means its newest\n"
        "run.\n",
    .examples = "  trainyard events torch-ddp\n"
                "  trainyard events torch-ddp --cluster\n",
    .opts = TY_OPTS(options, struct events_opts),
    .run = run,
};
