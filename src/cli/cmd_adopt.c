/* trainyard adopt: reports what would change if this operator took over a cluster. Read-only. */
#include <errno.h>

#include "api/name.h"
#include "cli/cmds.h"
#include "cli/install/cluster.h"
#include "cli/view/adopt_view.h"
#include "config/config.h"
#include "plugin_host/extern_plugin.h"
#include "store/kube/kube_kinds.h"
#include "json/yaml.h"

#define ROUNDS      5 /* TrainJob, its snapshot, the snapshot's classes: references go no deeper */
#define CONFIG_NAME "kubeflow-trainer-config"
#define CONFIG_FILE "controller_manager_config.yaml"
#define HOOKS_NAME  "validator.trainer.kubeflow.org"

static const char *const formats[] = { "text", "json", "yaml", NULL };
struct adopt_opts {
    struct ty_args args;
    struct ty_kube_opts kube;
    struct ty_config_opts config;
    const char *ns, *operator_ns, *output;
    bool all, verbose;
};
static const struct ty_opt options[] = {
    TY_OPTS_KUBE(struct adopt_opts),
    { "namespace", 'n', TY_OPT_WORD, "NAME", "check only TrainJobs and runtimes of this namespace",
      NULL, TY_OPT_AT(struct adopt_opts, ns) },
    { "all-namespaces", 'A', TY_OPT_FLAG, NULL, "all namespaces (default)", NULL,
      TY_OPT_AT(struct adopt_opts, all) },
    { "operator-namespace", 0, TY_OPT_WORD, "NAME", "where the operator runs (kubeflow-system)",
      NULL, TY_OPT_AT(struct adopt_opts, operator_ns) },
    { "verbose", 'v', TY_OPT_FLAG, NULL, "every object and every note", NULL,
      TY_OPT_AT(struct adopt_opts, verbose) },
    { "output", 'o', TY_OPT_WORD, "FORMAT", "text (default), json or yaml", formats,
      TY_OPT_AT(struct adopt_opts, output) },
    TY_OPTS_CONFIG(struct adopt_opts),
    TY_OPT_HELP(struct adopt_opts),
    TY_OPT_END,
};

/* Exit codes as those of `kubectl diff`. */
enum { SAFE = TY_EXIT_OK, NOT_SAFE = TY_EXIT_BAD, UNREAD = TY_EXIT_USAGE };

struct adopt {
    struct ty_cli *cli;
    const struct adopt_opts *opts;
    const char *ns; /* of the operator */
    struct ty_cluster cluster;
    struct ty_config config;
    struct ty_pipeline pipeline;
    struct ty_extern_plugins externs;
};

/* Lists the objects, and gets the configuration that the operator would use there. */
static int read_cluster(struct adopt *x, struct ty_err *err)
{
    struct ty_str ns = ty_str(x->opts->ns);
    struct ty_cluster_query wants[] = {
        { .kind = &ty_kind_trainjob, .ns = ns },
        { .kind = &ty_kind_trainingruntime, .ns = ns },
        { .kind = &ty_kind_clustertrainingruntime },
        { .kind = &ty_kind_jobset, .ns = ns },
        { .kind = &ty_kind_podgroup_cosched, .ns = ns, .meta = true },
        { .kind = &ty_kind_podgroup_volcano, .ns = ns, .meta = true },
        { .kind = &ty_kind_configmap, .ns = ty_str(x->ns), .name = TY_LIT(CONFIG_NAME) },
        { .kind = &ty_kind_validatingwebhook, .name = TY_LIT(HOOKS_NAME) },
    };

    ty_cluster_read(&x->cluster, wants, TY_COUNT(wants));
    const struct ty_cluster_object *t =
        ty_cluster_snapshot_list_error(x->cluster.snapshot, &ty_kind_trainjob);
    if (!t)
        return 0;
    if (t->r == -ENOENT)
        return ty_fail(err, t->r,
                       "%s does not know TrainJobs: there is nothing to take over; "
                       "\"trainyard install\" prints what to apply",
                       x->cluster.config.server);
    return ty_fail(err, t->r, "%s: TrainJobs cannot be listed: %s", x->cluster.config.server,
                   t->why);
}

/* Uses --config, else the installed ConfigMap, else the defaults. */
static int read_config(struct adopt *x, struct ty_err *err)
{
    struct ty_arena *a = x->cli->arena;
    const struct adopt_opts *opts = x->opts;
    const struct ty_json *map = ty_cluster_snapshot_get(a, x->cluster.snapshot, &ty_kind_configmap,
                                                        ty_str(x->ns), TY_LIT(CONFIG_NAME));
    struct ty_str text = ty_json_as_str(ty_json_get(ty_json_get(map, "data"), CONFIG_FILE));
    int r = opts->config.file || !text.n
                ? ty_config_read(a, opts->config.file, opts->config.gates, &x->config, err)
                : ty_config_parse(a, "ConfigMap " CONFIG_NAME, text, opts->config.gates, &x->config,
                                  err);

    for (size_t i = 0; r == 0 && i < opts->config.plugin_dirs.n; i++)
        r = ty_extern_plugins_load(&x->externs, a, opts->config.plugin_dirs.v[i], err);
    if (r < 0)
        return r;
    x->config.settings.operator_ns = x->ns;
    return ty_pipeline_init(&x->pipeline, x->config.enabled.v, x->config.disabled.v, x->externs.v,
                            err);
}

/* The CA bundle that pods trust is also in the webhook configuration, so no Secret has to be
 * read. */
static const struct ty_json *hook_secret(struct adopt *x)
{
    struct ty_arena *a = x->cli->arena;
    const struct ty_json *hooks = ty_cluster_snapshot_get(
        a, x->cluster.snapshot, &ty_kind_validatingwebhook, TY_LIT(""), TY_LIT(HOOKS_NAME));
    const struct ty_json *first = ty_json_item(ty_json_get(hooks, "webhooks"), 0);
    struct ty_str bundle = ty_json_str_at(first, "clientConfig.caBundle");

    if (!bundle.n)
        return NULL;
    struct ty_json *secret = ty_json_object(a);
    ty_json_set(a, ty_json_ensure_object(a, secret, "data"), "ca.crt", ty_json_str(a, bundle));
    return secret;
}

static void compare_objects(struct adopt *x, struct ty_adopt *ret)
{
    unsigned char entropy[TY_ENTROPY] = { 0 }; /* keys generated here are discarded */
    struct ty_adopt_in in = { .snapshot = x->cluster.snapshot,
                              .pipeline = &x->pipeline,
                              .settings = &x->config.settings,
                              .hook_secret = hook_secret(x),
                              .now_s = x->cli->now_s,
                              .entropy = entropy };
    struct ty_cluster_query *wants = NULL;

    for (int i = 0; i < ROUNDS; i++) {
        size_t n = ty_adopt_queries(x->cli->arena, &in, &wants);
        if (!n)
            break;
        ty_cluster_read(&x->cluster, wants, n);
    }
    ty_adopt_evaluate(x->cli->arena, &in, ret);
}

static int print_report(struct adopt *x, const struct ty_adopt *r)
{
    ty_auto_buf out = { 0 };
    const char *format = x->opts->output ? x->opts->output : "text";
    struct ty_adopt_view_opts how = { .verbose = x->opts->verbose, .colour = x->cli->colour_out };

    if (strcmp(format, "json") == 0) {
        ty_json_pretty(&out, ty_adopt_view_json(x->cli->arena, r), 2, false);
        ty_buf_chr(&out, '\n');
    } else if (strcmp(format, "yaml") == 0) {
        ty_yaml_print(&out, ty_adopt_view_json(x->cli->arena, r), NULL);
    } else {
        ty_adopt_view_print(x->cli->arena, &out, r, &how);
    }
    return ty_cli_print(x->cli, &out) == TY_EXIT_OK ? SAFE : UNREAD;
}

static bool good_namespace(const char *ns)
{
    return !ns || ty_name_is_dns1123_label(ty_str(ns));
}

static int run(struct ty_cli *cli, const void *parsed)
{
    const struct adopt_opts *opts = parsed;
    struct adopt x = { .cli = cli,
                       .opts = opts,
                       .ns = opts->operator_ns ? opts->operator_ns
                                               : ty_settings_default.operator_ns };
    struct ty_err err = { 0 };
    struct ty_adopt result;
    int code = UNREAD;

    if (opts->args.operands.n)
        return ty_cli_usage(cli, &ty_cmd_adopt, "\"%s\" is not expected here",
                            opts->args.operands.v[0]);
    if (opts->ns && opts->all)
        return ty_cli_usage(cli, &ty_cmd_adopt, "-n and -A exclude each other");
    if (!good_namespace(opts->ns) || !good_namespace(opts->operator_ns))
        return ty_cli_usage(cli, &ty_cmd_adopt, "\"%s\" cannot be a namespace: %s",
                            good_namespace(opts->ns) ? opts->operator_ns : opts->ns,
                            ty_name_dns1123_label_msg);
    if (ty_cluster_open(&x.cluster, cli, &opts->kube, &err) < 0 || read_cluster(&x, &err) < 0 ||
        read_config(&x, &err) < 0) {
        ty_cli_msg(cli, TY_MSG_ERROR, "%s", err.text);
    } else {
        compare_objects(&x, &result);
        code = print_report(&x, &result);
        if (code == SAFE && result.because.n)
            code = NOT_SAFE;
    }
    ty_cluster_close(&x.cluster);
    ty_extern_plugins_done(&x.externs);
    return code;
}

const struct ty_cmd ty_cmd_adopt = {
    .name = "adopt",
    .about = "Report what switching from Kubeflow Trainer would change",
    .more =
        "Reads a live cluster and never writes to it. Runs this operator's admission for every\n"
        "TrainJob, TrainingRuntime and ClusterTrainingRuntime, and its pipeline for every\n"
        "TrainJob, with the snapshot of its runtime if there is one. Compares the result with\n"
        "the JobSets in the cluster, field by field, for the fields that the operator owns.\n"
        "Neither v2.3.0 nor this operator writes a running JobSet.\n"
        "\n"
        "Required permissions: get and list of trainjobs, trainingruntimes,\n"
        "clustertrainingruntimes, jobsets and podgroups, and get of configmaps. With get of\n"
        "secrets it also checks that referenced Secrets exist (it requests their metadata\n"
        "only).\n"
        "\n"
        "Exit status, as that of kubectl diff: 0 safe to switch, 1 something differs or\n"
        "prevents the switch, 2 wrong usage, or the cluster cannot be read.\n",
    .examples = "  trainyard adopt\n"
                "  trainyard adopt --context staging -n team-a -v\n"
                "  trainyard adopt -o json\n",
    .opts = TY_OPTS(options, struct adopt_opts),
    .run = run,
};
