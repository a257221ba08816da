/* trainyard top: CPU, memory and GPU use of running pods, as kubectl top pod prints them. */
#include <time.h>
#include <uv.h>

#include "cli/cluster/cluster_top.h"
#include "cli/cmds.h"
#include "cli/history/job_history_pods.h"
#include "cli/history/job_state.h"
#include "cli/jobs/top_screen.h"
#include "cli/view/top_view.h"
#include "proc/gpu_usage.h"
#include "proc/pod_usage.h"

#define FIRST_MS    1000 /* CPU use is the difference of two samples */
#define EVERY_MS    2000
#define SAMPLE_SIZE ((size_t)1 << 30)

static const char *const formats[] = { "json", NULL };
struct top_opts {
    struct ty_args args;
    struct ty_where_opts where;
    const char *output;
    bool watch, no_headers;
};
static const struct ty_opt options[] = {
    { "watch", 'w', TY_OPT_FLAG, NULL, "keep running, also if the output is no terminal", NULL,
      TY_OPT_AT(struct top_opts, watch) },
    { "output", 'o', TY_OPT_WORD, "FORMAT", "json", formats, TY_OPT_AT(struct top_opts, output) },
    { "no-headers", 0, TY_OPT_FLAG, NULL, "print no heading", NULL,
      TY_OPT_AT(struct top_opts, no_headers) },
    TY_OPTS_WHERE_JOB(struct top_opts),
    TY_OPT_HELP(struct top_opts),
    TY_OPT_END,
};

struct top {
    struct ty_cli *cli;
    struct ty_history_db *d;
    const struct top_opts *opts;
    struct ty_job_history_query query;
    const char *host;    /* only this pod; NULL all */
    struct ty_arena *a;  /* of the sample */
    struct ty_arena *a0; /* of the one before */
    struct ty_pod_usages now, before;
    struct ty_gpu_usages gpus;
    bool no_gpus; /* nvidia-smi is not there, or does not answer: it is not asked again */
    struct ty_top_row *rows;
    size_t n, cap;
    size_t jobs;       /* that run, with pods or not yet */
    const char *state; /* of the job that was asked for, if it does not run */
    struct ty_buf text;
    int code;
};

/* ---- one sample ---- */

/* The mean use of the GPUs on which the pod has processes, and their memory. */
static void add_gpus(const struct top *t, const struct ty_pod_usage *use, struct ty_top_row *row)
{
    int64_t percent = 0, n = 0;

    for (size_t g = 0; g < t->gpus.n_gpus; g++) {
        bool used = false;
        for (size_t i = 0; i < t->gpus.n_processes; i++) {
            const struct ty_gpu_usage_process *p = &t->gpus.processes[i];
            if (p->gpu != g || ty_pod_usage_of(&t->now, p->pid) != use)
                continue;
            used = true;
            row->gpu_memory += p->memory;
        }
        percent += used ? t->gpus.gpus[g].percent : 0;
        n += used;
    }
    row->gpu_percent = n ? percent / n : -1;
}

static void add_row(struct top *t, const struct ty_job_history_entry *job,
                    const struct ty_job_history_pod *pod)
{
    const char *run = ty_arena_printf(t->a, "%s/rsh.sock", job->run.dir);
    const struct ty_pod_usage *use = ty_pod_usage_find(&t->now, run, pod->host);
    struct ty_top_row row = { .job = ty_arena_strdup(t->a, job->name),
                              .node = pod->node,
                              .gpu_percent = -1 };

    if (use) {
        row.milli = ty_pod_usage_milli(&t->before, &t->now, use);
        row.memory = use->memory;
        add_gpus(t, use, &row);
    }
    ty_room(t->a, t->rows, t->n, t->cap);
    t->rows[t->n++] = row;
}

static bool on_job(void *ctx, struct ty_arena *a, const struct ty_job_history_entry *job)
{
    struct top *t = ctx;
    const char *state = job->gone ? "deleted" : ty_job_state_text(a, job);
    bool runs = job->alive == TY_HISTORY_RUN_LIVE && !job->gone && strcmp(state, "Complete") != 0 &&
                strcmp(state, "Failed") != 0;
    struct ty_job_history_pod *pods = NULL;
    size_t n = 0;

    if (t->query.name)
        t->state = runs ? NULL : ty_arena_strdup(t->a, state);
    if (!runs)
        return true;
    t->jobs++;
    t->code = ty_job_history_pods(t->cli, t->d, t->a, job, &pods, &n);
    for (size_t i = 0; i < n && t->code == TY_EXIT_OK; i++)
        if (!pods[i].gone && (!t->host || strcmp(t->host, pods[i].host) == 0) &&
            ty_str_is(ty_json_str_at(pods[i].obj, "status.phase"), "Running"))
            add_row(t, job, &pods[i]);
    return t->code == TY_EXIT_OK && !ty_arena_full(t->a);
}

/* Returns an exit code. */
static int take_sample(struct top *t)
{
    struct ty_arena *a = t->a0;

    t->a0 = t->a;
    t->a = a;
    t->before = t->now;
    ty_arena_reset(a);
    t->rows = NULL;
    t->n = t->cap = t->jobs = 0;
    t->state = t->query.name ? "deleted" : NULL; /* unless the query finds it */
    t->no_gpus = t->no_gpus || !ty_gpu_usage_read(a, &t->gpus);
    if (t->no_gpus)
        t->gpus = (struct ty_gpu_usages){ 0 };
    ty_pod_usage_read(a, &t->now);
    int code = ty_job_history_query(&t->query);
    return code ? code : t->code;
}

/* ---- printing ---- */

static struct ty_top_view view_of(const struct top *t)
{
    return (struct ty_top_view){ .rows = t->rows,
                                 .n = t->n,
                                 .gpus = !t->no_gpus,
                                 .headers = !t->opts->no_headers,
                                 .one_job = t->query.name != NULL };
}

static void print_table(struct top *t)
{
    struct ty_top_view view = view_of(t);

    ty_top_view_table(t->a, &view, &t->text);
}

static void print_json(struct top *t)
{
    struct ty_top_view view = view_of(t);

    ty_top_view_json(t->a, &view, &t->text);
}

/* The job that was asked for has ended, now or long ago. */
static int report_end(struct top *t, bool seen)
{
    if (seen)
        ty_cli_msg(t->cli, TY_MSG_NOTE, "trainjob \"%s\" is %s", t->query.name, t->state);
    else
        ty_cli_msg(t->cli, TY_MSG_ERROR, "trainjob \"%s\" does not run: it is %s", t->query.name,
                   t->state);
    return seen ? TY_EXIT_OK : TY_EXIT_BAD;
}

static int print_samples(struct top *t)
{
    bool again = t->opts->watch;
    int code = TY_EXIT_OK;

    for (int64_t ms = FIRST_MS; code == TY_EXIT_OK; ms = EVERY_MS) {
        nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 }, NULL);
        code = take_sample(t);
        if (code)
            break;
        if (t->state)
            return report_end(t, true);
        t->text.n = 0;
        if (t->opts->output)
            print_json(t);
        else if (t->n)
            print_table(t);
        else
            fputs("No running pods\n", t->cli->err);
        code = ty_cli_print_clean(t->cli, &t->text);
        if (!again)
            break;
    }
    return code;
}

/* ---- on a terminal ---- */

/* The table would stay empty. With a name, t->state says it. */
static bool nothing_runs(const struct top *t)
{
    return !t->jobs && !t->opts->watch;
}

static bool sample_live(void *ctx)
{
    struct top *t = ctx;

    t->code = take_sample(t);
    t->text.n = 0;
    print_table(t);
    return t->code == TY_EXIT_OK && !t->state && !nothing_runs(t);
}

static void close_handle(uv_handle_t *h, void *arg TY_UNUSED)
{
    if (!uv_is_closing(h))
        uv_close(h, NULL);
}

/* Leaves the last table on the terminal. */
static int show_live(struct top *t)
{
    uv_loop_t loop;

    uv_loop_init(&loop);
    ty_top_screen_run(&(struct ty_top_screen){ .cli = t->cli,
                                               .loop = &loop,
                                               .first_ms = FIRST_MS,
                                               .every_ms = EVERY_MS,
                                               .text = &t->text,
                                               .sample = sample_live,
                                               .ctx = t });
    uv_walk(&loop, close_handle, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
    if (t->code == TY_EXIT_OK && t->state)
        return report_end(t, true);
    if (t->code == TY_EXIT_OK && nothing_runs(t)) {
        fputs("No running pods\n", t->cli->err);
        return TY_EXIT_OK;
    }
    return t->code ? t->code : ty_cli_print_clean(t->cli, &t->text);
}

/* ---- the command ---- */

static int show_top(struct top *t)
{
    int code = take_sample(t);

    if (code)
        return code;
    if (t->state)
        return report_end(t, false);
    bool live = !t->opts->output && ty_top_screen_can_draw(t->cli);
    if (live && nothing_runs(t)) {
        fputs("No running pods\n", t->cli->err);
        return TY_EXIT_OK;
    }
    return live ? show_live(t) : print_samples(t);
}

static int run(struct ty_cli *cli, const void *parsed)
{
    const struct top_opts *opts = parsed;
    const struct ty_strlist *names = &opts->args.operands;
    ty_auto_history_db *d = NULL;
    struct ty_job_history_entry job;
    struct top t = { .cli = cli, .opts = opts };
    int code = TY_EXIT_OK;

    if (names->n > 1)
        return ty_cli_usage(cli, &ty_cmd_top, "name one TrainJob, or none");
    int where = ty_where(cli, &ty_cmd_top, &opts->where);
    if (where < 0)
        return TY_EXIT_USAGE;
    if (where == TY_WHERE_CLUSTER)
        return ty_cluster_top(cli,
                              &(struct ty_cluster_top_opts){ .where = &opts->where,
                                                             .word = names->n ? names->v[0] : NULL,
                                                             .json = opts->output != NULL,
                                                             .headers = !opts->no_headers,
                                                             .watch = opts->watch });
    t.query = (struct ty_job_history_query){ .cli = cli, .fn = on_job, .ctx = &t };
    t.query.ns = opts->where.history.ns;
    t.query.run = ty_job_history_run_id(cli, &ty_cmd_top, &opts->where.history);
    if (t.query.run < 0)
        return TY_EXIT_USAGE;
    if (names->n) {
        code =
            ty_job_history_open_job(cli, &ty_cmd_top, &opts->where.history, names->v[0], &d, &job);
    } else {
        code = ty_job_history_open(cli, TY_HISTORY_DB_READ, &d);
    }
    if (code)
        return code;
    if (names->n) {
        t.query.ns = job.ns;
        t.query.name = job.name;
        t.query.run = job.run.id;
        t.host = job.pod;
    }
    ty_auto_arena *a = ty_arena_new_input(SAMPLE_SIZE, NULL),
                  *a0 = ty_arena_new_input(SAMPLE_SIZE, NULL);
    t.d = t.query.d = d;
    t.a = a;
    t.a0 = a0;
    code = show_top(&t);
    ty_buf_done(&t.text);
    return code;
}

const struct ty_cmd ty_cmd_top = {
    .name = "top",
    .names = TY_NAMES_JOBS,
    .about = "Show CPU, memory and GPU use of running pods",
    .operand = "[NAME]",
    .more = "One line for each node of a TrainJob, or of all that run. On a terminal the table is\n"
            "updated every 2 seconds; q, Ctrl-C or the end of the last job ends it. Elsewhere it\n"
            "is printed once.\n"
            "\n"
            "CPU(cores) is in thousandths of a CPU: 1500m is one and a half. MEMORY(bytes) counts\n"
            "what several processes share once. If nvidia-smi is in PATH, GPU% is the mean use of\n"
            "the GPUs on which the node has processes.\n"
            "\n"
            "On a cluster (--cluster) the numbers are those of metrics-server, without GPUs; the\n"
            "table is updated every 15 seconds, as often as they are measured.\n",
    .examples = "  trainyard top\n"
                "  trainyard top torch-ddp\n"
                "  trainyard top torch-ddp -o json\n"
                "  trainyard top torch-ddp --cluster\n",
    .opts = TY_OPTS(options, struct top_opts),
    .run = run,
};
