/* trainyard submit: creates TrainJobs and runtimes in a cluster; on this machine: run --detach. */
#include "base/time.h"
#include "cli/cluster/cluster_submit.h"
#include "cli/cmds.h"

static const char *const formats[] = { "name", "json", "yaml", NULL };
static const char *const dry_runs[] = { "server", "client", "none", NULL };

struct submit_opts {
    struct ty_args args;
    struct ty_input_opts input;
    struct ty_config_opts config;
    struct ty_where_opts where;
    struct ty_strlist sets, env, env_files;
    const char *output, *dry_run, *timeout;
    bool apply, force, wait, logs;
};
static const struct ty_opt options[] = {
    TY_OPTS_INPUT(struct submit_opts),
    { "apply", 0, TY_OPT_FLAG, NULL, "create or change: server-side apply, as trainyard-cli", NULL,
      TY_OPT_AT(struct submit_opts, apply) },
    { "force-conflicts", 0, TY_OPT_FLAG, NULL,
      "with --apply: take fields over from other field managers", NULL,
      TY_OPT_AT(struct submit_opts, force) },
    { "dry-run", 0, TY_OPT_CHOICE, NULL, "=server (default): only check there; =client: only here",
      dry_runs, TY_OPT_AT(struct submit_opts, dry_run) },
    { "output", 'o', TY_OPT_WORD, "FORMAT", "name, json or yaml: print the created objects",
      formats, TY_OPT_AT(struct submit_opts, output) },
    { "wait", 0, TY_OPT_FLAG, NULL, "wait until the TrainJobs are Complete or Failed", NULL,
      TY_OPT_AT(struct submit_opts, wait) },
    { "logs", 0, TY_OPT_FLAG, NULL, "follow the logs of the TrainJob; implies --wait", NULL,
      TY_OPT_AT(struct submit_opts, logs) },
    { "timeout", 0, TY_OPT_WORD, "TIME", "with --wait: give up after this time; the job goes on",
      NULL, TY_OPT_AT(struct submit_opts, timeout) },
    { "set", 0, TY_OPT_WORDS, "PATH=VALUE", "change the TrainJob: spec.trainer.numNodes=4", NULL,
      TY_OPT_AT(struct submit_opts, sets) },
    { "env", 'e', TY_OPT_WORDS, "NAME[=VALUE]",
      "environment variable of the trainer (default: your value)", NULL,
      TY_OPT_AT(struct submit_opts, env) },
    { "env-file", 0, TY_OPT_WORDS, "FILE", "variables of the trainer: NAME=VALUE lines", NULL,
      TY_OPT_AT(struct submit_opts, env_files) },
    TY_OPTS_WHERE(struct submit_opts),
    TY_OPTS_CONFIG(struct submit_opts),
    TY_OPT_HELP(struct submit_opts),
    TY_OPT_END,
};

static int run_local(struct ty_cli *cli, const struct submit_opts *opts,
                     const struct ty_submit_input *in)
{
    if (opts->wait || opts->logs || opts->timeout)
        return ty_cli_usage(cli, &ty_cmd_submit,
                            "--wait, --logs and --timeout are for a cluster; on this machine: "
                            "trainyard run FILE");
    if (opts->apply || opts->dry_run || opts->output)
        return ty_cli_usage(cli, &ty_cmd_submit,
                            "--apply, --dry-run and -o are for a cluster; on this machine: "
                            "trainyard validate FILE, trainyard render FILE");
    return ty_cmd_run_detached(cli, in);
}

static int run(struct ty_cli *cli, const void *parsed)
{
    const struct submit_opts *opts = parsed;
    struct ty_submit_input in = { .operands = opts->args.operands,
                                  .sets = opts->sets,
                                  .env = opts->env,
                                  .env_files = opts->env_files,
                                  .input = opts->input,
                                  .config = opts->config };
    struct ty_where_opts side = opts->where;
    int64_t ms = 0;

    if (!opts->input.files.n && !opts->args.operands.n)
        return ty_cli_usage(cli, &ty_cmd_submit, "nothing to submit: give a file with -f");
    if (opts->timeout && !ty_time_parse_span(ty_str(opts->timeout), &ms))
        return ty_cli_usage(cli, &ty_cmd_submit, "--timeout %s: write a duration such as 90s or 1h",
                            opts->timeout);
    if (opts->timeout && !opts->wait && !opts->logs)
        return ty_cli_usage(cli, &ty_cmd_submit, "--timeout needs --wait or --logs");
    if (opts->force && !opts->apply)
        return ty_cli_usage(cli, &ty_cmd_submit, "--force-conflicts needs --apply");
    side.history.ns = opts->input.ns;
    int where = ty_where(cli, &ty_cmd_submit, &side);
    if (where < 0)
        return TY_EXIT_USAGE;
    if (where == TY_WHERE_LOCAL)
        return run_local(cli, opts, &in);
    const char *dry = opts->dry_run && strcmp(opts->dry_run, "none") != 0 ? opts->dry_run : NULL;
    struct ty_cluster_submit_opts want = {
        .input = &in,
        .where = &side,
        .output = opts->output,
        .apply = opts->apply,
        .force = opts->force,
        .dry_server = dry && strcmp(dry, "server") == 0,
        .dry_client = dry && strcmp(dry, "client") == 0,
        .wait = opts->wait || opts->logs,
        .logs = opts->logs,
        .end_ms = opts->timeout ? ty_cli_monotonic_ms() + ms : 0,
    };
    return ty_cluster_submit(cli, &want);
}

const struct ty_cmd ty_cmd_submit = {
    .name = "submit",
    .about = "Create TrainJobs and runtimes in a cluster, and return",
    .operand = "[FILE…]",
    .more =
        "Checks the objects as 'validate' does, against the runtimes of the cluster, then creates\n"
        "them: runtimes first. Whatever the cluster refuses is reported with file and line.\n"
        "\n"
        "On this machine (the default, or --local) it is 'trainyard run --detach'.\n"
        "\n"
        "Exit status: 0 created, and with --wait all Complete; 1 refused, Failed or --timeout;\n"
        "2 wrong usage; 130 interrupted while waiting: the job goes on.\n",
    .examples = "  trainyard submit -f job.yaml --cluster\n"
                "  trainyard submit -f job.yaml --context gpu-lab -n team-a --logs\n"
                "  trainyard submit -f runtime.yaml -f job.yaml --cluster --apply --wait\n"
                "  trainyard submit -f job.yaml --cluster --dry-run=server -o yaml\n",
    .opts = TY_OPTS(options, struct submit_opts),
    .run = run,
};
