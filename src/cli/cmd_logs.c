/* trainyard logs: prints the container logs of a TrainJob, during the run and afterwards. */
#include <time.h>
#include <unistd.h>

#include "base/time.h"
#include "base/xalloc.h"
#include "cli/cluster/cluster_logs.h"
#include "cli/cmds.h"
#include "cli/history/job_history.h"
#include "cli/history/job_history_pods.h"
#include "cli/history/job_state.h"
#include "cli/history/log_files.h"
#include "cli/jobs/no_log.h"
#include "cli/jobs/run_stopped.h"

#define POLL_NS 100000000

struct logs_opts {
    struct ty_args args;
    struct ty_where_opts where;
    const char *tail, *attempt, *container, *since;
    bool follow, previous, timestamps;
};
static const struct ty_opt options[] = {
    { "follow", 'f', TY_OPT_FLAG, NULL, "follow the log until the job ends, across restarts", NULL,
      TY_OPT_AT(struct logs_opts, follow) },
    { "tail", 0, TY_OPT_WORD, "N", "print only the last N lines of each log", NULL,
      TY_OPT_AT(struct logs_opts, tail) },
    { "since", 0, TY_OPT_WORD, "TIME", "print only lines of the last TIME: 30s, 5m, 1h30m", NULL,
      TY_OPT_AT(struct logs_opts, since) },
    { "timestamps", 0, TY_OPT_FLAG, NULL, "print when each line arrived, in front of it", NULL,
      TY_OPT_AT(struct logs_opts, timestamps) },
    { "previous", 'p', TY_OPT_FLAG, NULL, "print the log before the last restart", NULL,
      TY_OPT_AT(struct logs_opts, previous) },
    { "attempt", 0, TY_OPT_WORD, "N", "print the logs of this attempt of the job; 1 is the first",
      NULL, TY_OPT_AT(struct logs_opts, attempt) },
    { "container", 'c', TY_OPT_WORD, "NAME", "print this container only", NULL,
      TY_OPT_AT(struct logs_opts, container) },
    TY_OPTS_WHERE_JOB(struct logs_opts),
    TY_OPT_HELP(struct logs_opts),
    TY_OPT_END,
};

/* A log file that is being printed. */
struct log {
    struct ty_log_cursor place;
    char *prefix; /* NULL none */
};

/* The newest log of a container that was printed; --follow continues with newer ones only. */
struct begun {
    int64_t attempt, restart;
};

struct logs {
    struct ty_cli *cli;
    struct ty_history_db *d;
    const struct logs_opts *opts;
    const char *node;      /* NULL all */
    int64_t tail, attempt; /* -1 not given */
    int64_t since_ms;      /* 0 not given */
    struct ty_job_history_entry job;
    struct ty_arena *scratch; /* the pods */
    struct ty_job_history_pod *pods;
    size_t n_pods;
    int64_t version;     /* of the history when the pods were read */
    struct ty_map open;  /* path -> struct log */
    struct ty_map begun; /* "pod/container" -> struct begun */
    bool any;
    bool incomplete; /* a log could not be shown */
    bool terminal;   /* standard output is one */
};

static struct log *log_at(struct logs *w, const char *path, const char *node)
{
    struct log *l = ty_map_get(&w->open, ty_str(path));

    if (l)
        return l;
    l = ty_xalloc(calloc(1, sizeof(*l)));
    if (!w->node || w->opts->timestamps) { /* "" is a prefix, too: line by line */
        size_t n = strlen(node) + 4;
        l->prefix = ty_xalloc(calloc(1, n));
        if (!w->node)
            snprintf(l->prefix, n, "[%s] ", node);
    }
    l->place.stamps = w->opts->timestamps;
    l->place.clean = w->terminal;
    ty_map_put(&w->open, ty_str(path), l);
    return l;
}

static bool print_log(struct logs *w, const struct ty_log_file *f, const char *node, bool newer)
{
    bool first = !ty_map_get(&w->open, ty_str(f->path));
    struct log *l = log_at(w, f->path, node);

    if (first && !newer && w->tail >= 0)
        ty_log_files_tail(f->path, w->tail, &l->place);
    if (first && w->since_ms)
        ty_log_files_since(f->path, w->since_ms, &l->place);
    w->any = true;
    bool more = ty_log_files_print(w->cli->out, f->path, l->prefix, &l->place);
    ty_auto_arena *a = ty_arena_new(1 << 20);
    for (const char *text = NULL; (text = ty_log_files_irregular(a, f->path, &l->place));)
        ty_cli_msg(w->cli, TY_MSG_WARNING, "%s", text);
    w->incomplete |= l->place.irregular != 0;
    if (!w->opts->follow)
        ty_log_files_flush(w->cli->out, l->prefix, &l->place);
    return more;
}

/* Index of the first log to print, oldest first; n: none. */
static size_t first_of(const struct logs *w, const struct ty_log_file *f, size_t n)
{
    size_t end = n;

    while (end && w->attempt >= 0 && f[end - 1].attempt > w->attempt)
        end--;
    if (!end || (w->attempt >= 0 && f[end - 1].attempt != w->attempt))
        return n;
    if (!w->opts->previous)
        return end - 1;
    return end >= 2 ? end - 2 : n;
}

/* Prints the chosen log of a container and, with --follow, the logs after it. */
static bool one_container(struct logs *w, const struct ty_job_history_pod *pod,
                          const struct ty_log_file *f, size_t n)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_str key = ty_str(ty_arena_printf(a, "%s/%s", pod->host, f->container));
    struct begun *b = ty_map_get(&w->begun, key);
    bool newer = b != NULL, more = false;
    size_t i = 0;

    if (b)
        while (i < n && (f[i].attempt < b->attempt ||
                         (f[i].attempt == b->attempt && f[i].restart < b->restart)))
            i++;
    else
        i = first_of(w, f, n);
    for (; i < n; i++) {
        if (!b) {
            b = ty_xalloc(malloc(sizeof(*b)));
            *b = (struct begun){ f[i].attempt, f[i].restart };
            ty_map_put(&w->begun, key, b);
        }
        if (w->attempt >= 0 && f[i].attempt != w->attempt)
            break;
        newer |= f[i].attempt > b->attempt || f[i].restart > b->restart;
        *b = (struct begun){ f[i].attempt, f[i].restart };
        more |= print_log(w, &f[i], pod->node, newer);
        if (!w->opts->follow || w->opts->previous)
            break;
    }
    return more;
}

static bool one_pod(struct logs *w, const struct ty_job_history_pod *pod)
{
    ty_auto_arena *a = ty_arena_new_input((size_t)1 << 30, NULL);
    struct ty_log_file *f = NULL;
    size_t n = ty_log_files_list(a, w->job.run.dir, pod->host, &f);
    bool more = false;

    for (size_t i = 0, end = 0; i < n; i = end) {
        for (end = i + 1; end < n && strcmp(f[end].container, f[i].container) == 0;)
            end++;
        if (!w->opts->container || strcmp(w->opts->container, f[i].container) == 0)
            more |= one_container(w, pod, f + i, end - i);
    }
    return more;
}

static int read_pods(struct logs *w)
{
    int64_t version = ty_history_read_data_version(w->d);

    if (w->version && version == w->version)
        return TY_EXIT_OK; /* the history has not changed */
    w->version = version;
    ty_arena_reset(w->scratch);
    return ty_job_history_pods(w->cli, w->d, w->scratch, &w->job, &w->pods, &w->n_pods);
}

static bool all_pods(struct logs *w)
{
    bool more = false;

    for (size_t i = 0; i < w->n_pods; i++)
        if (!w->node || ty_job_history_pod_is(&w->pods[i], w->node))
            more |= one_pod(w, &w->pods[i]);
    fflush(w->cli->out);
    return more;
}

static bool take_state(void *ctx, struct ty_arena *a, const struct ty_job_history_entry *job)
{
    bool *over = ctx;
    const char *state = ty_job_state_text(a, job);

    *over = strcmp(state, "Complete") == 0 || strcmp(state, "Failed") == 0 ||
            strcmp(state, "Interrupted") == 0 || job->gone;
    return false;
}

static bool is_over(struct logs *w)
{
    bool over = true; /* deleted meanwhile */
    struct ty_job_history_query q = { .cli = w->cli,
                                      .d = w->d,
                                      .name = w->job.name,
                                      .run = w->job.run.id,
                                      .fn = take_state,
                                      .ctx = &over };

    return ty_job_history_query(&q) != TY_EXIT_OK || over;
}

static int follow_logs(struct logs *w)
{
    bool over = false;

    while (!over && !ferror(w->cli->out)) {
        over = is_over(w); /* checked before the logs are read, so that their end is printed */
        if (read_pods(w) != TY_EXIT_OK)
            return TY_EXIT_BAD;
        if (all_pods(w) || over)
            continue;
        if (ty_run_stopped_check(w->cli, &w->job) != TY_EXIT_OK)
            return TY_EXIT_BAD; /* it writes no logs, and may never end */
        nanosleep(&(struct timespec){ .tv_nsec = POLL_NS }, NULL);
    }
    return TY_EXIT_OK;
}

/* Lists all node names after an unknown one. */
static int no_such_node(struct logs *w)
{
    ty_auto_buf list = { 0 };

    for (size_t i = 0; i < w->n_pods && i < 20; i++)
        ty_buf_printf(&list, "%s%s", i ? ", " : "", w->pods[i].node);
    if (w->n_pods > 20)
        ty_buf_printf(&list, " and %zu more", w->n_pods - 20);
    if (!w->n_pods)
        ty_cli_msg(w->cli, TY_MSG_ERROR, "trainjob \"%s\" has no pods: it is %s", w->job.name,
                   ty_job_state_text(w->scratch, &w->job));
    else
        ty_cli_msg(w->cli, TY_MSG_ERROR, "trainjob \"%s\" has no node \"%s\"; it has: %.*s",
                   w->job.name, w->node, (int)list.n, list.n ? list.p : "");
    return TY_EXIT_BAD;
}

/* A job that was accepted a moment ago has no log yet. */
static int print_logs(struct logs *w)
{
    int code = TY_EXIT_OK;

    for (all_pods(w); code == TY_EXIT_OK && !w->any && ty_job_history_is_starting(w->d, &w->job);
         all_pods(w)) {
        nanosleep(&(struct timespec){ .tv_nsec = POLL_NS }, NULL);
        code = read_pods(w);
    }
    return code;
}

static int no_log(struct logs *w)
{
    struct ty_json **pods = ty_new_n(w->scratch, struct ty_json *, w->n_pods + 1);

    for (size_t i = 0; i < w->n_pods; i++)
        pods[i] = w->pods[i].obj;
    return ty_no_log(w->cli, &(struct ty_no_log){ .job = w->job.name,
                                                  .node = w->node,
                                                  .container = w->opts->container,
                                                  .attempt = w->attempt,
                                                  .previous = w->opts->previous,
                                                  .local = true,
                                                  .cut_off = w->job.alive != TY_HISTORY_RUN_LIVE,
                                                  .pods = pods,
                                                  .n = w->n_pods });
}

static int show_logs(struct logs *w)
{
    bool there = !w->node;
    int code = ty_job_history_pods_soon(w->cli, w->d, w->scratch, &w->job, &w->pods, &w->n_pods);

    for (size_t i = 0; i < w->n_pods; i++)
        there |= w->node && ty_job_history_pod_is(&w->pods[i], w->node);
    if (code)
        return code;
    if (!there && !(w->opts->follow && !w->n_pods))
        return no_such_node(w);
    if (w->opts->follow)
        return follow_logs(w);
    code = print_logs(w);
    return code || w->any ? code : no_log(w);
}

static void logs_done(struct logs *w)
{
    const struct ty_map_slot *s = NULL;
    size_t at = 0;

    while ((s = ty_map_next(&w->open, &at))) {
        struct log *l = s->value;
        ty_log_files_flush(w->cli->out, l->prefix, &l->place);
        free(l->prefix);
        free(l);
    }
    for (at = 0; (s = ty_map_next(&w->begun, &at));)
        free(s->value);
    ty_map_done(&w->open);
    ty_map_done(&w->begun);
}

/* *ret is -1 if the option is not given. False: not a number. */
static bool parse_count(const char *word, int64_t *ret)
{
    *ret = -1;
    return !word || (ty_str_parse_i64(ty_str(word), ret) && *ret >= 0);
}

/* Checks options and operands; the side comes first. */
static int read_words(struct logs *w)
{
    const struct logs_opts *opts = w->opts;

    if (opts->args.operands.n < 1 || opts->args.operands.n > 2)
        return ty_cli_usage(w->cli, &ty_cmd_logs, "name a TrainJob, and a node of it if you like");
    if (!parse_count(opts->tail, &w->tail))
        return ty_cli_usage(w->cli, &ty_cmd_logs, "--tail takes a number from 0 on");
    if (!parse_count(opts->attempt, &w->attempt) || w->attempt == 0)
        return ty_cli_usage(w->cli, &ty_cmd_logs, "--attempt takes a number from 1 on");
    w->attempt -= w->attempt > 0; /* the names of log files count JobSet restarts */
    if (opts->since && !ty_time_parse_span(ty_str(opts->since), &w->since_ms))
        return ty_cli_usage(w->cli, &ty_cmd_logs,
                            "--since %s: write a duration such as 30s or 1h30m", opts->since);
    return TY_EXIT_OK;
}

static int run_cluster(const struct logs *w)
{
    const struct logs_opts *opts = w->opts;
    ty_auto_cluster_session *s = NULL;
    struct ty_cluster_logs_opts logs = { .job = opts->args.operands.v[0],
                                         .node = opts->args.operands.n > 1
                                                     ? opts->args.operands.v[1]
                                                     : NULL,
                                         .container = opts->container,
                                         .tail = w->tail,
                                         .attempt = w->attempt,
                                         .since_ms = w->since_ms,
                                         .follow = opts->follow,
                                         .previous = opts->previous,
                                         .timestamps = opts->timestamps };
    int code = ty_cluster_session_open(w->cli, &opts->where, &s);

    return code ? code : ty_cluster_logs(w->cli, s, &logs, NULL);
}

static int run(struct ty_cli *cli, const void *parsed)
{
    const struct logs_opts *opts = parsed;
    ty_auto_history_db *d = NULL;
    ty_auto_arena *scratch = ty_arena_new_input((size_t)4 << 30, NULL);
    struct logs w = { .cli = cli, .opts = opts, .scratch = scratch };
    int code = read_words(&w), where = code ? -1 : ty_where(cli, &ty_cmd_logs, &opts->where);

    if (where < 0)
        return TY_EXIT_USAGE;
    if (where == TY_WHERE_CLUSTER)
        return run_cluster(&w);
    w.terminal = isatty(fileno(cli->out)) == 1;
    if (opts->since) /* a time before 1970 is the beginning */
        w.since_ms = w.since_ms < ty_cli_wall_ms() ? ty_cli_wall_ms() - w.since_ms : 1;
    code = ty_job_history_open_job(cli, &ty_cmd_logs, &opts->where.history,
                                   opts->args.operands.v[0], &d, &w.job);
    if (code)
        return code;
    w.d = d;
    w.node = opts->args.operands.n > 1 ? opts->args.operands.v[1] : w.job.pod;
    code = show_logs(&w);
    logs_done(&w);
    return code == TY_EXIT_OK && w.incomplete ? TY_EXIT_BAD : code;
}

const struct ty_cmd ty_cmd_logs = {
    .name = "logs",
    .names = TY_NAMES_JOB_NODE,
    .about = "Print the logs of a TrainJob's nodes",
    .operand = "NAME [NODE]",
    .more =
        "NODE is the name of a node, such as node-0-1, with or without the job's name in front.\n"
        "Without NODE the logs of all nodes are printed, each line prefixed with its node.\n"
        "On a terminal, escape sequences of the job other than colors are left out.\n"
        "Prints the log of the last start unless --previous or --attempt is given. NAME means\n"
        "its newest run.\n"
        "\n"
        "On a cluster (--cluster) the logs of all containers of its pods, initializers included;\n"
        "--follow continues with the pods of the next attempt, and after lost connections.\n",
    .examples = "  trainyard logs torch-ddp\n"
                "  trainyard logs -f torch-ddp node-0-0\n"
                "  trainyard logs torch-ddp node-0-1 --attempt 1 --tail 50\n"
                "  trainyard logs -f torch-ddp --cluster -n team-a\n",
    .opts = TY_OPTS(options, struct logs_opts),
    .run = run,
};
