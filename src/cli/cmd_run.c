/* trainyard run: runs TrainJobs on this machine. */
#include "base/time.h"
#include "cli/cmds.h"
#include "cli/run/run.h"
#include "cli/run/run_again.h"
#include "cli/run/run_detach.h"
#include "cli/run/run_env.h"
#include "cli/run/run_findings.h"
#include "cli/run/run_input.h"
#include "cli/run/run_nodes.h"
#include "cli/run/run_notify.h"
#include "cli/run/run_shrink.h"
#include "cli/run/run_start.h"
#include "cli/run/run_stop.h"

#define LAST_OUTPUT_MS 1000

static const char *const looks[] = { "table", "plain", "json", NULL };
static const char *const restarts[] = { "as-written", "as-cluster", NULL };
static const char *const networks[] = { "host", "pod", NULL };

struct run_opts {
    struct ty_args args;
    struct ty_input_opts input;
    struct ty_run_view_opts view;
    struct ty_config_opts config;
    struct ty_strlist sets, env, env_files;
    const char *workdir, *timeout, *history, *restarts, *network, *notify;
    bool keep, detach, no_restart, shrink;
};
static const struct ty_opt options[] = {
    TY_OPTS_INPUT(struct run_opts),
    { "output", 'o', TY_OPT_WORD, "FORMAT",
      "table (default on a terminal), plain (elsewhere) or json", looks,
      TY_OPT_AT(struct run_opts, view.output) },
    { "quiet", 'q', TY_OPT_FLAG, NULL, "do not print logs and state changes", NULL,
      TY_OPT_AT(struct run_opts, view.quiet) },
    { "logs", 0, TY_OPT_WORD, "NODE", "print the lines of one node only: node-0-1", NULL,
      TY_OPT_AT(struct run_opts, view.node) },
    { "set", 0, TY_OPT_WORDS, "PATH=VALUE", "change the TrainJob: spec.trainer.numNodes=4", NULL,
      TY_OPT_AT(struct run_opts, sets) },
    { "env", 'e', TY_OPT_WORDS, "NAME[=VALUE]",
      "environment variable for every container (default: your value)", NULL,
      TY_OPT_AT(struct run_opts, env) },
    { "env-file", 0, TY_OPT_WORDS, "FILE", "variables for every container: NAME=VALUE lines", NULL,
      TY_OPT_AT(struct run_opts, env_files) },
    { "shrink", 0, TY_OPT_FLAG, NULL,
      "make the jobs fit: at most 2 nodes with 2 processes, no GPUs", NULL,
      TY_OPT_AT(struct run_opts, shrink) },
    { "workdir", 0, TY_OPT_WORD, "DIR", "working directory of the containers (default: this one)",
      NULL, TY_OPT_AT(struct run_opts, workdir) },
    { "timeout", 0, TY_OPT_WORD, "TIME", "stop the run after this time: seconds, or 1h30m", NULL,
      TY_OPT_AT(struct run_opts, timeout) },
    { "restarts", 0, TY_OPT_WORD, "HOW",
      "as-written (default: none if nothing is written), or as-cluster", restarts,
      TY_OPT_AT(struct run_opts, restarts) },
    { "no-restart", 0, TY_OPT_FLAG, NULL, "stop at the first failure, whatever is written", NULL,
      TY_OPT_AT(struct run_opts, no_restart) },
    { "network", 0, TY_OPT_WORD, "KIND",
      "host (default): pods share this machine's; pod: one for each", networks,
      TY_OPT_AT(struct run_opts, network) },
    { "history", 0, TY_OPT_WORD, "LIMIT", "finished runs to keep: 200,90d (default), 50, 30d, all",
      NULL, TY_OPT_AT(struct run_opts, history) },
    { "notify", 0, TY_OPT_WORD, "CMD", "run this at the end; $TRAINYARD_RESULT says how it ended",
      NULL, TY_OPT_AT(struct run_opts, notify) },
    { "detach", 'd', TY_OPT_FLAG, NULL, "return when the job is accepted; it runs on by itself",
      NULL, TY_OPT_AT(struct run_opts, detach) },
    { "keep", 0, TY_OPT_FLAG, NULL, "keep the pods' directories, and print their path", NULL,
      TY_OPT_AT(struct run_opts, keep) },
    TY_OPTS_CONFIG(struct run_opts),
    TY_OPT_HELP(struct run_opts),
    TY_OPT_END,
};

static bool as_cluster(const struct run_opts *opts)
{
    return opts->restarts && strcmp(opts->restarts, "as-cluster") == 0;
}

static bool own_network(const struct run_opts *opts)
{
    return opts->network && strcmp(opts->network, "pod") == 0;
}

static struct ty_run_start_opts start_of(const struct run_opts *opts)
{
    return (struct ty_run_start_opts){ .workdir = opts->workdir,
                                       .restarts = opts->no_restart   ? TY_RESTARTS_NEVER
                                                   : as_cluster(opts) ? TY_RESTARTS_AS_CLUSTER
                                                                      : TY_RESTARTS_AS_WRITTEN,
                                       .keep = opts->keep,
                                       .detach = opts->detach,
                                       .own_network = own_network(opts) };
}

static void print_findings(struct ty_run_ctx *r)
{
    const struct ty_findings *f = &r->session.findings;
    const struct ty_cli_sink *sink = &r->cli->sink;
    ty_auto_buf b = { 0 };

    if (!sink->fn)
        ty_findings_print(&b, f, r->cli->colour);
    if (b.n)
        fwrite(b.p, 1, b.n, r->cli->err);
    for (const struct ty_finding *x = sink->fn ? f->first : NULL; x; x = x->next) {
        b.n = 0;
        ty_findings_print_one(&b, x, false);
        ty_buf_chr(&b, 0);
        sink->fn(sink->ctx, x->warning ? TY_MSG_WARNING : TY_MSG_ERROR, b.p);
    }
}

/* Waits until the output is written; after a stop for LAST_OUTPUT_MS at most. */
static int end_output(struct ty_run_ctx *r, int code)
{
    int before = r->interrupts;
    bool stopped = r->timed_out || before;
    uint64_t end_ms = uv_now(&r->loop) + LAST_OUTPUT_MS;

    while (ty_run_output_pending(&r->output) && r->interrupts == before &&
           (stopped ? uv_now(&r->loop) < end_ms : !r->timed_out))
        uv_run(&r->loop, UV_RUN_ONCE);
    int failed = ty_run_output_close(&r->output);
    if (failed)
        ty_cli_msg(r->cli, TY_MSG_ERROR, "cannot write the output: %s", strerrordesc_np(failed));
    return failed && code == TY_EXIT_OK ? TY_EXIT_BAD : code;
}

static int run_jobs(struct ty_run_ctx *r, const struct run_opts *opts)
{
    struct ty_session *s = &r->session;
    const struct ty_json **objs =
        ty_new_n(r->cli->arena, const struct ty_json *, s->inputs.n * 2 + 2);
    const struct ty_run_start_opts start = start_of(opts);
    struct ty_preflight_findings findings = { .arena = r->cli->arena };
    struct ty_err err = { 0 };
    size_t jobs = 0, n = ty_run_input_gather(r, objs, &jobs);

    if (!jobs) {
        ty_cli_msg(r->cli, TY_MSG_ERROR, "no TrainJob in the input: nothing to run");
        return TY_EXIT_BAD;
    }
    r->refused = true; /* until it is submitted */
    r->view.model.several = jobs > 1;
    if (ty_run_start_prepare(r, &start, &err) < 0) {
        ty_cli_msg(r->cli, TY_MSG_ERROR, "%s", err.text);
        return TY_EXIT_BAD;
    }
    if (r->host.gpus_bad) {
        ty_cli_msg(r->cli, TY_MSG_ERROR, "TRAINYARD_GPUS: %s", r->host.gpus_bad);
        return TY_EXIT_USAGE;
    }
    ty_run_report_host(r);
    if (opts->shrink)
        ty_run_shrink(r, objs, n);
    if (ty_run_start_engine(r, &start, &err) < 0) {
        ty_cli_msg(r->cli, TY_MSG_ERROR, "%s", err.text);
        return TY_EXIT_BAD;
    }
    ty_run_again_keep(r);
    if (r->status.secret)
        objs[n++] = r->status.secret;
    ty_run_stop_watch(r);
    int ret = ty_engine_submit(r->engine, objs, n, &findings, &err);
    ty_run_findings_print(r, &findings);
    if (ret < 0) {
        ty_cli_msg(r->cli, TY_MSG_ERROR, "%s", err.text);
        return TY_EXIT_BAD;
    }
    if (opts->view.node && !ty_run_nodes_match(findings.pods, opts->view.node)) {
        ty_auto_buf names = { 0 };
        ty_run_nodes_print(&names, findings.pods);
        return ty_cli_usage(r->cli, &ty_cmd_run, "--logs %s: no node of that name; there are %.*s",
                            opts->view.node, TY_ARG(ty_buf_str(&names)));
    }
    r->refused = false;
    int refused = opts->detach ? ty_run_detach_report(r, objs, n) : TY_EXIT_OK;
    r->refused = refused && !r->history.record;
    if (refused)
        return refused;
    if (r->view.renderer != &ty_run_table) /* which asks the terminal before each frame */
        ty_run_output_open(&r->output, r->cli, &r->loop, r->engine);
    ty_run_view_open(&r->view, &r->loop);
    uv_run(&r->loop, UV_RUN_DEFAULT);
    ty_run_notify(r, opts->notify);
    ty_run_close_view(r, opts->keep);
    return end_output(r, ty_run_exit_code(r));
}

/* Checks options and operands before anything is started. */
static int read_words(struct ty_run_ctx *r, const struct run_opts *opts)
{
    int64_t seconds = 0;

    if (!opts->input.files.n && !opts->args.operands.n)
        return ty_cli_usage(r->cli, &ty_cmd_run, "nothing to run: give a file");
    if (opts->no_restart && as_cluster(opts))
        return ty_cli_usage(r->cli, &ty_cmd_run,
                            "--no-restart and --restarts as-cluster exclude each other");
    r->limit = opts->timeout;
    if (r->limit && ty_str_parse_i64(ty_str(r->limit), &seconds) && seconds > 0 &&
        seconds < INT64_MAX / 1000)
        r->limit_ms = seconds * 1000;
    else if (r->limit && !ty_time_parse_span(ty_str(r->limit), &r->limit_ms))
        return ty_cli_usage(r->cli, &ty_cmd_run,
                            "--timeout %s: write seconds, or a duration such as 90s or 1h30m",
                            r->limit);
    if (opts->detach && opts->view.output)
        return ty_cli_usage(r->cli, &ty_cmd_run,
                            "-o %s: --detach prints no output, 'trainyard attach' does",
                            opts->view.output);
    struct ty_err err = { 0 };
    if (ty_run_env_read(r->cli->arena, &opts->env_files, &opts->env, &r->env, &err) < 0)
        return ty_cli_usage(r->cli, &ty_cmd_run, "%s", err.text);
    r->history.env = r->env;
    return ty_prune_settings(r->cli, &ty_cmd_run, opts->history, &r->history.keep);
}

static int run(struct ty_cli *cli, const void *parsed)
{
    const struct run_opts *opts = parsed;
    struct ty_session_opts session = { .operands = &opts->args.operands,
                                       .input = &opts->input,
                                       .config = &opts->config };
    const struct ty_run_start_opts start = start_of(opts);
    struct ty_run_ctx r = { .cli = cli, .needs_history = opts->detach };
    struct ty_err err = { 0 };
    int code = TY_EXIT_BAD;

    cli->quiet = opts->view.quiet;
    ty_run_history_init(&r.history, cli);
    int wrong = read_words(&r, opts);
    if (wrong)
        return wrong;
    int over = opts->detach ? ty_run_detach_begin(cli, &r.detach_fd) : -1;
    if (over >= 0)
        return over;
    /* The zygote is forked first, while this process is small; it finds out what the kernel allows
     * while the input is read. */
    if (ty_run_start_fork(&r, &start, &err) < 0) {
        ty_cli_msg(cli, TY_MSG_ERROR, "%s", err.text);
        return code;
    }
    uv_loop_init(&r.loop);
    struct ty_run_view_opts view = opts->view;
    if (opts->detach)
        view.output = "plain";
    ty_run_view_init(&r.view, cli, &view);
    if (ty_session_open(&r.session, cli, &session, &err) < 0)
        ty_cli_msg(cli, TY_MSG_ERROR, "%s", err.text);
    else if (ty_run_input_set(&r.session.inputs, &opts->sets, &err) < 0)
        code = ty_cli_usage(cli, &ty_cmd_run, "%s", err.text);
    else {
        ty_run_input_generate_names(&r);
        if (!r.session.inputs.n_input_errors && !r.session.library.n_input_errors)
            ty_session_admit_all(&r.session);
        print_findings(&r);
        code = r.session.findings.n_errors ? TY_EXIT_BAD : run_jobs(&r, opts);
    }
    ty_zygote_close(r.zygote); /* no pod is left; the kernel removes its namespaces meanwhile */
    if (r.refused)
        ty_run_history_discard(&r.history);
    ty_run_history_end(&r.history, code);
    ty_run_end(&r);
    ty_session_close(&r.session);
    return code;
}

int ty_cmd_run_detached(struct ty_cli *cli, const struct ty_submit_input *in)
{
    struct run_opts opts = { .args.operands = in->operands,
                             .input = in->input,
                             .config = in->config,
                             .sets = in->sets,
                             .env = in->env,
                             .env_files = in->env_files,
                             .detach = true };

    return run(cli, &opts);
}

/* The input of an earlier run, in its working directory; further operands are files. */
static int run_again(struct ty_cli *cli, const void *parsed)
{
    struct run_opts opts = *(const struct run_opts *)parsed;
    const struct ty_strlist words = opts.args.operands;
    struct ty_run_again again;

    if (!words.n)
        return ty_cli_usage(cli, &ty_cmd_rerun, "name a run: its number, or a TrainJob");
    cli->quiet = opts.view.quiet;
    int code = ty_run_again_find(cli, words.v[0], &again);
    if (code)
        return code;
    opts.args.operands = (struct ty_strlist){ 0 };
    ty_strlist_add(cli->arena, &opts.args.operands, again.path);
    for (size_t i = 1; i < words.n; i++)
        ty_strlist_add(cli->arena, &opts.args.operands, words.v[i]);
    if (!opts.workdir && again.workdir[0])
        opts.workdir = again.workdir;
    return run(cli, &opts);
}

const struct ty_cmd ty_cmd_rerun = {
    .name = "rerun",
    .names = TY_NAMES_JOBS,
    .about = "Run the TrainJobs of an earlier run once more",
    .operand = "RUN [FILE…]",
    .more =
        "RUN is the number of a run, as 'trainyard get -o wide' shows it, or the name of a\n"
        "TrainJob, which means its newest run. The objects of that run, with its --set, run in\n"
        "the same working directory; options are those of 'run'. Secrets, ConfigMaps and values\n"
        "of --env are not kept: name their files, and give the values again.\n",
    .examples = "  trainyard rerun torch-ddp --set spec.trainer.numNodes=4\n"
                "  trainyard rerun 12 secret.yaml -e HF_TOKEN=...\n",
    .opts = TY_OPTS(options, struct run_opts),
    .run = run_again,
};

const struct ty_cmd ty_cmd_run = {
    .name = "run",
    .about = "Run TrainJobs on this machine, multi-node included",
    .operand = "FILE…",
    .more =
        "Runs the JobSets of TrainJobs as processes on this machine. Every pod has its own\n"
        "address, host name, files and logs; restarts, dependencies, success and failure\n"
        "policies work as in a cluster. Container images are not used: commands run with the\n"
        "software of this host. All processes end when this command ends, even if it is killed.\n"
        "\n"
        "On a terminal a table shows each node with its progress and last line; elsewhere lines\n"
        "are printed with their node in front. The summary at the end names the process that\n"
        "made the job fail, with the end of its log.\n"
        "\n"
        "Where neither the TrainJob nor its runtime says anything about restarts (restartPolicy,\n"
        "backoffLimit, podFailurePolicy, failurePolicy), the first failure ends the job;\n"
        "Kubernetes would restart it six times (--restarts as-cluster).\n"
        "\n"
        "Exit status: 0 all complete, 1 a job failed or the input is invalid, 124 --timeout,\n"
        "130 interrupted.\n",
    .examples = "  trainyard run examples/torch-ddp.yaml\n"
                "  trainyard run job.yaml --set spec.trainer.numNodes=4 --logs node-0-0\n",
    .opts = TY_OPTS(options, struct run_opts),
    .run = run,
};
