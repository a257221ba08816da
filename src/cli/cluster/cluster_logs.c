/* Finds the pods of a TrainJob, once or while it runs, and gives them to the merger. */
#include "cli/cluster/cluster_logs.h"

#include <errno.h>
#include <stdlib.h>

#include "cli/cluster/cluster_jobs.h"
#include "cli/cluster/log_merge.h"
#include "cli/history/job_history_pods.h"
#include "cli/jobs/no_log.h"
#include "engine/jobset/jobset_read.h"
#include "store/kube/reflector.h"

#define LAST_MS 60000

struct cluster_logs {
    struct ty_cli *cli;
    struct ty_cluster_session *s;
    const struct ty_cluster_logs_opts *o;
    const char *job, *node;
    struct ty_log_merge *merge;
    struct ty_arena *a; /* pods of the first list, until it is complete */
    struct ty_log_pod *pods;
    size_t n, cap;
    struct ty_reflector *reflector; /* NULL: nothing is followed */
    int64_t quiet_ms;
    bool synced, refused;
    bool over;    /* the job */
    bool relist;  /* the list after its end was begun */
    bool settled; /* and is complete */
    bool done;
    char state[16]; /* how it ended */
};

static bool is_of_node(const struct cluster_logs *w, const struct ty_log_pod *pod)
{
    return !w->node || ty_log_pods_is(pod, w->node);
}

static bool is_wanted(const struct cluster_logs *w, const struct ty_log_pod *pod)
{
    return is_of_node(w, pod) && (w->o->attempt < 0 || pod->attempt == w->o->attempt);
}

/* ---- the first list ---- */

static int by_node(const void *x, const void *y)
{
    const struct ty_log_pod *a = x, *b = y;
    int d = ty_job_history_pods_compare(a->host, b->host);

    if (d)
        return d;
    return ty_log_pods_is_newer(a, b) ? 1 : ty_log_pods_is_newer(b, a) ? -1 : 0;
}

static bool was_restarted(const struct cluster_logs *w, const struct ty_log_pod *pod)
{
    for (size_t i = 0; i < pod->n; i++)
        if (pod->containers[i].instance > 0 &&
            (!w->o->container || strcmp(w->o->container, pod->containers[i].name) == 0))
            return true;
    return false;
}

/* A Job creates another pod for one that failed; JobSet does so for all of them. */
static void note_older(const struct cluster_logs *w, const struct ty_log_pod *pod, size_t n)
{
    if (!n || w->o->follow || w->o->previous)
        return;
    if (n > 1)
        ty_cli_msg(w->cli, TY_MSG_NOTE, "%zu nodes have older pods: --previous prints their logs",
                   n);
    else
        ty_cli_msg(w->cli, TY_MSG_NOTE, "%s has an older pod: --previous prints its log",
                   pod->node);
}

/* Gives the newest pod of each node to the merger, or for --previous the one before it, unless the
 * newest was restarted in place. */
static void add_pods(struct cluster_logs *w)
{
    const struct ty_log_pod *first = NULL;
    size_t older = 0;

    if (w->n)
        qsort(w->pods, w->n, sizeof(*w->pods), by_node);
    for (size_t i = 0; i < w->n; i++) {
        struct ty_log_pod *pod = &w->pods[i];
        bool newest = i + 1 == w->n || strcmp(pod->host, w->pods[i + 1].host) != 0;
        bool second = newest && i > 0 && strcmp(pod->host, w->pods[i - 1].host) == 0;
        bool older_is_previous = second && !was_restarted(w, pod);
        if (older_is_previous && w->o->previous) {
            pod--;
            pod->replaced = true;
        }
        if (newest)
            ty_log_merge_pod(w->merge, pod);
        first = older_is_previous && !first ? pod : first;
        older += older_is_previous;
    }
    note_older(w, first, older);
}

static void keep_pod(struct cluster_logs *w, const struct ty_json *json)
{
    struct ty_log_pod pod;

    ty_log_pods_parse(w->a, json, w->job, &pod);
    if (!is_wanted(w, &pod))
        return;
    ty_room(w->a, w->pods, w->n, w->cap);
    w->pods[w->n++] = pod;
}

static struct ty_kube_selector pods_of(const struct cluster_logs *w)
{
    return (struct ty_kube_selector){ .kind = &ty_kind_pod,
                                      .ns = ty_str(ty_cluster_session_ns(w->s)),
                                      .labels = ty_str(ty_arena_printf(
                                          w->cli->arena, TY_JOBSET_NAME "=%s", w->job)) };
}

/* ---- while it runs ---- */

/* The kubelet of a lost node never ends a log that is followed, so silence ends it. Any other read
 * has a timeout of its own, after which an error message names the log. */
static bool is_quiet(const struct cluster_logs *w)
{
    return w->reflector && ty_log_merge_quiet_ms(w->merge) > w->quiet_ms;
}

static void check_end(struct cluster_logs *w)
{
    w->done = w->refused || ty_log_merge_fatal(w->merge) ||
              (w->settled && (ty_log_merge_idle(w->merge) || is_quiet(w)));
}

static void on_merge(void *ctx)
{
    check_end(ctx);
}

static void on_pod(void *ctx, enum ty_reflector_change what, const struct ty_kube_object *o)
{
    struct cluster_logs *w = ctx;
    ty_auto_arena *a = ty_arena_new_input(TY_CLUSTER_CEILING, NULL);
    struct ty_log_pod pod;

    if (what == TY_REFLECTOR_DELETED) {
        ty_log_merge_pod_gone(w->merge, ty_arena_cstr(a, o->uid));
    } else if (!w->synced) {
        keep_pod(w, o->json);
    } else {
        ty_log_pods_parse(a, o->json, w->job, &pod);
        if (is_wanted(w, &pod))
            ty_log_merge_pod(w->merge, &pod);
    }
    check_end(w);
}

static void on_pods_state(void *ctx, enum ty_reflector_state state,
                          const struct ty_kube_response *why, int64_t again_ms TY_UNUSED)
{
    struct cluster_logs *w = ctx;

    if (state == TY_REFLECTOR_FAILED && why->r == -EACCES && !w->refused) {
        struct ty_cluster_answer answer = { .verb = "list",
                                            .kind = &ty_kind_pod,
                                            .ns = ty_cluster_session_ns(w->s),
                                            .name = "",
                                            .sub = "" };
        ty_cluster_session_answer(w->cli->arena, why, &answer);
        ty_cluster_session_error(w->s, "follow the pods", &answer);
        w->refused = true;
    }
    if (state == TY_REFLECTOR_SYNCED && !w->synced) {
        w->synced = true;
        add_pods(w);
        ty_arena_reset(w->a);
    }
    if (state == TY_REFLECTOR_SYNCED && w->over && w->relist) {
        w->settled = true;
        ty_log_merge_last(w->merge);
    }
    check_end(w);
}

/* The job and its pods arrive by different watches: only a list after the end has all pods. */
static void on_job(void *ctx, const struct ty_json *job)
{
    struct cluster_logs *w = ctx;
    const char *state = job ? ty_job_watch_over(job, NULL) : "deleted";

    w->over |= state != NULL;
    if (state)
        snprintf(w->state, sizeof(w->state), "%s", state);
    check_end(w);
}

static void on_refused(void *ctx)
{
    struct cluster_logs *w = ctx;

    w->refused = w->done = true;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a && a < b ? a : b;
}

/* Waits for the end of the job, then for those of the logs. */
static enum ty_job_watch_end run_loop(struct cluster_logs *w)
{
    enum ty_job_watch_end end = TY_JOB_WATCH_DONE;

    while (!w->done && end == TY_JOB_WATCH_DONE) {
        bool *until = w->over ? &w->done : &w->over;
        int64_t soon = ty_cli_monotonic_ms() + 1000;
        if (w->over && !w->relist && w->synced) {
            w->relist = true;
            ty_reflector_relist(w->reflector);
        }
        end = ty_job_watch_run(w->s, until, earlier(w->o->end_ms, soon), w->o->sigint);
        if (end == TY_JOB_WATCH_TIMEOUT && (!w->o->end_ms || ty_cli_monotonic_ms() < w->o->end_ms))
            end = TY_JOB_WATCH_DONE; /* a second has passed */
        check_end(w);
    }
    return end;
}

static int follow_logs(struct cluster_logs *w, enum ty_job_watch_end *ret_end)
{
    struct ty_job_watch *watch =
        ty_job_watch_new(&(struct ty_job_watch_opts){ .cli = w->cli,
                                                      .session = w->s,
                                                      .ns = ty_cluster_session_ns(w->s),
                                                      .name = w->job,
                                                      .state = on_job,
                                                      .refused = on_refused,
                                                      .ctx = w });
    struct ty_reflector_opts want = {
        .which = pods_of(w), .changed = on_pod, .state = on_pods_state, .ctx = w
    };

    w->reflector = ty_reflector_new(ty_cluster_session_kube(w->s), &want);
    *ret_end = run_loop(w);
    ty_reflector_free(w->reflector);
    ty_job_watch_free(watch);
    if (w->settled && !ty_log_merge_idle(w->merge))
        ty_cli_msg(w->cli, TY_MSG_NOTE,
                   "trainjob \"%s\" is %s; some logs have not ended, and nothing was added for a "
                   "minute",
                   w->job, w->state);
    return w->refused ? TY_EXIT_BAD : ty_log_merge_code(w->merge);
}

/* ---- once ---- */

static int no_pods(struct cluster_logs *w, const struct ty_json *job)
{
    const char *state = ty_job_watch_over(job, NULL);

    ty_cli_msg(w->cli, TY_MSG_ERROR, "trainjob \"%s\" has no pods%s%s", w->job,
               state ? ": it is " : " yet", state ? state : "");
    return TY_EXIT_BAD;
}

static bool has_node(struct cluster_logs *w, struct ty_json *const *objs, size_t n)
{
    struct ty_log_pod pod;

    for (size_t i = 0; i < n && !ty_arena_full(w->a); i++) {
        ty_log_pods_parse(w->a, objs[i], w->job, &pod);
        if (is_of_node(w, &pod))
            return true;
    }
    return false;
}

/* Lists all node names after an unknown one. */
static int no_such_node(struct cluster_logs *w, struct ty_json *const *objs, size_t n)
{
    ty_auto_buf list = { 0 };
    struct ty_log_pod pod;

    for (size_t i = 0; i < n && i < 20; i++) {
        ty_log_pods_parse(w->a, objs[i], w->job, &pod);
        ty_buf_printf(&list, "%s%s", i ? ", " : "", pod.node);
    }
    if (n > 20)
        ty_buf_printf(&list, " and %zu more", n - 20);
    ty_cli_msg(w->cli, TY_MSG_ERROR, "trainjob \"%s\" has no node \"%s\"; it has: %.*s", w->job,
               w->node, TY_ARG(ty_buf_str(&list)));
    return TY_EXIT_BAD;
}

static int print_logs(struct cluster_logs *w, const struct ty_json *job)
{
    struct ty_kube_selector which = pods_of(w);
    struct ty_cluster_answer answer;
    struct ty_json **objs = NULL;
    size_t n = 0;

    if (ty_cluster_session_list(w->s, w->a, &which, &objs, &n, &answer) < 0)
        return ty_cluster_session_error(w->s, "list the pods", &answer);
    for (size_t i = 0; i < n && !ty_arena_full(w->a); i++)
        keep_pod(w, objs[i]);
    if (!w->n && n && !has_node(w, objs, n))
        return no_such_node(w, objs, n);
    w->settled = true; /* nothing is waited for */
    add_pods(w);
    check_end(w);
    while (!w->done)
        ty_job_watch_run(w->s, &w->done, 0, false);
    fflush(w->cli->out);
    if (ty_log_merge_any(w->merge) || ty_log_merge_code(w->merge))
        return ty_log_merge_code(w->merge);
    return n ? ty_no_log(w->cli, &(struct ty_no_log){ .job = w->job,
                                                      .node = w->node,
                                                      .container = w->o->container,
                                                      .attempt = w->o->attempt,
                                                      .previous = w->o->previous,
                                                      .pods = objs,
                                                      .n = n })
             : no_pods(w, job);
}

int ty_cluster_logs(struct ty_cli *cli, struct ty_cluster_session *s,
                    const struct ty_cluster_logs_opts *opts, enum ty_job_watch_end *ret_end)
{
    ty_auto_arena *a = ty_arena_new_input(TY_CLUSTER_CEILING, NULL);
    struct cluster_logs w = { .cli = cli, .s = s, .o = opts, .a = a };
    enum ty_job_watch_end end = TY_JOB_WATCH_DONE;
    struct ty_job_history_entry job;
    int code = ty_cluster_jobs_find_or_print(s, cli, opts->job, &job);

    if (code)
        return code;
    w.job = job.name;
    w.quiet_ms = opts->quiet_ms ? opts->quiet_ms : LAST_MS;
    w.node = opts->node ? opts->node : job.pod;
    w.merge =
        ty_log_merge_new(&(struct ty_log_merge_opts){ .cli = cli,
                                                      .session = s,
                                                      .container = opts->container,
                                                      .tail = opts->tail,
                                                      .since_s = (opts->since_ms + 999) / 1000,
                                                      .follow = opts->follow,
                                                      .previous = opts->previous,
                                                      .timestamps = opts->timestamps,
                                                      .prefix = !w.node,
                                                      .changed = on_merge,
                                                      .ctx = &w });
    bool follow = opts->follow && !opts->previous;
    code = follow ? follow_logs(&w, &end) : print_logs(&w, job.job);
    ty_log_merge_free(w.merge);
    if (ret_end)
        *ret_end = end;
    return code;
}
