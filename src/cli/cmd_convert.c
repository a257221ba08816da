/* trainyard convert: converts jobs of Training Operator V1 and Slurm batch scripts to TrainJobs. */
#include "cli/cmds.h"
#include "cli/session.h"
#include "cli/view/printer.h"

static const char *const formats[] = { "yaml", "json", NULL };
static const char *const sources[] = { "auto", "sbatch", NULL };
static const char *const gangs[] = { "none", "volcano", "coscheduling", NULL };
struct convert_opts {
    struct ty_args args;
    struct ty_input_opts input;
    const char *output, *from, *gang;
    bool strict, gang_restart, split_script;
};
static const struct ty_opt options[] = {
    TY_OPTS_INPUT(struct convert_opts),
    { "output", 'o', TY_OPT_WORD, "FORMAT", "yaml (default) or json", formats,
      TY_OPT_AT(struct convert_opts, output) },
    { "strict", 0, TY_OPT_FLAG, NULL, "fail if something is not converted exactly", NULL,
      TY_OPT_AT(struct convert_opts, strict) },
    { "from", 0, TY_OPT_WORD, "WHAT", "sbatch: read the files as Slurm scripts; auto (default)",
      sources, TY_OPT_AT(struct convert_opts, from) },
    { "gang", 0, TY_OPT_WORD, "SCHEDULER", "add gang scheduling: volcano or coscheduling", gangs,
      TY_OPT_AT(struct convert_opts, gang) },
    { "gang-restart", 0, TY_OPT_FLAG, NULL, "restart all pods where V1 restarted single ones", NULL,
      TY_OPT_AT(struct convert_opts, gang_restart) },
    { "split-script", 0, TY_OPT_FLAG, NULL,
      "join different Master and Worker commands in one script", NULL,
      TY_OPT_AT(struct convert_opts, split_script) },
    TY_OPT_HELP(struct convert_opts),
    TY_OPT_END,
};

/* Admission sets defaults in place; the output is copied before, without them. */
static void admit_copies(struct ty_session *s, struct ty_json **kept)
{
    for (size_t i = 0; i < s->inputs.n; i++)
        kept[i] = ty_json_copy(s->cli->arena, s->inputs.v[i]->obj, 0);
    ty_session_admit_all(s);
}

static int convert_inputs(struct ty_session *s, const void *ctx)
{
    const struct convert_opts *opts = ctx;
    struct ty_json **kept = ty_new_n(s->cli->arena, struct ty_json *, s->inputs.n + 1);
    struct ty_printer printer = { .cli = s->cli };
    if (!s->inputs.n_input_errors && !s->library.n_input_errors)
        admit_copies(s, kept);
    ty_session_print_findings(s);
    if (s->findings.n_errors)
        return TY_EXIT_BAD;
    if (opts->strict && s->findings.n_warnings) {
        ty_cli_msg(s->cli, TY_MSG_ERROR, "%zu warning%s, and --strict: nothing is printed",
                   s->findings.n_warnings, s->findings.n_warnings == 1 ? "" : "s");
        return TY_EXIT_BAD;
    }
    ty_printer_begin(&printer, opts->output);
    for (size_t i = 0; i < s->inputs.n && printer.code == TY_EXIT_OK; i++)
        ty_printer_add(&printer, s->cli->arena, s->inputs.v[i]->kind, kept[i], NULL);
    ty_printer_end(&printer);
    return printer.code;
}

static enum ty_convert_gang gang_of(const char *name)
{
    if (!name || strcmp(name, "none") == 0)
        return TY_CONVERT_GANG_NONE;
    return strcmp(name, "volcano") == 0 ? TY_CONVERT_GANG_VOLCANO : TY_CONVERT_GANG_COSCHEDULING;
}

static int run(struct ty_cli *cli, const void *parsed)
{
    const struct convert_opts *opts = parsed;
    struct ty_session_opts session = {
        .operands = &opts->args.operands,
        .input = &opts->input,
        .converting = true,
        .scripts = opts->from && strcmp(opts->from, "sbatch") == 0,
        .convert = { .gang = gang_of(opts->gang),
                     .gang_restart = opts->gang_restart,
                     .split_script = opts->split_script },
    };

    if (!opts->input.files.n && !opts->args.operands.n)
        return ty_cli_usage(cli, &ty_cmd_convert, "nothing to convert: give a file with -f");
    return ty_session_run(cli, &session, convert_inputs, opts);
}

const struct ty_cmd ty_cmd_convert = {
    .name = "convert",
    .about = "Turn V1 jobs and Slurm scripts into TrainJobs",
    .operand = "[FILE…]",
    .more =
        "Reads PyTorchJob, TFJob, MPIJob (v1 and v2beta1), XGBoostJob, PaddleJob and JAXJob, or a\n"
        "script with #SBATCH lines, and prints a TrainJob with the TrainingRuntime it needs. "
        "Every\n"
        "field is carried over, or a warning on standard error says what became of it and why.\n"
        "Other documents are printed as they are. The result is checked as by 'validate'.\n"
        "\n"
        "Exit status: 0 converted, 1 something cannot be (or warnings with --strict), 2 wrong\n"
        "usage.\n",
    .examples = "  trainyard convert -f pytorchjob.yaml > trainjob.yaml\n"
                "  trainyard convert --strict -f v1/ -R | kubectl apply -f -\n"
                "  trainyard convert -f train.sbatch\n",
    .opts = TY_OPTS(options, struct convert_opts),
    .run = run,
};
