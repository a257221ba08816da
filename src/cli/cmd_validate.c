/* trainyard validate: reports all errors that a cluster would find in the objects. */
#include "cli/cmds.h"
#include "cli/session.h"

static const char *const formats[] = { "text", "json", NULL };
struct validate_opts {
    struct ty_args args;
    struct ty_input_opts input;
    struct ty_config_opts config;
    const char *output;
    bool quiet;
};
static const struct ty_opt options[] = {
    TY_OPTS_INPUT(struct validate_opts),
    { "output", 'o', TY_OPT_WORD, "FORMAT", "text (default) or json", formats,
      TY_OPT_AT(struct validate_opts, output) },
    { "quiet", 'q', TY_OPT_FLAG, NULL, "errors only: no warnings, no summary", NULL,
      TY_OPT_AT(struct validate_opts, quiet) },
    TY_OPTS_CONFIG(struct validate_opts),
    TY_OPT_HELP(struct validate_opts),
    TY_OPT_END,
};

static void print_summary(struct ty_cli *cli, const struct ty_session *s)
{
    fprintf(cli->err, "%zu object%s, %zu invalid", s->inputs.n, s->inputs.n == 1 ? "" : "s",
            s->n_invalid);
    if (s->findings.n_warnings)
        fprintf(cli->err, ", %zu warning%s", s->findings.n_warnings,
                s->findings.n_warnings == 1 ? "" : "s");
    if (s->inputs.n_input_errors)
        fprintf(cli->err, "; %zu could not be read", s->inputs.n_input_errors);
    if (s->findings.unchecked)
        fputs(" (some rules can be checked once this is corrected)", cli->err);
    fputc('\n', cli->err);
}

static void drop_warnings(struct ty_findings *f)
{
    struct ty_finding **at = &f->first;
    while (*at)
        if ((*at)->warning)
            *at = (*at)->next;
        else
            at = &(*at)->next;
}

static int validate_inputs(struct ty_session *s, const void *ctx)
{
    const struct validate_opts *opts = ctx;
    struct ty_cli *cli = s->cli;
    ty_auto_buf out = { 0 };
    bool json = opts->output && strcmp(opts->output, "json") == 0;
    ty_session_admit_all(s);
    ty_findings_sort(&s->findings);
    if (opts->quiet)
        drop_warnings(&s->findings);
    if (json) {
        ty_json_pretty(&out, ty_findings_json(cli->arena, &s->findings), 2, false);
        ty_buf_chr(&out, '\n');
    } else {
        ty_findings_print(&out, &s->findings, cli->colour_out);
    }
    int code = ty_cli_print(cli, &out);
    if (!opts->quiet)
        print_summary(cli, s);
    return s->findings.n_errors ? TY_EXIT_BAD : code;
}

static int run(struct ty_cli *cli, const void *parsed)
{
    const struct validate_opts *opts = parsed;
    struct ty_session_opts session = { .operands = &opts->args.operands,
                                       .input = &opts->input,
                                       .config = &opts->config };

    if (!opts->input.files.n && !opts->args.operands.n)
        return ty_cli_usage(cli, &ty_cmd_validate, "nothing to validate: give a file with -f");
    return ty_session_run(cli, &session, validate_inputs, opts);
}

const struct ty_cmd ty_cmd_validate = {
    .name = "validate",
    .about = "Check TrainJobs and runtimes, and report all errors",
    .operand = "[FILE…]",
    .more =
        "Runs the checks of the API server (schema and rules) and of the webhooks, and reports\n"
        "each error with its file and line. Runtimes that a TrainJob names are looked up in the\n"
        "same files, then in --runtimes, then in the built-in catalog.\n"
        "\n"
        "Exit status: 0 all valid, 1 something is invalid, 2 wrong usage.\n",
    .examples = "  trainyard validate -f job.yaml\n"
                "  trainyard validate -f jobs/ -R -o json\n"
                "  kubectl get trainjob x -o yaml | trainyard validate -f -\n",
    .opts = TY_OPTS(options, struct validate_opts),
    .run = run,
};
