/* The status of a Job: conditions as its controller sets them, counters as Go prints them (zeros of
 * active, succeeded and failed are omitted; ready and terminating are always present). */
#include "engine/job/job_status.h"

#include "engine/job/job_count.h"
#include "engine/job/job_indexes.h"
#include "trainer/trainjob_reconcile.h"

bool ty_job_condition_is(const struct ty_json *job, const char *type)
{
    const struct ty_json *c =
        ty_json_find_item(ty_json_at(job, "status.conditions"), "type", ty_str(type), NULL);
    return ty_str_is(ty_json_str_at(c, "status"), "True");
}

bool ty_job_condition_set(struct ty_arena *a, struct ty_json *conditions, const char *type, bool on,
                          const char *reason, const char *message, int64_t now_s)
{
    struct ty_json *c = ty_json_find_item(conditions, "type", ty_str(type), NULL);
    struct ty_json *time = ty_json_str(a, ty_time_text(a, now_s));
    const char *status = on ? "True" : "False";

    if (c && ty_str_is(ty_json_str_at(c, "status"), status) &&
        ty_str_is(ty_json_str_at(c, "reason"), reason) &&
        ty_str_is(ty_json_str_at(c, "message"), message))
        return false;
    if (!c && !on)
        return false; /* from nothing to False says nothing */
    if (!c) {
        c = ty_json_object(a);
        ty_json_push(a, conditions, c);
    }
    ty_json_set(a, c, "type", ty_json_cstr(a, type));
    ty_json_set(a, c, "status", ty_json_cstr(a, status));
    ty_json_set(a, c, "lastProbeTime", time);
    ty_json_set(a, c, "lastTransitionTime", time);
    ty_json_set(a, c, "reason", ty_json_cstr(a, reason));
    ty_json_set(a, c, "message", ty_json_cstr(a, message));
    return true;
}

static void set_count(struct ty_arena *a, struct ty_json *status, const char *key, int64_t v)
{
    if (v != 0)
        ty_json_set(a, status, key, ty_json_int(a, v));
}

static void set_time(struct ty_arena *a, struct ty_json *status, const char *key, int64_t s)
{
    if (s != 0)
        ty_json_set(a, status, key, ty_json_str(a, ty_time_text(a, s)));
}

struct ty_json *ty_job_status_make(struct ty_arena *a, const struct ty_job_spec *s,
                                   const struct ty_job_status *st)
{
    struct ty_json *v = ty_json_object(a);
    const struct ty_job_count *c = st->count;

    if (st->conditions->n)
        ty_json_set(a, v, "conditions", st->conditions);
    set_time(a, v, "startTime", st->start_s);
    set_time(a, v, "completionTime", st->completion_s);
    set_count(a, v, "active", c->active);
    set_count(a, v, "succeeded", st->succeeded);
    set_count(a, v, "failed", st->failed);
    ty_json_set(a, v, "terminating", ty_json_int(a, c->terminating));
    if (s->indexed && c->done.n)
        ty_json_set(a, v, "completedIndexes", ty_json_str(a, ty_job_indexes_text(a, &c->done)));
    if (s->per_index >= 0)
        ty_json_set(a, v, "failedIndexes", ty_json_str(a, ty_job_indexes_text(a, &c->lost)));
    ty_json_set(a, v, "uncountedTerminatedPods", ty_json_object(a));
    ty_json_set(a, v, "ready", ty_json_int(a, c->ready));
    return v;
}
