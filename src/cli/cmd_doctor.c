/* trainyard doctor: checks this machine and its cluster, and prints a fix for each problem. */
#include <errno.h>

#include "advise/doctor.h"
#include "advise/machine.h"
#include "api/name.h"
#include "cli/cmds.h"
#include "cli/history/state_dir.h"
#include "cli/install/cluster.h"
#include "cli/view/doctor_view.h"
#include "store/history/history_db.h"
#include "json/yaml.h"

static const char *const formats[] = { "text", "json", "yaml", NULL };
struct doctor_opts {
    struct ty_args args;
    struct ty_kube_opts kube;
    const char *ns, *output;
    bool machine, cluster;
};
static const struct ty_opt options[] = {
    { "machine", 0, TY_OPT_FLAG, NULL, "check this machine only", NULL,
      TY_OPT_AT(struct doctor_opts, machine) },
    { "cluster", 0, TY_OPT_FLAG, NULL, "check the cluster only; fail without a kubeconfig", NULL,
      TY_OPT_AT(struct doctor_opts, cluster) },
    TY_OPTS_KUBE(struct doctor_opts),
    { "namespace", 'n', TY_OPT_WORD, "NAME", "where the operator runs (kubeflow-system)", NULL,
      TY_OPT_AT(struct doctor_opts, ns) },
    { "output", 'o', TY_OPT_WORD, "FORMAT", "text (default), json or yaml", formats,
      TY_OPT_AT(struct doctor_opts, output) },
    TY_OPT_HELP(struct doctor_opts),
    TY_OPT_END,
};

/* Why the history cannot be read; NULL: it can, or there is none yet. */
static const char *check_history(struct ty_cli *cli)
{
    struct ty_history_db *d = NULL;
    struct ty_err err = { 0 };
    const char *path = ty_state_dir_history(cli->arena, &err);
    int r = path ? ty_history_db_open(path, TY_HISTORY_DB_READ, &d, &err) : 0;

    if (d)
        r = ty_history_db_check(d, &err);
    ty_history_db_close(d);
    return r == -EIO || r == -EPROTO ? ty_arena_strdup(cli->arena, err.text) : NULL;
}

static void check_machine(struct ty_cli *cli, struct ty_check_results *c)
{
    struct ty_machine m;
    struct ty_err err = { 0 };
    const char *state = ty_state_dir_root(cli->arena, &err);

    c->area = "machine";
    ty_machine_find(cli->arena, state ? state : "/", &m);
    if (!state || ty_state_dir_check(cli->arena, &err) == -EPERM)
        m.state_bad = err.text;
    m.history_bad = check_history(cli);
    ty_machine_check(&m, c);
}

static void read_and_check(struct ty_cluster *cluster, struct ty_doctor_in *in,
                           struct ty_check_results *c)
{
    struct ty_cluster_query *wants = NULL;

    for (int step = 0; step < 2; step++) {
        size_t n = ty_doctor_queries(c->arena, in, step, &wants);
        ty_cluster_read(cluster, wants, n);
    }
    ty_doctor_check(in, c);
}

static void check_cluster(struct ty_cli *cli, const struct doctor_opts *opts,
                          struct ty_check_results *c)
{
    bool asked = opts->cluster || opts->kube.kubeconfig || opts->kube.context;
    struct ty_cluster cluster;
    struct ty_err err = { 0 };
    int r = ty_cluster_open(&cluster, cli, &opts->kube, &err);

    c->area = "cluster";
    if (r < 0) {
        struct ty_check_result *one = ty_check_add(
            c, asked || r != -ENOENT ? TY_CHECK_LEVEL_FAIL : TY_CHECK_LEVEL_OK, "kubeconfig",
            "%s%s", err.text, asked || r != -ENOENT ? "" : ": no cluster looked at");
        ty_check_set_fix(c, one, "name a file with --kubeconfig or KUBECONFIG");
    } else {
        struct ty_doctor_in in = { .snapshot = cluster.snapshot,
                                   .ns = opts->ns ? opts->ns : "kubeflow-system",
                                   .server = cluster.config.server,
                                   .now_s = cli->now_s };
        read_and_check(&cluster, &in, c);
    }
    ty_cluster_close(&cluster);
}

static int print_report(struct ty_cli *cli, const struct doctor_opts *opts,
                        const struct ty_check_results *c)
{
    ty_auto_buf out = { 0 };
    const char *format = opts->output ? opts->output : "text";

    if (strcmp(format, "json") == 0) {
        ty_json_pretty(&out, ty_doctor_view_json(cli->arena, c), 2, false);
        ty_buf_chr(&out, '\n');
    } else if (strcmp(format, "yaml") == 0) {
        ty_yaml_print(&out, ty_doctor_view_json(cli->arena, c), NULL);
    } else {
        ty_doctor_view_print(cli->arena, &out, c, cli->colour_out);
    }
    return ty_cli_print(cli, &out);
}

static int run(struct ty_cli *cli, const void *parsed)
{
    const struct doctor_opts *opts = parsed;
    struct ty_check_results c = { .arena = cli->arena };

    if (opts->args.operands.n)
        return ty_cli_usage(cli, &ty_cmd_doctor, "\"%s\" is not expected here",
                            opts->args.operands.v[0]);
    if (opts->machine && opts->cluster)
        return ty_cli_usage(cli, &ty_cmd_doctor, "--machine and --cluster exclude each other");
    if (opts->ns && !ty_name_is_dns1123_label(ty_str(opts->ns)))
        return ty_cli_usage(cli, &ty_cmd_doctor, "--namespace: \"%s\": %s", opts->ns,
                            ty_name_dns1123_label_msg);
    if (!opts->cluster)
        check_machine(cli, &c);
    if (!opts->machine)
        check_cluster(cli, opts, &c);
    int code = print_report(cli, opts, &c);
    return c.n[TY_CHECK_LEVEL_FAIL] ? TY_EXIT_BAD : code;
}

const struct ty_cmd ty_cmd_doctor = {
    .name = "doctor",
    .about = "Check this machine and its cluster, and print fixes",
    .more =
        "Checks the machine for everything that \"trainyard run\" needs and, if a kubeconfig is\n"
        "found, the cluster: the API server, the CRDs of JobSet and of this program, the\n"
        "webhooks with their endpoints and certificates, the operator and its lease, other\n"
        "operators, and runtimes that need something that is not installed. Read-only.\n"
        "\n"
        "Prints one line per check: ok, warn (something does not work, or not as well) or fail\n"
        "(nothing works), then the finding and the fix.\n"
        "\n"
        "Exit status: 0 nothing failed, 1 a check failed, 2 wrong usage.\n",
    .examples = "  trainyard doctor\n"
                "  trainyard doctor --cluster --context staging\n"
                "  trainyard doctor -o json\n",
    .opts = TY_OPTS(options, struct doctor_opts),
    .run = run,
};
