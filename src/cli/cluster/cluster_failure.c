#include "cli/cluster/cluster_failure.h"

#include <errno.h>
#include <stdlib.h>
#include <uv.h>

#include "report/failure_summary.h"
#include "report/failure_summary_tail.h"
#include "report/pod_failure.h"

enum { PROBLEMS = 8 }; /* sentences about pods that cannot run */

/* A container that ended, and its log. */
struct ended {
    struct failure_reader *f;
    const struct ty_json *pod;
    struct ty_ended_container end;
    struct ty_kube_op *op; /* reads the log; NULL: none */
    struct ty_buf log;
};

struct failure_reader {
    struct ty_cluster_session *s;
    struct ty_arena *a;
    struct ended *v;
    struct ended **logs;          /* whose log is read, in this order */
    size_t n, n_logs, next, open; /* next log to ask for; logs being read */
    bool late;
    struct ty_cluster_answer refused; /* code 403: logs may not be read */
};

/* ---- logs ---- */

static void start_logs(struct failure_reader *f);

/* Of what has arrived the last TY_TAIL_BYTES are kept. */
static void on_data(void *ctx, struct ty_str chunk)
{
    struct ended *e = ctx;

    ty_buf_add(&e->log, chunk);
    if (e->log.n < 2 * (size_t)TY_TAIL_BYTES)
        return;
    memmove(e->log.p, e->log.p + e->log.n - TY_TAIL_BYTES, TY_TAIL_BYTES);
    e->log.n = TY_TAIL_BYTES;
}

static void on_end(void *ctx, const struct ty_kube_response *answer)
{
    struct ended *e = ctx;
    struct failure_reader *f = e->f;

    e->op = NULL;
    f->open--;
    if (answer->code == 403 && !f->refused.code) {
        f->refused =
            (struct ty_cluster_answer){ .verb = "get",
                                        .kind = &ty_kind_pod,
                                        .ns = ty_json_cstr_at(f->a, e->pod, "metadata.namespace"),
                                        .name = "",
                                        .sub = "log" };
        ty_cluster_session_answer(f->a, answer, &f->refused);
    }
    start_logs(f);
}

/* The log of an instance that was restarted in place is the previous one; of still earlier ones
 * there is none. */
static bool log_of(const struct ended *e, bool *ret_previous)
{
    static const char *const lists[] = { "status.containerStatuses",
                                         "status.initContainerStatuses" };

    for (size_t i = 0; i < TY_COUNT(lists); i++) {
        const struct ty_json *c =
            ty_json_find_item(ty_json_at(e->pod, lists[i]), "name", ty_str(e->end.container), NULL);
        int64_t restarts = 0;
        if (!c)
            continue;
        (void)ty_json_int_at(c, "restartCount", &restarts);
        *ret_previous = restarts > e->end.restarts;
        return restarts - e->end.restarts <= 1;
    }
    return false;
}

static void start_log(struct ended *e)
{
    bool previous = false;

    (void)log_of(e, &previous);
    struct ty_kube_log log = { .ns = ty_json_str_at(e->pod, "metadata.namespace"),
                               .pod = ty_json_str_at(e->pod, "metadata.name"),
                               .container = ty_str(e->end.container),
                               .previous = previous,
                               .tail_lines = TY_CLUSTER_FAILURE_LINES,
                               .data = on_data,
                               .end = on_end,
                               .ctx = e };
    e->op = ty_kube_log(ty_cluster_session_kube(e->f->s), &log);
    e->f->open++;
}

static void start_logs(struct failure_reader *f)
{
    while (!f->late && !f->refused.code && f->open < TY_CLUSTER_FAILURE_AT_ONCE &&
           f->next < f->n_logs)
        start_log(f->logs[f->next++]);
}

static bool is_failed(const struct ty_ended_container *end)
{
    return end->code || end->sig || end->oom || end->never;
}

/* The logs of containers that failed by themselves come first, then those of stopped ones, whose
 * error may have come before. One that succeeded explains nothing. */
static void choose_logs(struct failure_reader *f)
{
    bool previous = false;

    f->logs = ty_new_n(f->a, struct ended *, TY_CLUSTER_FAILURE_LOGS);
    for (int stopped = 0; stopped < 2; stopped++)
        for (size_t i = 0; i < f->n && f->n_logs < TY_CLUSTER_FAILURE_LOGS; i++) {
            const struct ty_ended_container *end = &f->v[i].end;
            if (end->stopped == (stopped == 1) && (stopped || is_failed(end)) && !end->never &&
                log_of(&f->v[i], &previous))
                f->logs[f->n_logs++] = &f->v[i];
        }
}

static void on_late(uv_timer_t *timer)
{
    struct failure_reader *f = timer->data;

    f->late = true;
}

static void read_logs(struct failure_reader *f)
{
    uv_loop_t *loop = ty_cluster_session_loop(f->s);
    uv_timer_t timer;

    uv_timer_init(loop, &timer);
    timer.data = f;
    uv_timer_start(&timer, on_late, TY_CLUSTER_FAILURE_MS, 0);
    start_logs(f);
    while (f->open && !f->late)
        uv_run(loop, UV_RUN_ONCE);
    for (size_t i = 0; i < f->n; i++) {
        ty_kube_cancel(f->v[i].op);
        f->v[i].op = NULL;
    }
    uv_close((uv_handle_t *)&timer, NULL);
    uv_run(loop, UV_RUN_NOWAIT); /* closes the timer */
}

/* ---- who is to blame ---- */

static int by_end(const void *x, const void *y)
{
    const struct ended *a = x, *b = y;

    if (a->end.attempt != b->end.attempt)
        return a->end.attempt < b->end.attempt ? -1 : 1;
    if (a->end.ended_ms != b->end.ended_ms)
        return a->end.ended_ms < b->end.ended_ms ? -1 : 1;
    return strcmp(a->end.node, b->end.node);
}

static void collect(struct failure_reader *f, const struct ty_job_history_entry *job,
                    const struct ty_job_history_pod *pods, size_t n, size_t *ret_running)
{
    size_t cap = 0;

    for (size_t i = 0; i < n && !ty_arena_full(f->a); i++) {
        struct ty_ended_container *ends = NULL;
        size_t ended = ty_pod_failure_ended(f->a, pods[i].obj, ty_str(job->name), &ends);
        *ret_running += ty_str_is(ty_json_str_at(pods[i].obj, "status.phase"), "Running");
        for (size_t k = 0; k < ended; k++) {
            ty_room(f->a, f->v, f->n, cap);
            f->v[f->n++] = (struct ended){ .f = f, .pod = pods[i].obj, .end = ends[k] };
        }
    }
    if (f->n)
        qsort(f->v, f->n, sizeof(*f->v), by_end);
}

static bool any_failed(const struct failure_reader *f)
{
    for (size_t i = 0; i < f->n; i++)
        if (is_failed(&f->v[i].end))
            return true;
    return false;
}

static bool print_summary(struct failure_reader *f, size_t running, struct ty_buf *out)
{
    struct ty_failure_summary *sum = ty_failure_summary_new();

    for (size_t i = 0; i < f->n; i++) {
        struct ty_ended_container end = f->v[i].end;
        end.log = ty_failure_summary_tail_part(ty_buf_str(&f->v[i].log));
        ty_failure_summary_add(sum, &end);
    }
    bool any = ty_failure_summary_any(sum);
    if (any)
        ty_failure_summary_print(sum, running, out);
    ty_failure_summary_free(sum);
    return any;
}

/* Pods with the same problem differ in their name only; a few are enough. */
static void print_problems(struct ty_arena *a, const struct ty_job_history_entry *job,
                           const struct ty_job_history_pod *pods, size_t n, struct ty_buf *out)
{
    size_t shown = 0, more = 0;

    for (size_t i = 0; i < n && !ty_arena_full(a); i++) {
        struct ty_pod_problem p;
        if (!ty_pod_failure_problem(a, pods[i].obj, ty_str(job->name), &p))
            continue;
        if (shown++ < PROBLEMS)
            ty_buf_printf(out, "%s\n", p.text);
        else
            more++;
    }
    if (more)
        ty_buf_printf(out, "and %zu more pods with a problem\n", more);
}

void ty_cluster_failure(struct ty_cluster_session *s, struct ty_arena *a,
                        const struct ty_job_history_entry *job,
                        const struct ty_job_history_pod *pods, size_t n, struct ty_buf *out)
{
    struct failure_reader f = { .s = s, .a = a };
    size_t running = 0;

    collect(&f, job, pods, n, &running);
    if (any_failed(&f)) {
        choose_logs(&f);
        read_logs(&f);
        if (print_summary(&f, running, out) && f.refused.code)
            ty_buf_printf(out, "%s\n",
                          ty_cluster_session_error_text(s, a, "read the logs", &f.refused));
        for (size_t i = 0; i < f.n; i++)
            ty_buf_done(&f.v[i].log);
    }
    if (!out->n)
        print_problems(a, job, pods, n, out);
}
