/* The timeline of a TrainJob. Events and conditions become points (time, phase), which are sorted;
 * a walk over them turns changes of phase into rows. */
#include <stdlib.h>

#include "base/time.h"
#include "report/job_phase.h"
#include "report/job_phase_inner.h"
#include "json/json.h"

/* Reasons of events, of the operator, JobSet, the Job controller and the kubelet. */
static const struct phase_reason {
    const char *reason;
    enum ty_job_phase phase;
} reasons[] = {
    { "Queued", TY_PHASE_QUEUED },
    { "Suspended", TY_PHASE_SUSPENDED },
    { "SuspendedJobs", TY_PHASE_SUSPENDED },
    { "Resumed", TY_PHASE_STARTING },
    { "ResumeJobs", TY_PHASE_STARTING },
    { "WaitingForInitializer", TY_PHASE_INITIALIZING },
    { "Running", TY_PHASE_RUNNING },
    { "JobsReady", TY_PHASE_RUNNING },
    { "Restarting", TY_PHASE_RESTARTING },
    { "DefaultFailurePolicy", TY_PHASE_RESTARTING },
    { "RestartJobSetFailurePolicyAction", TY_PHASE_RESTARTING },
    { "RestartJobSetAndIgnoreMaxRestartsFailurePolicyAction", TY_PHASE_RESTARTING },
    { "Complete", TY_PHASE_COMPLETE },
    { "AllJobsCompleted", TY_PHASE_COMPLETE },
    { "DeadlineExceeded", TY_PHASE_FAILED },
    { "FailedJobs", TY_PHASE_FAILED },
    { "ReachedMaxRestarts", TY_PHASE_FAILED },
    { "FailJobSetFailurePolicyAction", TY_PHASE_FAILED },
    { "Started", TY_PHASE_CREATED }, /* a container did: what that means depends on the phase */
};

struct phase_point {
    int64_t at_ms;
    size_t order; /* breaks ties: qsort is not stable */
    enum ty_job_phase phase;
};

struct phase_walk {
    struct phase_row_list {
        struct ty_phase_row *v;
        size_t n;
    } rows;
    enum ty_job_phase phase;
    int64_t initializers, started; /* steps before the trainer; containers since (re)start */
    bool queue;
};

static int64_t time_at(const struct ty_json *obj, const char *path)
{
    int64_t s = 0;

    (void)ty_time_parse(ty_json_str_at(obj, path), &s);
    return s > 0 ? s * 1000 : 0;
}

static bool phase_of_reason(struct ty_str reason, enum ty_job_phase *ret)
{
    for (size_t i = 0; i < TY_COUNT(reasons); i++) {
        if (ty_str_is(reason, reasons[i].reason)) {
            *ret = reasons[i].phase;
            return true;
        }
    }
    return false;
}

static int compare_points(const void *a, const void *b)
{
    const struct phase_point *x = a, *y = b;

    if (x->at_ms != y->at_ms)
        return x->at_ms < y->at_ms ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Points in order of time; none before `least_ms`. v has room for n + 1. */
static size_t read_points(const struct ty_json *trainjob, const struct ty_phase_mark *marks,
                          size_t n, int64_t least_ms, struct phase_point *v)
{
    const struct ty_json *suspended = ty_job_phase_condition(trainjob, "Suspended");
    int64_t at_ms = time_at(suspended, "lastTransitionTime");
    size_t m = 0;

    if (at_ms > 0)
        v[m++] = (struct phase_point){ .at_ms = at_ms,
                                       .phase = ty_job_phase_is_true(trainjob, "Suspended")
                                                    ? TY_PHASE_SUSPENDED
                                                    : TY_PHASE_STARTING };
    for (size_t i = 0; i < n; i++) {
        struct phase_point p = { .at_ms = marks[i].at_ms, .order = m };
        if (p.at_ms > 0 && phase_of_reason(marks[i].reason, &p.phase))
            v[m++] = p;
    }
    for (size_t i = 0; i < m; i++)
        v[i].at_ms = v[i].at_ms < least_ms ? least_ms : v[i].at_ms;
    qsort(v, m, sizeof(*v), compare_points);
    return m;
}

/* ---- the end ---- */

/* The final condition has whole seconds: what happened in its second was before it. */
static int64_t end_of(const struct ty_json *trainjob, const struct phase_point *v, size_t n,
                      enum ty_job_phase *ret_phase)
{
    bool complete = ty_job_phase_is_true(trainjob, "Complete");
    const char *type = complete ? "Complete" : "Failed";
    int64_t end_ms = 0;

    *ret_phase = complete ? TY_PHASE_COMPLETE : TY_PHASE_FAILED;
    if (complete || ty_job_phase_is_true(trainjob, "Failed"))
        end_ms = time_at(ty_job_phase_condition(trainjob, type), "lastTransitionTime");
    int64_t whole_ms = end_ms;
    for (size_t i = 0; i < n; i++) {
        if (whole_ms > 0 && v[i].at_ms > end_ms && v[i].at_ms < whole_ms + 1000)
            end_ms = v[i].at_ms;
        if (whole_ms == 0 && end_ms == 0 && v[i].phase >= TY_PHASE_COMPLETE) {
            end_ms = v[i].at_ms; /* the status is older than the event */
            *ret_phase = v[i].phase;
        }
    }
    return end_ms;
}

/* ---- rows ---- */

/* The phase after a point; the same if the point says nothing new. */
static enum ty_job_phase next_phase(struct phase_walk *w, enum ty_job_phase point)
{
    bool stands = w->phase == TY_PHASE_QUEUED || w->phase == TY_PHASE_SUSPENDED;

    if (point == TY_PHASE_RESTARTING)
        w->started = 0;
    if (point == TY_PHASE_CREATED) { /* "Started" */
        if (stands || w->phase == TY_PHASE_RUNNING)
            return w->phase;
        return w->started++ < w->initializers ? TY_PHASE_INITIALIZING : TY_PHASE_RUNNING;
    }
    if (point == TY_PHASE_STARTING && !stands)
        return w->phase;
    if (point == TY_PHASE_SUSPENDED || point == TY_PHASE_QUEUED) {
        w->started = 0;
        return w->queue ? TY_PHASE_QUEUED : point;
    }
    return point >= TY_PHASE_COMPLETE ? w->phase : point;
}

/* Ends the open row and begins another. A row of no duration is replaced. */
static void begin_row(struct phase_walk *w, enum ty_job_phase phase, int64_t at_ms)
{
    struct phase_row_list *r = &w->rows;
    const char *name = ty_job_phase_name(phase);

    w->phase = phase;
    if (r->n > 0 && r->v[r->n - 1].begin_ms == at_ms)
        r->n--;
    if (r->n > 0 && strcmp(r->v[r->n - 1].name, name) == 0) {
        r->v[r->n - 1].end_ms = 0;
        return;
    }
    if (r->n == TY_PHASE_ROWS - 1) /* room for the end */
        r->n--;
    if (r->n > 0)
        r->v[r->n - 1].end_ms = at_ms;
    r->v[r->n++] = (struct ty_phase_row){ name, at_ms, 0 };
}

/* The first phase: a job that is created suspended has no event of its own for that, and one that
 * is resumed was suspended before. */
static enum ty_job_phase first_phase(const struct phase_walk *w, const struct phase_point *v,
                                     size_t n, int64_t created_ms)
{
    enum { SOON_MS = 60 * 1000 };
    enum ty_job_phase first = n > 0 ? v[0].phase : TY_PHASE_RUNNING;
    bool stood = first == TY_PHASE_QUEUED || first == TY_PHASE_SUSPENDED;

    if (first != TY_PHASE_STARTING && (!stood || v[0].at_ms > created_ms + SOON_MS))
        return TY_PHASE_STARTING;
    return w->queue || first == TY_PHASE_QUEUED ? TY_PHASE_QUEUED : TY_PHASE_SUSPENDED;
}

/* Events that would tell when it began to run are gone, or never came: what the objects say of its
 * present or its end is said of the whole row. */
static void rename_last(struct phase_walk *w, const struct ty_json *trainjob, enum ty_job_phase end,
                        bool ended)
{
    enum ty_job_phase now = ty_job_phase_of(trainjob, NULL);
    struct ty_phase_row *last = &w->rows.v[w->rows.n - 1];

    if (w->phase != TY_PHASE_STARTING)
        return;
    if (ended ? end == TY_PHASE_COMPLETE
              : now == TY_PHASE_RUNNING || now == TY_PHASE_INITIALIZING || now == TY_PHASE_QUEUED)
        last->name = ty_job_phase_name(ended ? TY_PHASE_RUNNING : now);
}

size_t ty_job_phase_timeline(struct ty_arena *a, const struct ty_json *trainjob,
                             const struct ty_phase_mark *marks, size_t n, struct ty_phase_row **ret)
{
    struct phase_point *v = ty_new_n(a, struct phase_point, n + 1);
    int64_t created_ms = time_at(trainjob, "metadata.creationTimestamp");
    size_t m = read_points(trainjob, marks, n, created_ms, v);
    enum ty_job_phase end = TY_PHASE_FAILED;
    int64_t end_ms = end_of(trainjob, v, m, &end);
    struct phase_walk w = { .queue = ty_job_phase_has_queue(trainjob),
                            .initializers =
                                (int64_t)ty_json_len(ty_json_at(trainjob, "spec.initializer")) };

    w.rows.v = *ret = ty_new_n(a, struct ty_phase_row, TY_PHASE_ROWS);
    if (created_ms == 0 && m > 0)
        created_ms = v[0].at_ms;
    if (created_ms == 0)
        return 0;
    begin_row(&w, first_phase(&w, v, m, created_ms), created_ms);
    for (size_t i = 0; i < m && (end_ms == 0 || v[i].at_ms <= end_ms); i++) {
        enum ty_job_phase next = next_phase(&w, v[i].phase);
        if (next != w.phase)
            begin_row(&w, next, v[i].at_ms);
    }
    rename_last(&w, trainjob, end, end_ms > 0);
    if (end_ms > 0) {
        end_ms = end_ms < created_ms ? created_ms : end_ms;
        w.rows.v[w.rows.n - 1].end_ms = end_ms;
        w.rows.v[w.rows.n++] = (struct ty_phase_row){ ty_job_phase_name(end), end_ms, end_ms };
    }
    return w.rows.n;
}
