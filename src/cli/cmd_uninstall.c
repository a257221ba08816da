/* trainyard uninstall: prints what to delete to remove the operator, for kubectl delete. Reads the
 * cluster if there is one, and never writes to it. */
#include <ctype.h>
#include <unistd.h>

#include "api/name.h"
#include "cli/cmds.h"
#include "cli/install/cluster.h"
#include "cli/install/install.h"
#include "cli/install/uninstall.h"
#include "cli/view/printer.h"

#define DELETE_WITH(at) "kubectl" at " delete --ignore-not-found -f -"
#define DELETE          DELETE_WITH("")

static const char *const formats[] = { "yaml", "json", "name", NULL };
struct uninstall_opts {
    struct ty_args args;
    struct ty_kube_opts kube;
    const char *ns, *output;
    bool with_crds, with_runtimes, monitor, failure_summary, yes;
};
static const struct ty_opt options[] = {
    { "namespace", 'n', TY_OPT_WORD, "NAME",
      "where the operator runs (where it is found, else kubeflow-system)", NULL,
      TY_OPT_AT(struct uninstall_opts, ns) },
    { "crds", 0, TY_OPT_FLAG, NULL, "also the CRDs; this deletes every TrainJob", NULL,
      TY_OPT_AT(struct uninstall_opts, with_crds) },
    { "runtimes", 0, TY_OPT_FLAG, NULL, "also the runtimes of the catalog", NULL,
      TY_OPT_AT(struct uninstall_opts, with_runtimes) },
    { "service-monitor", 0, TY_OPT_FLAG, NULL, "also the ServiceMonitor", NULL,
      TY_OPT_AT(struct uninstall_opts, monitor) },
    { "failure-summary", 0, TY_OPT_FLAG, NULL, "also the rights of failure summaries", NULL,
      TY_OPT_AT(struct uninstall_opts, failure_summary) },
    { "yes", 'y', TY_OPT_FLAG, NULL, "do not ask for confirmation of --crds", NULL,
      TY_OPT_AT(struct uninstall_opts, yes) },
    TY_OPTS_KUBE(struct uninstall_opts),
    { "output", 'o', TY_OPT_WORD, "FORMAT", "yaml (default), json (one List) or name", formats,
      TY_OPT_AT(struct uninstall_opts, output) },
    TY_OPT_HELP(struct uninstall_opts),
    TY_OPT_END,
};

struct removal {
    struct ty_cli *cli;
    const struct uninstall_opts *opts;
    struct ty_uninstall what;
    struct ty_uninstall_facts facts;
};

/* True if a shell takes the word literally. */
static bool is_plain(const char *word)
{
    return *word && word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "0123456789@%_+=:,./-")] == '\0';
}

/* " OPTION WORD" for a shell; "" without a word. */
static const char *shell_option(struct ty_arena *a, const char *name, const char *word)
{
    ty_auto_buf quoted = { 0 };

    if (!word)
        return "";
    if (is_plain(word))
        return ty_arena_printf(a, " %s %s", name, word);
    for (const char *c = word; *c; c++)
        if (*c == '\'')
            ty_buf_cstr(&quoted, "'\\''");
        else
            ty_buf_chr(&quoted, *c);
    return ty_arena_printf(a, " %s '%.*s'", name, TY_ARG(ty_buf_str(&quoted)));
}

/* The options that make kubectl or helm use the named cluster instead of their current context. */
static const char *cluster_of(struct removal *x, const char *context)
{
    struct ty_arena *a = x->cli->arena;

    return ty_arena_printf(a, "%s%s", shell_option(a, "--kubeconfig", x->opts->kube.kubeconfig),
                           shell_option(a, context, x->opts->kube.context));
}

/* Returns an exit code. A cluster that was named explicitly must be readable. */
static int read_cluster(struct removal *x)
{
    struct ty_cluster cluster;
    struct ty_err err = { 0 };
    struct ty_cluster_query *wants = NULL;
    int code = TY_EXIT_OK;

    if (ty_cluster_open(&cluster, x->cli, &x->opts->kube, &err) == 0) {
        size_t n = ty_uninstall_wants(x->cli->arena, &wants);
        ty_cluster_read(&cluster, wants, n);
        ty_uninstall_inspect(x->cli->arena, cluster.snapshot, &x->what, &x->facts);
    } else if (x->opts->kube.kubeconfig || x->opts->kube.context) {
        ty_cli_msg(x->cli, TY_MSG_ERROR, "%s", err.text);
        code = TY_EXIT_USAGE;
    } else {
        x->facts.unread = ty_arena_strdup(x->cli->arena, err.text);
    }
    ty_cluster_close(&cluster);
    return code;
}

static const char *plural_s(size_t n)
{
    return n == 1 ? "" : "s";
}

static const char *jobs_of(struct removal *x)
{
    const struct ty_uninstall_facts *f = &x->facts;

    if (f->unread)
        return "all TrainJobs";
    return ty_arena_printf(x->cli->arena, "%zu TrainJob%s in %zu namespace%s", f->jobs,
                           plural_s(f->jobs), f->job_spaces, plural_s(f->job_spaces));
}

/* Standard input is the terminal even where standard output is a pipe to kubectl. */
static bool is_confirmed(struct removal *x)
{
    char answer[8] = { 0 };
    size_t n = 0;

    fprintf(x->cli->err,
            "%s are deleted with the CRDs, and what runs of them; type 'yes': ", jobs_of(x));
    fflush(x->cli->err);
    for (char c; read(x->cli->in, &c, 1) == 1 && c != '\n';)
        if (n < sizeof(answer) - 1)
            answer[n++] = c;
    return strcmp(answer, "yes") == 0;
}

/* The operator removes its finalizer from unused runtimes. After the removal of the operator the
 * finalizer would stay. */
static int refuse_held(struct removal *x)
{
    size_t n = x->facts.held.n;

    ty_cli_msg(x->cli, TY_MSG_ERROR,
               "%zu runtime%s the operator's finalizer, and a deletion would wait for ever. %s:", n,
               n == 1 ? " has" : "s have",
               x->facts.hook_ns
                   ? ty_arena_printf(x->cli->arena,
                                     "Remove the operator first (trainyard uninstall%s "
                                     "| " DELETE_WITH("%s") "), then run",
                                     x->what.at, x->what.at)
                   : "Run");
    for (size_t i = 0; i < n; i++)
        fprintf(x->cli->err, "  %s\n", x->facts.held.v[i]);
    fprintf(x->cli->err, "and then the same command again.\n");
    return TY_EXIT_BAD;
}

/* The namespace to print for; NULL: it is ambiguous, and the error was printed. */
static const char *choose_space(struct removal *x)
{
    const struct ty_uninstall_facts *f = &x->facts;
    ty_auto_buf names = { 0 };

    if (x->opts->ns && f->hook_ns && strcmp(x->opts->ns, f->hook_ns) != 0) {
        ty_cli_msg(x->cli, TY_MSG_ERROR,
                   "the webhooks call an operator in namespace %s, not %s: use -n %s", f->hook_ns,
                   x->opts->ns, f->hook_ns);
        return NULL;
    }
    if (x->opts->ns || f->hook_ns)
        return x->opts->ns ? x->opts->ns : f->hook_ns;
    if (f->spaces.n < 2)
        return f->spaces.n ? f->spaces.v[0] : "kubeflow-system";
    for (size_t i = 0; i < f->spaces.n; i++)
        ty_buf_printf(&names, "%s%s", i ? ", " : "", f->spaces.v[i]);
    ty_cli_msg(x->cli, TY_MSG_ERROR, "operators are in namespaces %.*s: name one with -n",
               TY_ARG(ty_buf_str(&names)));
    return NULL;
}

/* Checks whether anything forbids printing. Returns an exit code. */
static int check_removal(struct removal *x)
{
    const struct ty_uninstall_facts *f = &x->facts;

    if (f->upstream) {
        ty_cli_msg(x->cli, TY_MSG_ERROR,
                   "Deployment %s runs Kubeflow Trainer's own manager, whose objects have the "
                   "names of ours: nothing is printed. Remove it with the files that installed it",
                   f->upstream);
        return TY_EXIT_BAD;
    }
    if (f->unread && x->what.crds) {
        ty_cli_msg(x->cli, TY_MSG_ERROR,
                   "the cluster cannot be checked: %s. --crds deletes all TrainJobs, so nothing is "
                   "printed: name the cluster with --context or --kubeconfig, as a user who may "
                   "list TrainJobs and runtimes",
                   f->unread);
        return TY_EXIT_BAD;
    }
    if (f->unread)
        ty_cli_msg(x->cli, TY_MSG_WARNING, "the cluster is not checked: %s", f->unread);
    if (f->release && f->rel_ns)
        ty_cli_msg(x->cli, TY_MSG_WARNING,
                   "Helm installed this operator: run \"helm uninstall %s -n %s%s\" instead",
                   f->release, f->rel_ns, cluster_of(x, "--kube-context"));
    if (f->held.n)
        return refuse_held(x);
    if (x->what.crds && !x->opts->yes && !is_confirmed(x)) {
        ty_cli_msg(x->cli, TY_MSG_ERROR, "not confirmed: nothing is printed");
        return TY_EXIT_BAD;
    }
    return TY_EXIT_OK;
}

static int print_objects(struct removal *x, size_t *ret_n)
{
    struct ty_printer p = { .cli = x->cli };

    ty_printer_begin(&p, x->opts->output);
    ty_each_item (it, ty_uninstall_list(x->cli->arena, &x->what)) {
        struct ty_kind kind = ty_install_kind(x->cli->arena, *it);
        ty_printer_add(&p, x->cli->arena, &kind, *it, NULL);
    }
    ty_printer_end(&p);
    *ret_n = p.n;
    return p.code;
}

static void print_summary(struct removal *x, size_t n)
{
    FILE *err = x->cli->err;
    const char *ns = x->what.ns, *at = x->what.at;

    fprintf(err,
            "Goes (%zu objects): the operator in namespace %s, its webhooks, rights, Lease and "
            "Secret%s%s%s\n",
            n, ns, x->what.runtimes && !x->what.crds ? ", the catalog's runtimes" : "",
            x->what.crds ? ", the CRDs with all runtimes and " : "",
            x->what.crds ? jobs_of(x) : "");
    if (*at)
        fprintf(err, "  of the cluster of " DELETE_WITH("%s") "\n", at);
    fprintf(err,
            "Stays:\n  namespace %s and what else is in it\n"
            "      kubectl%s delete namespace %s\n",
            ns, at, ns);
    if (x->what.crds)
        return;
    fprintf(err,
            "  the CRDs with %s, their JobSets and the roles for people\n"
            "      trainyard uninstall%s -n %s --crds | " DELETE_WITH("%s") "\n",
            jobs_of(x), at, ns, at);
    if (!x->what.runtimes)
        fprintf(err,
                "  the runtimes\n"
                "      trainyard uninstall%s -n %s --runtimes | " DELETE_WITH("%s") "\n",
                at, ns, at);
}

static int run(struct ty_cli *cli, const void *parsed)
{
    const struct uninstall_opts *opts = parsed;
    struct removal x = { .cli = cli,
                         .opts = opts,
                         .what = { .crds = opts->with_crds,
                                   .runtimes = opts->with_runtimes,
                                   .monitor = opts->monitor,
                                   .failure_summary = opts->failure_summary } };
    size_t n = 0;

    if (opts->args.operands.n)
        return ty_cli_usage(cli, &ty_cmd_uninstall, "\"%s\" is not expected here",
                            opts->args.operands.v[0]);
    if (opts->ns && !ty_name_is_dns1123_label(ty_str(opts->ns)))
        return ty_cli_usage(cli, &ty_cmd_uninstall, "--namespace: \"%s\": %s", opts->ns,
                            ty_name_dns1123_label_msg);
    if (opts->with_crds && !opts->yes && !(cli->in >= 0 && isatty(cli->in)))
        return ty_cli_usage(
            cli, &ty_cmd_uninstall,
            "--crds deletes all TrainJobs: without a terminal to ask on, say --yes");
    x.what.at = cluster_of(&x, "--context");
    int code = read_cluster(&x);
    if (code == TY_EXIT_OK && !(x.what.ns = choose_space(&x)))
        code = TY_EXIT_BAD;
    if (code == TY_EXIT_OK)
        code = check_removal(&x);
    if (code == TY_EXIT_OK)
        code = print_objects(&x, &n);
    if (code == TY_EXIT_OK)
        print_summary(&x, n);
    return code;
}

const struct ty_cmd ty_cmd_uninstall = {
    .name = "uninstall",
    .about = "Print what to delete to remove the operator",
    .more =
        "Prints the objects of \"trainyard install\" and the operator's Lease for kubectl to\n"
        "delete, webhooks first, so that no request is blocked. TrainJobs and their pods stay;\n"
        "so do the runtimes and the CRDs unless you ask for them. The namespace always stays,\n"
        "because it may contain other objects. Standard error lists what is deleted and what\n"
        "stays.\n"
        "\n"
        "If a kubeconfig is found, the cluster is read (and never written): the namespace of\n"
        "the operator, the number of TrainJobs, finalizers that would block the deletion, and\n"
        "whether Kubeflow Trainer's own manager runs under these names (then nothing is\n"
        "printed). --crds prints nothing if the cluster cannot be read. Give kubectl the same\n"
        "--context and --kubeconfig: the output does not name the cluster.\n"
        "\n"
        "Exit status: 0 printed, 1 refused or not confirmed, 2 wrong usage, or a kubeconfig or\n"
        "context that was named cannot be used.\n",
    .examples = "  trainyard uninstall | " DELETE "\n"
                "  trainyard uninstall -n kubeflow --runtimes | " DELETE "\n"
                "  trainyard uninstall --crds --yes | " DELETE "\n"
                "  trainyard uninstall --context c | " DELETE_WITH(" --context c") "\n",
    .opts = TY_OPTS(options, struct uninstall_opts),
    .run = run,
};
