/* trainyard operator: runs the TrainJob controllers and webhooks of a Kubernetes cluster. */
#include <errno.h>

#include "cli/cmds.h"
#include "operator/operator.h"
#include "plugin_host/extern_plugin.h"

struct operator_opts {
    struct ty_args args;
    struct ty_config_opts config;
    struct ty_kube_opts kube;
    const char *zap_encoder, *zap_level, *zap_stack, *zap_time;
    bool zap_devel;
};
static const struct ty_opt options[] = {
    TY_OPTS_CONFIG(struct operator_opts),
    TY_OPTS_KUBE(struct operator_opts),
    { "zap-log-level", 0, TY_OPT_WORD, "LEVEL",
      "debug, info, error, panic, or a number: 2 is more verbose", NULL,
      TY_OPT_AT(struct operator_opts, zap_level) },
    { "zap-encoder", 0, TY_OPT_WORD, "json|console", "format of log lines", NULL,
      TY_OPT_AT(struct operator_opts, zap_encoder) },
    { "zap-devel", 0, TY_OPT_FLAG, NULL, "console lines, debug level", NULL,
      TY_OPT_AT(struct operator_opts, zap_devel) },
    { "zap-stacktrace-level", 0, TY_OPT_WORD, "LEVEL", "accepted; there are no stack traces", NULL,
      TY_OPT_AT(struct operator_opts, zap_stack) },
    { "zap-time-encoding", 0, TY_OPT_WORD, "NAME",
      "rfc3339nano, rfc3339, iso8601, epoch, millis, nano", NULL,
      TY_OPT_AT(struct operator_opts, zap_time) },
    TY_OPT_HELP(struct operator_opts),
    TY_OPT_END,
};

static int read_log(const struct operator_opts *opts, struct ty_log_settings *s, struct ty_err *err)
{
    const struct {
        const char *name, *value;
    } flags[] = { { "zap-devel", opts->zap_devel ? "true" : NULL },
                  { "zap-encoder", opts->zap_encoder },
                  { "zap-log-level", opts->zap_level },
                  { "zap-stacktrace-level", opts->zap_stack },
                  { "zap-time-encoding", opts->zap_time } };

    for (size_t i = 0; i < TY_COUNT(flags); i++)
        if (flags[i].value && ty_log_flag(s, flags[i].name, flags[i].value, err) < 0)
            return err->code;
    return 0;
}

static int load_plugins(struct ty_cli *cli, const struct operator_opts *opts,
                        const struct ty_config *c, struct ty_extern_plugins *externs,
                        struct ty_pipeline *pipeline, struct ty_err *err)
{
    for (size_t i = 0; i < opts->config.plugin_dirs.n; i++)
        if (ty_extern_plugins_load(externs, cli->arena, opts->config.plugin_dirs.v[i], err) < 0)
            return err->code;
    return ty_pipeline_init(pipeline, c->enabled.v, c->disabled.v, externs->v, err);
}

static int run_operator(struct ty_cli *cli, const struct operator_opts *opts,
                        const struct ty_log *log, struct ty_extern_plugins *externs,
                        struct ty_err *err)
{
    struct ty_kubeconfig_sources where = { .kubeconfig = opts->kube.kubeconfig,
                                           .context = opts->kube.context };
    struct ty_kubeconfig kubeconfig;
    struct ty_pipeline pipeline;
    struct ty_config config;
    /* an empty --config means none, as in v2.3.0 */
    const char *file = opts->config.file && opts->config.file[0] ? opts->config.file : NULL;

    if (ty_config_read(cli->arena, file, opts->config.gates, &config, err) < 0 ||
        load_plugins(cli, opts, &config, externs, &pipeline, err) < 0)
        return err->code;
    ty_kubeconfig_sources_env(&where);
    if (ty_kubeconfig_load(cli->arena, &where, &kubeconfig, err) < 0)
        return err->code;
    struct ty_operator_settings s = { .config = &config,
                                      .file = file,
                                      .gates = opts->config.gates,
                                      .kubeconfig = &kubeconfig,
                                      .pipeline = &pipeline,
                                      .log = log,
                                      .ns = ty_config_namespace(cli->arena, NULL),
                                      .version = TY_VERSION };
    return ty_operator_run(&s);
}

static int run(struct ty_cli *cli, const void *parsed)
{
    const struct operator_opts *opts = parsed;
    struct ty_log_settings settings = ty_log_default;
    struct ty_extern_plugins externs = { 0 };
    struct ty_err err = { 0 };

    if (opts->args.operands.n)
        return ty_cli_usage(cli, &ty_cmd_operator, "'%s' is one word too many",
                            opts->args.operands.v[0]);
    if (read_log(opts, &settings, &err) < 0)
        return ty_cli_usage(cli, &ty_cmd_operator, "%s", err.text);
    struct ty_log log = { ty_log_open(&settings), NULL };
    int code = run_operator(cli, opts, &log, &externs, &err);
    if (code < 0) {
        ty_cli_msg(cli, TY_MSG_ERROR, "%s", err.text);
        code = TY_EXIT_BAD;
    }
    ty_log_close(log.out);
    ty_extern_plugins_done(&externs);
    return code;
}

const struct ty_cmd ty_cmd_operator = {
    .name = "operator",
    .about = "Manage the TrainJobs of a Kubernetes cluster",
    .more =
        "A drop-in for Kubeflow Trainer's manager: the same CRDs, JobSets, conditions, events and\n"
        "webhooks, its configuration file and its flags, which may be written with one dash, too:\n"
        "-config=FILE. Several replicas elect a leader; all of them serve the webhooks. SIGHUP\n"
        "reads the configuration again.\n"
        "\n"
        "Exit status: 0 after SIGTERM or SIGINT, 1 if it cannot start or another replica leads,\n"
        "2 wrong usage.\n",
    .examples = "  trainyard operator --config controller_manager_config.yaml\n"
                "  trainyard operator --kubeconfig ~/.kube/config --zap-encoder console\n",
    .opts = TY_OPTS(options, struct operator_opts),
    .run = run,
    .one_dash = true,
};
