/* trainyard wait: waits for a condition of TrainJobs, in kubectl's words. */
#include <time.h>

#include "base/time.h"
#include "cli/cluster/cluster_wait.h"
#include "cli/cmds.h"
#include "cli/history/job_history.h"
#include "cli/history/job_state.h"
#include "cli/jobs/run_stopped.h"
#include "cli/view/get_words.h"

#define POLL_NS 100000000

struct wait_opts {
    struct ty_args args;
    struct ty_where_opts where;
    const char *want, *timeout;
};
static const struct ty_opt options[] = {
    { "for", 0, TY_OPT_WORD, "CONDITION",
      "complete (default), failed, suspended, delete, or condition=TYPE[=STATUS]", NULL,
      TY_OPT_AT(struct wait_opts, want) },
    { "timeout", 0, TY_OPT_WORD, "TIME", "give up after this time: 30s, 1h30m (default: never)",
      NULL, TY_OPT_AT(struct wait_opts, timeout) },
    TY_OPTS_WHERE_JOB(struct wait_opts),
    TY_OPT_HELP(struct wait_opts),
    TY_OPT_END,
};

struct waiting {
    struct ty_cli *cli;
    struct ty_history_db *d;
    struct ty_wait_condition want;
    int64_t end_ms; /* monotonic; 0: never */
    /* Of one poll: */
    bool met, there, lost;
    char state[64]; /* if the job is over: "Failed" */
};

static bool check_job(void *ctx, struct ty_arena *a, const struct ty_job_history_entry *job)
{
    struct waiting *w = ctx;
    const char *state = ty_job_state_text(a, job);
    bool over = strcmp(state, "Complete") == 0 || strcmp(state, "Failed") == 0 ||
                strcmp(state, "Interrupted") == 0;

    w->there = !job->gone;
    w->lost = job->alive == TY_HISTORY_RUN_LOST;
    snprintf(w->state, sizeof(w->state), "%s", over ? state : "");
    w->met = ty_wait_condition_met(&w->want, job->job);
    return false;
}

/* One poll; an exit code, or -1 to wait on. */
static int check_once(struct waiting *w, const struct ty_job_history_entry *job)
{
    struct ty_job_history_query q = { .cli = w->cli,
                                      .d = w->d,
                                      .ns = job->ns,
                                      .name = job->name,
                                      .run = job->run.id,
                                      .fn = check_job,
                                      .ctx = w };
    w->met = w->there = w->lost = false;
    int code = ty_job_history_query(&q);
    if (code == TY_EXIT_OK && w->lost) { /* the rows may be older than the end of the run */
        w->there = false;
        code = ty_job_history_query(&q);
    }
    if (code)
        return code;
    if (w->met || (w->want.gone && !w->there))
        return ty_cluster_wait_print_met(w->cli, job->name);
    if (!w->there || (w->state[0] && !w->want.gone)) {
        ty_cli_msg(w->cli, TY_MSG_ERROR,
                   "trainjob \"%s\" is %s: the condition cannot be met any more", job->name,
                   w->there ? w->state : "deleted");
        return TY_EXIT_BAD;
    }
    if (w->end_ms && ty_cli_monotonic_ms() >= w->end_ms) {
        ty_cli_msg(w->cli, TY_MSG_ERROR, "timed out waiting for the condition on trainjobs/%s",
                   job->name);
        return TY_EXIT_BAD;
    }
    return -1;
}

/* --for delete of a job that is not there is met, as kubectl has it. Of a pod that is not there the
 * job is unknown. */
static int wait_for_job(struct waiting *w, const struct ty_job_history_opts *opts, const char *name)
{
    struct ty_job_history_entry job;
    bool found = true, pod = ty_job_history_name_of_kind(name, &ty_kind_pod) != NULL;
    int code = w->want.gone && !pod ? ty_job_history_find(w->cli, w->d, opts, name, &job, &found)
                                    : ty_job_history_entry(w->cli, w->d, opts, name, &job);

    if (code == TY_EXIT_OK && !found)
        return ty_cluster_wait_print_met(w->cli, ty_job_history_name(name));
    while (code == TY_EXIT_OK) {
        int now = check_once(w, &job);
        if (now >= 0)
            return now;
        code = ty_run_stopped_check(w->cli, &job);
        nanosleep(&(struct timespec){ .tv_nsec = POLL_NS }, NULL);
    }
    return code;
}

static int run_cluster(struct waiting *w, const struct wait_opts *opts, size_t first)
{
    ty_auto_cluster_session *s = NULL;
    int code = ty_cluster_session_open(w->cli, &opts->where, &s), bad = TY_EXIT_OK;

    for (size_t i = first; i < opts->args.operands.n && code == TY_EXIT_OK; i++)
        bad |= ty_cluster_wait(w->cli, s, opts->args.operands.v[i], &w->want, w->end_ms);
    return code ? code : bad;
}

/* The first name of another kind, such as jobset/NAME; NULL: none. No TrainJob has a slash in its
 * name, so --for delete would be met at once, whatever exists. */
static const char *other_kind(const struct ty_strlist *names)
{
    for (size_t i = 0; i < names->n; i++)
        if (strchr(ty_job_history_name(names->v[i]), '/') &&
            !ty_job_history_name_of_kind(names->v[i], &ty_kind_pod))
            return names->v[i];
    return NULL;
}

static int run(struct ty_cli *cli, const void *parsed)
{
    const struct wait_opts *opts = parsed;
    const struct ty_strlist *names = &opts->args.operands;
    const char *want = opts->want ? opts->want : "complete";
    ty_auto_history_db *d = NULL;
    struct waiting w = { .cli = cli };
    int64_t ms = 0;
    int first = ty_get_words_first_job(cli, &ty_cmd_wait, names);

    if (first < 0)
        return TY_EXIT_USAGE;
    if (!names->n)
        return ty_cli_usage(cli, &ty_cmd_wait, "name a TrainJob");
    if (other_kind(names))
        return ty_cli_usage(cli, &ty_cmd_wait,
                            "%s: write NAME or trainjob/NAME; wait works on TrainJobs",
                            other_kind(names));
    if (!ty_wait_condition_parse(cli->arena, want, &w.want))
        return ty_cli_usage(cli, &ty_cmd_wait,
                            "--for %s: write complete, failed, suspended, delete or condition=TYPE",
                            want);
    if (opts->timeout && !ty_time_parse_span(ty_str(opts->timeout), &ms) &&
        strcmp(opts->timeout, "0") != 0)
        return ty_cli_usage(cli, &ty_cmd_wait, "--timeout %s: write a duration such as 90s or 1h",
                            opts->timeout);
    w.end_ms = opts->timeout ? ty_cli_monotonic_ms() + ms : 0;
    int where = ty_where(cli, &ty_cmd_wait, &opts->where);
    if (where == TY_WHERE_CLUSTER)
        return run_cluster(&w, opts, (size_t)first);
    if (where < 0 || ty_job_history_run_id(cli, &ty_cmd_wait, &opts->where.history) < 0)
        return TY_EXIT_USAGE;
    int code = ty_job_history_open(cli, TY_HISTORY_DB_READ, &d), bad = TY_EXIT_OK;
    w.d = d;
    for (size_t i = (size_t)first; i < names->n && code == TY_EXIT_OK; i++)
        bad |= wait_for_job(&w, &opts->where.history, names->v[i]);
    return code ? code : bad;
}

const struct ty_cmd ty_cmd_wait = {
    .name = "wait",
    .names = TY_NAMES_JOBS,
    .about = "Wait until a TrainJob is complete, has failed or is deleted",
    .operand = "NAME…",
    .more =
        "Prints a line for each TrainJob when the condition is met. Ends at once with status 1 if\n"
        "the job is over and the condition can no longer be met, or after --timeout.\n",
    .examples = "  trainyard wait torch-ddp --timeout 1h\n"
                "  trainyard wait torch-ddp --for condition=Suspended\n"
                "  trainyard wait torch-ddp --cluster --timeout 1h\n",
    .opts = TY_OPTS(options, struct wait_opts),
    .run = run,
};
