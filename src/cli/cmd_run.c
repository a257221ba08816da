/* trainyard run: runs TrainJobs on this machine. */
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/time.h"
#include "cli/cmds.h"
#include "cli/history/state_dir.h"
#include "cli/run/run.h"
#include "cli/run/run_gc.h"
#include "cli/run/run_input.h"

#define SETTLED_MS     250 /* first malloc_trim; shorter runs need none */
#define SETTLED_MAX_MS 60000

static const char *const looks[] = { "table", "plain", "json", NULL };

struct run_opts {
    struct ty_args args;
    struct ty_input_opts input;
    struct ty_run_view_opts view;
    struct ty_config_opts config;
    struct ty_strlist sets, env;
    const char *workdir, *timeout, *history;
    bool keep;
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
    { "env", 'e', TY_OPT_WORDS, "NAME=VALUE",
      "environment variable for every container; repeatable", NULL,
      TY_OPT_AT(struct run_opts, env) },
    { "workdir", 0, TY_OPT_WORD, "DIR", "working directory of the containers (default: this one)",
      NULL, TY_OPT_AT(struct run_opts, workdir) },
    { "timeout", 0, TY_OPT_WORD, "TIME", "stop the run after this time: seconds, or 1h30m", NULL,
      TY_OPT_AT(struct run_opts, timeout) },
    { "history", 0, TY_OPT_WORD, "LIMIT", "finished runs to keep: 200,90d (default), 50, 30d, all",
      NULL, TY_OPT_AT(struct run_opts, history) },
    { "keep", 0, TY_OPT_FLAG, NULL, "keep the pods' directories, and print their path", NULL,
      TY_OPT_AT(struct run_opts, keep) },
    TY_OPTS_CONFIG(struct run_opts),
    TY_OPT_HELP(struct run_opts),
    TY_OPT_END,
};

static void on_signal(uv_signal_t *h, int sig)
{
    struct ty_run_ctx *r = h->data;

    r->interrupts++;
    ty_run_view_note(&r->view, TY_MSG_NOTE, "%s: %s", sig == SIGINT ? "interrupted" : "terminated",
                     r->interrupts == 1 ? "stopping; once more to stop at once"
                                        : "stopping at once");
    ty_engine_stop(r->engine, r->interrupts > 1,
                   sig == SIGINT ? "interrupted (SIGINT)" : "terminated (SIGTERM)");
}

static void on_timeout(uv_timer_t *h)
{
    struct ty_run_ctx *r = h->data;

    r->timed_out = true;
    ty_run_view_note(&r->view, TY_MSG_ERROR, "the time is over (--timeout %s): stopping", r->limit);
    ty_engine_stop(r->engine, false,
                   ty_arena_printf(r->cli->arena, "out of time (--timeout %s)", r->limit));
}

/* Returns free heap to the kernel at doubling intervals: with thousands of pods, starting takes
 * seconds. */
static void on_startup_done(uv_timer_t *h)
{
    uint64_t next = uv_timer_get_repeat(h) * 2;

    malloc_trim(0);
    uv_timer_set_repeat(h, next < SETTLED_MAX_MS ? next : SETTLED_MAX_MS);
}

static void on_turn(uv_check_t *h)
{
    struct ty_run_ctx *r = h->data;

    if (ty_engine_done(r->engine))
        uv_stop(&r->loop);
}

/* An unused image is expected locally: it is a note, not a warning. */
static bool is_image(const struct ty_preflight_finding *it)
{
    size_t n = strlen(it->path);
    return !it->error && n > 6 && strcmp(it->path + n - 6, ".image") == 0;
}

static void report_findings(struct ty_run_ctx *r, const struct ty_preflight_findings *f)
{
    for (const struct ty_preflight_finding *it = f->first; it; it = it->next)
        if (is_image(it))
            ty_cli_msg(r->cli, TY_MSG_NOTE, "%s", it->text);
        else
            ty_cli_msg(r->cli, it->error ? TY_MSG_ERROR : TY_MSG_WARNING,
                       "unsupported locally: %s: %s", it->path, it->text);
}

static int start_engine(struct ty_run_ctx *r, const struct run_opts *opts, const char *name,
                        struct ty_err *err)
{
    struct ty_engine_opts engine = { .loop = &r->loop,
                                     .zygote = r->zygote,
                                     .pipeline = &r->session.pipeline,
                                     .settings = &r->session.settings };
    int ret = ty_run_folders(r, name, err);

    if (ret < 0)
        return ret;
    engine.dir = r->dir;
    engine.claims_dir = r->claims;
    r->program = realpath("/proc/self/exe", NULL);
    r->workdir = opts->workdir ? realpath(opts->workdir, NULL) : getcwd(NULL, 0);
    if (!r->workdir || !r->program)
        return ty_fail(err, -errno, "--workdir %s: %s", opts->workdir ? opts->workdir : ".",
                       strerrordesc_np(errno));
    engine.program = r->program;
    engine.workdir = r->workdir;
    engine.env = r->env;
    engine.keep = opts->keep;
    if (opts->keep)
        ty_run_gc_exclude(r->cli->arena, r->dir);
    engine.observers[0] = &r->view.observer;
    engine.observers[1] = &r->history.observer;
    ty_host_find(r->cli->arena, r->zygote, &engine.host);
    ty_run_status_begin(&r->status, &r->session, &r->loop, r->root, &engine);
    ret = ty_engine_new(&engine, &r->engine, err);
    r->status.engine = r->engine;
    if (ret == 0 && r->past)
        ty_run_history_begin(&r->history, &r->loop, r->engine, r->dir, r->past);
    return ret;
}

static void print_findings(struct ty_run_ctx *r)
{
    ty_auto_buf b = { 0 };

    ty_findings_print(&b, &r->session.findings, r->cli->colour);
    if (b.n)
        fwrite(b.p, 1, b.n, r->cli->err);
}

static void watch_signals(struct ty_run_ctx *r)
{
    uv_signal_init(&r->loop, &r->sigint);
    uv_signal_init(&r->loop, &r->sigterm);
    uv_check_init(&r->loop, &r->check);
    uv_timer_init(&r->loop, &r->timeout);
    uv_timer_init(&r->loop, &r->settled);
    uv_timer_start(&r->settled, on_startup_done, SETTLED_MS, SETTLED_MS);
    r->sigint.data = r->sigterm.data = r->check.data = r->timeout.data = r;
    uv_signal_start(&r->sigint, on_signal, SIGINT);
    uv_signal_start(&r->sigterm, on_signal, SIGTERM);
    uv_check_start(&r->check, on_turn);
    if (r->limit_ms)
        uv_timer_start(&r->timeout, on_timeout, (uint64_t)r->limit_ms, 0);
}

static int run_jobs(struct ty_run_ctx *r, const struct run_opts *opts)
{
    struct ty_session *s = &r->session;
    const struct ty_json **objs =
        ty_new_n(r->cli->arena, const struct ty_json *, s->inputs.n * 2 + 2);
    struct ty_preflight_findings findings = { .arena = r->cli->arena };
    struct ty_err err = { 0 };
    size_t jobs = 0, n = ty_run_input_gather(r, objs, &jobs);

    if (!jobs) {
        ty_cli_msg(r->cli, TY_MSG_ERROR, "no TrainJob in the input: nothing to run");
        return TY_EXIT_BAD;
    }
    if (start_engine(r, opts, "run", &err) < 0) {
        ty_cli_msg(r->cli, TY_MSG_ERROR, "%s", err.text);
        return TY_EXIT_BAD;
    }
    if (r->status.secret)
        objs[n++] = r->status.secret;
    watch_signals(r);
    int ret = ty_engine_submit(r->engine, objs, n, &findings, &err);
    report_findings(r, &findings);
    if (ret < 0) {
        ty_cli_msg(r->cli, TY_MSG_ERROR, "%s", err.text);
        return TY_EXIT_BAD;
    }
    ty_run_view_open(&r->view, &r->loop);
    uv_run(&r->loop, UV_RUN_DEFAULT);
    ty_run_close_view(r, opts->keep);
    return ty_run_exit_code(r);
}

/* Checks options and operands before anything is started. */
static int read_words(struct ty_run_ctx *r, const struct run_opts *opts)
{
    int64_t seconds = 0;

    if (!opts->input.files.n && !opts->args.operands.n)
        return ty_cli_usage(r->cli, &ty_cmd_run, "nothing to run: give a file");
    r->limit = opts->timeout;
    if (r->limit && ty_str_parse_i64(ty_str(r->limit), &seconds) && seconds > 0 &&
        seconds < INT64_MAX / 1000)
        r->limit_ms = seconds * 1000;
    else if (r->limit && !ty_time_parse_span(ty_str(r->limit), &r->limit_ms))
        return ty_cli_usage(r->cli, &ty_cmd_run,
                            "--timeout %s: write seconds, or a duration such as 90s or 1h30m",
                            r->limit);
    return ty_prune_settings(r->cli, &ty_cmd_run, opts->history, &r->history.keep);
}

static int run(struct ty_cli *cli, const void *parsed)
{
    const struct run_opts *opts = parsed;
    struct ty_session_opts session = { .operands = &opts->args.operands,
                                       .input = &opts->input,
                                       .config = &opts->config };
    struct ty_run_ctx r = { .cli = cli };
    struct ty_err err = { 0 };
    int code = TY_EXIT_BAD;

    ty_run_history_init(&r.history, cli);
    int wrong = read_words(&r, opts);
    if (wrong)
        return wrong;
    /* The zygote is forked first, while this process is small. */
    if (ty_zygote_start(&r.zygote, &err) < 0) {
        ty_cli_msg(cli, TY_MSG_ERROR, "%s", err.text);
        return code;
    }
    r.env = ty_new_n(cli->arena, const char *, opts->env.n + 1);
    if (opts->env.n)
        memcpy(r.env, opts->env.v, opts->env.n * sizeof(*r.env));
    r.history.env = r.env;
    uv_loop_init(&r.loop);
    ty_run_view_init(&r.view, cli, &opts->view);
    if (ty_session_open(&r.session, cli, &session, &err) < 0 ||
        ty_run_input_set(&r, &opts->sets, &err) < 0)
        ty_cli_msg(cli, TY_MSG_ERROR, "%s", err.text);
    else {
        if (!r.session.inputs.n_input_errors && !r.session.library.n_input_errors)
            ty_session_admit_all(&r.session);
        print_findings(&r);
        code = r.session.findings.n_errors ? TY_EXIT_BAD : run_jobs(&r, opts);
    }
    ty_run_history_end(&r.history, code);
    ty_run_end(&r);
    ty_session_close(&r.session);
    return code;
}

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
        "are printed with their node in front. The summary at the end names the first failure,\n"
        "with the end of its log.\n"
        "\n"
        "Exit status: 0 all complete, 1 a job failed or the input is invalid, 124 --timeout,\n"
        "130 interrupted.\n",
    .examples = "  trainyard run examples/torch-ddp.yaml\n"
                "  trainyard run job.yaml --set spec.trainer.numNodes=4 --logs node-0-0\n",
    .opts = TY_OPTS(options, struct run_opts),
    .run = run,
};
