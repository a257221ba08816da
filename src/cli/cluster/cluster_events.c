#include "cli/cluster/cluster_events.h"

#include <stdlib.h>

#include "base/time.h"
#include "store/kube/kube_kinds.h"

/* ---- which events ---- */

/* Cuts "-DIGITS" off the front. */
static bool take_index(struct ty_str *s)
{
    size_t n = 1;

    if (s->n < 2 || s->p[0] != '-')
        return false;
    while (n < s->n && s->p[n] >= '0' && s->p[n] <= '9')
        n++;
    if (n < 2)
        return false;
    *s = (struct ty_str){ s->p + n, s->n - n };
    return true;
}

/* The rest of a name after "JOB-REPLICATEDJOB-INDEX" is empty for a Job, "-INDEX-SUFFIX" for a
 * pod. */
static bool is_child(struct ty_str rest, bool pod)
{
    if (!take_index(&rest))
        return false;
    if (!pod)
        return rest.n == 0;
    return take_index(&rest) && rest.n > 1 && rest.p[0] == '-' &&
           !memchr(rest.p + 1, '-', rest.n - 1);
}

static bool is_step_child(struct ty_str rest, struct ty_str step, bool pod)
{
    return step.n && ty_str_starts(rest, step) &&
           is_child((struct ty_str){ rest.p + step.n, rest.n - step.n }, pod);
}

bool ty_cluster_events_is_of(const struct ty_job_history_entry *job, struct ty_str kind,
                             struct ty_str name)
{
    /* Of the runtimes that are usual, for a JobSet that is gone or may not be read. */
    static const char *const usual[] = { "node", "launcher", "dataset-initializer",
                                         "model-initializer" };
    struct ty_str own = ty_str(job->name);
    bool pod = ty_str_is(kind, "Pod");

    if (ty_str_is(kind, "TrainJob") || ty_str_is(kind, "JobSet"))
        return ty_str_eq(name, own);
    if ((!pod && !ty_str_is(kind, "Job")) || !ty_str_starts(name, own) || name.n <= own.n + 1 ||
        name.p[own.n] != '-')
        return false;
    struct ty_str rest = { name.p + own.n + 1, name.n - own.n - 1 };
    for (size_t i = 0; !job->jobset && i < TY_COUNT(usual); i++)
        if (is_step_child(rest, ty_str(usual[i]), pod))
            return true;
    ty_each_item (rj, ty_json_at(job->jobset, "spec.replicatedJobs")) {
        if (is_step_child(rest, ty_json_str_at(*rj, "name"), pod))
            return true;
    }
    return false;
}

static int64_t time_ms(const struct ty_json *event, const char *path)
{
    int64_t s = 0;

    return ty_time_parse(ty_json_str_at(event, path), &s) ? s * 1000 : 0;
}

static int64_t first_of(int64_t a, int64_t b, int64_t c)
{
    return a ? a : b ? b : c;
}

static int64_t first_ms(const struct ty_json *e)
{
    return first_of(time_ms(e, "firstTimestamp"), time_ms(e, "eventTime"),
                    time_ms(e, "metadata.creationTimestamp"));
}

/* events.k8s.io/v1 has the series, core/v1 the last timestamp. */
static int64_t last_ms(const struct ty_json *e)
{
    return first_of(time_ms(e, "series.lastObservedTime"), time_ms(e, "lastTimestamp"),
                    first_ms(e));
}

/* Events of an earlier TrainJob of the same name are another story. */
static bool is_of_job(void *ctx, const struct ty_json *e)
{
    const struct ty_job_history_entry *job = ctx;
    struct ty_str kind = ty_json_str_at(e, "involvedObject.kind"),
                  uid = ty_json_str_at(e, "involvedObject.uid"),
                  own = ty_json_str_at(job->job, "metadata.uid");

    if (!ty_cluster_events_is_of(job, kind, ty_json_str_at(e, "involvedObject.name")))
        return false;
    if (ty_str_is(kind, "TrainJob") && uid.n && own.n)
        return ty_str_eq(uid, own);
    return last_ms(e) >= job->run.started_ms;
}

static bool is_of_any(void *ctx TY_UNUSED, const struct ty_json *e)
{
    struct ty_str kind = ty_json_str_at(e, "involvedObject.kind");

    return ty_str_is(kind, "TrainJob") || ty_str_is(kind, "JobSet") || ty_str_is(kind, "Job") ||
           ty_str_is(kind, "Pod");
}

/* ---- in order ---- */

struct event_row {
    const struct ty_json *obj;
    int64_t last_ms;
    size_t at;
};

static int by_time(const void *x, const void *y)
{
    const struct event_row *a = x, *b = y;

    if (a->last_ms != b->last_ms)
        return a->last_ms < b->last_ms ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

static bool report(struct ty_arena *a, const struct event_row *row, ty_job_source_event_fn *fn,
                   void *ctx)
{
    const struct ty_json *e = row->obj;
    int64_t count = 1;

    if (!ty_json_int_at(e, "series.count", &count))
        (void)ty_json_int_at(e, "count", &count);
    return fn(ctx, &(struct ty_job_event){ .uid = ty_json_cstr_at(a, e, "metadata.uid"),
                                           .kind = ty_json_cstr_at(a, e, "involvedObject.kind"),
                                           .name = ty_json_cstr_at(a, e, "involvedObject.name"),
                                           .type = ty_json_cstr_at(a, e, "type"),
                                           .reason = ty_json_cstr_at(a, e, "reason"),
                                           .message = ty_json_cstr_at(a, e, "message"),
                                           .count = count,
                                           .first_ms = first_ms(e),
                                           .last_ms = row->last_ms,
                                           .obj = e });
}

int ty_cluster_events(struct ty_cluster_session *s, const struct ty_cluster_events_query *q,
                      struct ty_cluster_answer *answer)
{
    struct ty_kube_selector which = { .kind = &ty_kind_event,
                                      .ns = q->job ? ty_str(q->job->ns) : q->ns };
    struct ty_job_history_entry copy = q->job ? *q->job : (struct ty_job_history_entry){ 0 };
    ty_cluster_watch_keep_fn *keep = q->job ? is_of_job : is_of_any;
    struct ty_json **objs = NULL;
    size_t n = 0;
    int r = 0;

    if (q->watch)
        ty_cluster_watch_take(q->watch, q->arena, keep, &copy, &objs, &n);
    else
        r = ty_cluster_session_list_if(s, q->arena, &which, keep, &copy, &objs, &n, answer);
    struct event_row *rows = ty_new_n(q->arena, struct event_row, n + 1);
    for (size_t i = 0; i < n; i++)
        rows[i] = (struct event_row){ objs[i], last_ms(objs[i]), i };
    if (n)
        qsort(rows, n, sizeof(*rows), by_time);
    for (size_t i = 0; r == 0 && i < n; i++)
        if (!report(q->arena, &rows[i], q->fn, q->ctx))
            break;
    return r;
}
