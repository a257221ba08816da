/* trainyard attach: shows a running TrainJob of another process as `run` would. */
#include <signal.h>
#include <stdio_ext.h>

#include "cli/cmds.h"
#include "cli/jobs/run_stopped.h"
#include "cli/run/run_follow.h"
#include "cli/run/run_nodes.h"
#include "cli/run/run_view.h"

#define EVERY_MS   100
#define STOPPED_MS 1000 /* a run that is stopped so long is not waited for */

static const char *const looks[] = { "table", "plain", "json", NULL };

struct attach_opts {
    struct ty_args args;
    struct ty_job_history_opts history;
    struct ty_run_view_opts view;
    const char *tail;
};
static const struct ty_opt options[] = {
    { "output", 'o', TY_OPT_WORD, "FORMAT",
      "table (default on a terminal), plain (elsewhere) or json", looks,
      TY_OPT_AT(struct attach_opts, view.output) },
    { "quiet", 'q', TY_OPT_FLAG, NULL, "do not print logs and state changes", NULL,
      TY_OPT_AT(struct attach_opts, view.quiet) },
    { "logs", 0, TY_OPT_WORD, "NODE", "print the lines of one node only: node-0-1", NULL,
      TY_OPT_AT(struct attach_opts, view.node) },
    { "tail", 0, TY_OPT_WORD, "N", "earlier lines of each node to print (default 10; -1: all)",
      NULL, TY_OPT_AT(struct attach_opts, tail) },
    TY_OPTS_JOB_HISTORY(struct attach_opts),
    TY_OPT_HELP(struct attach_opts),
    TY_OPT_END,
};

struct attach {
    struct ty_cli *cli;
    uv_loop_t loop;
    uv_timer_t timer;
    uv_signal_t sigint, sigterm;
    struct ty_job_history_entry job;
    struct ty_run_follow follow;
    struct ty_run_view view;
    bool detached;
    bool unwritable;   /* the output is; the job may still run */
    bool stopped;      /* the process of the run is */
    int polls_stopped; /* since when */
};

static void on_timer(uv_timer_t *t)
{
    struct attach *w = t->data;

    w->polls_stopped = ty_run_stopped_is(w->job.run.pid) ? w->polls_stopped + 1 : 0;
    w->stopped = w->job.alive == TY_HISTORY_RUN_LIVE && w->polls_stopped * EVERY_MS >= STOPPED_MS;
    bool over = ty_run_follow_poll(&w->follow);
    w->unwritable = !over && (fflush(w->cli->out) != 0 || ferror(w->cli->out));
    if (over || w->unwritable || w->stopped)
        uv_stop(&w->loop);
}

static void on_signal(uv_signal_t *h, int sig TY_UNUSED)
{
    struct attach *w = h->data;

    w->detached = true;
    uv_stop(&w->loop);
}

static int exit_code(const struct attach *w)
{
    const struct ty_run_follow *f = &w->follow;

    if (w->detached)
        return 130;
    if (w->stopped || w->unwritable)
        return TY_EXIT_BAD;
    if (f->result && strcmp(f->result, "Complete") == 0)
        return TY_EXIT_OK;
    if (f->result && strcmp(f->result, "Interrupted") == 0)
        return strcmp(f->how, "TimedOut") == 0 ? 124 : 130;
    return TY_EXIT_BAD;
}

/* Says nothing about the state of the job, which is not known to have ended. */
static void report_unwritable(struct attach *w)
{
    __fpurge(w->cli->out); /* reported here, once */
    clearerr(w->cli->out);
    ty_cli_msg(w->cli, TY_MSG_ERROR,
               "the output cannot be written: detached from trainjob \"%s\", which continues",
               w->job.name);
}

static void close_view(struct attach *w)
{
    const struct ty_run_follow *f = &w->follow;
    struct ty_run_outcome o = { .dir = w->job.run.dir, .now_ms = ty_cli_wall_ms() };

    if (w->job.alive != TY_HISTORY_RUN_LIVE) /* it was over before */
        o.now_ms = ty_history_read_run_end_ms(f->d, &w->job.run);
    if (f->result && strcmp(f->result, "Interrupted") == 0)
        o.stopped = f->why[0] ? f->why : "the run was killed";
    ty_run_view_close(&w->view, w->detached || w->stopped || w->unwritable ? NULL : &o);
    if (w->stopped && !w->detached)
        ty_run_stopped_print(w->cli, &w->job);
    if (w->unwritable && !w->stopped && !w->detached)
        report_unwritable(w);
    if (w->detached)
        ty_cli_msg(w->cli, TY_MSG_NOTE,
                   "detached: trainjob \"%s\" continues; 'trainyard delete %s' stops it",
                   w->job.name, w->job.name);
}

static void close_handle(uv_handle_t *h, void *arg TY_UNUSED)
{
    if (!uv_is_closing(h))
        uv_close(h, NULL);
}

static void follow_job(struct attach *w)
{
    uv_loop_init(&w->loop);
    uv_timer_init(&w->loop, &w->timer);
    uv_signal_init(&w->loop, &w->sigint);
    uv_signal_init(&w->loop, &w->sigterm);
    w->timer.data = w->sigint.data = w->sigterm.data = w;
    ty_run_model_job(&w->view.model, w->job.name, w->job.run.started_ms);
    uv_timer_start(&w->timer, on_timer, 0, EVERY_MS);
    uv_signal_start(&w->sigint, on_signal, SIGINT);
    uv_signal_start(&w->sigterm, on_signal, SIGTERM);
    ty_run_view_open(&w->view, &w->loop);
    uv_run(&w->loop, UV_RUN_DEFAULT);
    close_view(w);
    uv_walk(&w->loop, close_handle, NULL);
    uv_run(&w->loop, UV_RUN_DEFAULT);
    uv_loop_close(&w->loop);
}

/* As run does. */
static int check_node(struct attach *w, const struct attach_opts *opts)
{
    struct ty_cli *cli = w->cli;
    struct ty_preflight_findings all = { .arena = cli->arena };
    struct ty_job_history_pod *pods = NULL;
    ty_auto_buf names = { 0 };
    size_t n = 0;
    int code = TY_EXIT_OK;

    if (!w->job.jobset) /* it has just begun */
        code = ty_job_history_pods_soon(cli, w->follow.d, cli->arena, &w->job, &pods, &n);
    if (code == TY_EXIT_OK && n)
        code = ty_job_history_entry(cli, w->follow.d, &opts->history, opts->args.operands.v[0],
                                    &w->job);
    ty_preflight_list_pods(w->job.jobset, &all);
    if (code || !all.pods || ty_run_nodes_match(all.pods, opts->view.node))
        return code;
    ty_run_nodes_print(&names, all.pods);
    return ty_cli_usage(cli, &ty_cmd_attach, "--logs %s: no node of that name; there are %.*s",
                        opts->view.node, TY_ARG(ty_buf_str(&names)));
}

static int run(struct ty_cli *cli, const void *parsed)
{
    const struct attach_opts *opts = parsed;
    ty_auto_history_db *d = NULL;
    struct attach w = { .cli = cli, .follow = { .cli = cli, .tail = 10 } };

    if (opts->args.operands.n != 1)
        return ty_cli_usage(cli, &ty_cmd_attach, "name one TrainJob");
    if (opts->tail && (!ty_str_parse_i64(ty_str(opts->tail), &w.follow.tail) || w.follow.tail < -1))
        return ty_cli_usage(cli, &ty_cmd_attach, "--tail %s: write a number of lines, or -1",
                            opts->tail);
    int code = ty_job_history_open_job(cli, &ty_cmd_attach, &opts->history,
                                       opts->args.operands.v[0], &d, &w.job);
    if (code)
        return code;
    w.follow.d = d;
    code = opts->view.node ? check_node(&w, opts) : TY_EXIT_OK;
    if (code)
        return code;
    cli->quiet = opts->view.quiet;
    w.follow.job = &w.job;
    w.follow.to = &w.view.observer;
    ty_run_view_init(&w.view, cli, &opts->view);
    follow_job(&w);
    ty_run_follow_done(&w.follow);
    return exit_code(&w);
}

const struct ty_cmd ty_cmd_attach = {
    .name = "attach",
    .names = TY_NAMES_JOBS,
    .about = "Follow a running TrainJob as 'run' shows it",
    .operand = "NAME",
    .more =
        "Shows a TrainJob of another terminal, or of 'run --detach': the table, lines or JSON of\n"
        "'run', and the summary when it ends. Ctrl-C ends this command only; the job continues.\n"
        "\n"
        "Exit status: that of 'run': 0 complete, 1 failed or deleted, or the output cannot be\n"
        "written, 124 its --timeout, 130 it was interrupted, or you detached.\n",
    .examples = "  trainyard run --detach job.yaml && trainyard attach torch-ddp\n",
    .opts = TY_OPTS(options, struct attach_opts),
    .run = run,
};
