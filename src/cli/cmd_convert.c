/* trainyard convert: jobs of Training Operator V1 and Slurm batch scripts become TrainJobs.
 */
#include "cli/cmds.h"
#include "cli/session.h"
#include "cli/view/printer.h"

static const char *const formats[] = { "yaml", "json", NULL };
static const char *const sources[] = { "auto", "sbatch", NULL };
static const char *const gangs[] = { "none", "volcano", "coscheduling", NULL };
static const struct ty_opt options[] = {
    TY_OPTS_INPUT,
    { "output", 'o', TY_OPT_WORD, "FORMAT", "yaml (default) or json", formats, TY_OPT_AT(output) },
    { "strict", 0, TY_OPT_FLAG, NULL, "what is not carried over as it was is an error", NULL,
      TY_OPT_AT(strict) },
    { "from", 0, TY_OPT_WORD, "WHAT", "sbatch: read the files as Slurm scripts; auto (default)",
      sources, TY_OPT_AT(from) },
    { "gang", 0, TY_OPT_WORD, "SCHEDULER", "make gangs: volcano or coscheduling", gangs,
      TY_OPT_AT(gang) },
    { "gang-restart", 0, TY_OPT_FLAG, NULL, "restart all pods where V1 restarted single ones", NULL,
      TY_OPT_AT(gang_restart) },
    { "split-script", 0, TY_OPT_FLAG, NULL, "one script for unequal Master and Worker commands",
      NULL, TY_OPT_AT(split_script) },
    TY_OPT_HELP,
    TY_OPT_END,
};

/* What is admitted is filled with defaults: people want to read what they would have written. */
static void admit_copies(struct ty_session *s, struct ty_json **kept)
{
    for (size_t i = 0; i < s->inputs.n; i++)
        kept[i] = ty_json_copy(s->cli->arena, s->inputs.v[i]->obj, 0);
    ty_session_admit_all(s);
}

static int convert_inputs(struct ty_session *s, const struct ty_args *args)
{
    struct ty_json **kept = ty_new_n(s->cli->arena, struct ty_json *, s->inputs.n + 1);
    struct ty_printer printer = { .cli = s->cli };
    if (!s->inputs.n_input_errors && !s->library.n_input_errors)
        admit_copies(s, kept);
    ty_session_print_findings(s);
    if (s->findings.n_errors)
        return TY_EXIT_BAD;
    if (args->strict && s->findings.n_warnings) {
        ty_cli_msg(s->cli, TY_MSG_ERROR, "%zu warning%s, and --strict: nothing is printed",
                   s->findings.n_warnings, s->findings.n_warnings == 1 ? "" : "s");
        return TY_EXIT_BAD;
    }
    ty_printer_begin(&printer, args->output);
    for (size_t i = 0; i < s->inputs.n && printer.code == TY_EXIT_OK; i++)
        ty_printer_add(&printer, s->cli->arena, s->inputs.v[i]->kind, kept[i], NULL);
    ty_printer_end(&printer);
    return printer.code;
}

static int run(struct ty_cli *cli, const struct ty_args *args)
{
    struct ty_args mine = *args;

    if (!args->files.n && !args->rest.n)
        return ty_cli_usage(cli, &ty_cmd_convert, "nothing to convert: give a file with -f");
    mine.converting = true;
    return ty_session_run(cli, &mine, convert_inputs);
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
    .opts = options,
    .run = run,
};
