/* Jobs, the timer, and the way in and out of the watch. */
#include "failure/failure_watch.h"

#include <stdlib.h>
#include <time.h>
#include <uv.h>

#include "base/xalloc.h"
#include "failure/failure_watch_inner.h"

#define TICK_MS 200

int64_t ty_failure_watch_now(const struct ty_failure_watch *w)
{
    return (int64_t)uv_now(w->s.loop);
}

int64_t ty_failure_watch_wall(const struct ty_failure_watch *w)
{
    return w->s.now_s ? w->s.now_s(w->s.ctx) : (int64_t)time(NULL);
}

/* ---- jobs ---- */

static struct ty_str job_key(char *buf, size_t size, struct ty_str ns, struct ty_str name)
{
    int n = snprintf(buf, size, "%.*s/%.*s", TY_ARG(ns), TY_ARG(name));

    return (struct ty_str){ buf, n < 0 ? 0 : (size_t)n < size ? (size_t)n : size - 1 };
}

struct ty_failure_job *ty_failure_watch_find(const struct ty_failure_watch *w, struct ty_str ns,
                                             struct ty_str name)
{
    char buf[640];

    return ty_map_get(&w->jobs, job_key(buf, sizeof(buf), ns, name));
}

struct ty_failure_job *ty_failure_watch_job(struct ty_failure_watch *w,
                                            const struct ty_cached *trainjob)
{
    struct ty_str ns = ty_str(trainjob->id.ns), name = ty_str(trainjob->id.name);
    struct ty_str uid = ty_str(trainjob->id.uid);
    struct ty_failure_job *job = ty_failure_watch_find(w, ns, name);
    char buf[640];

    if (job && !ty_str_is(uid, job->uid))
        ty_failure_job_reset(job, uid);
    if (!job) {
        job = ty_failure_job_new(w, ns, name, uid);
        ty_map_put(&w->jobs, job_key(buf, sizeof(buf), ns, name), job);
    }
    return job;
}

void ty_failure_watch_drop(struct ty_failure_watch *w, struct ty_failure_job *job)
{
    const struct ty_cache *cache = ty_trainjob_controller_cache(w->s.controller);
    char buf[640];

    if (job->pods || ty_cache_get(cache, &ty_kind_trainjob, ty_str(job->ns), ty_str(job->name)))
        return;
    ty_map_del(&w->jobs, job_key(buf, sizeof(buf), ty_str(job->ns), ty_str(job->name)));
    ty_failure_job_free(job);
}

void ty_failure_watch_deleted(struct ty_failure_watch *w, struct ty_str ns, struct ty_str name)
{
    struct ty_failure_job *job = ty_failure_watch_find(w, ns, name);

    if (!job)
        return;
    /* The controller calls this before the cache forgets the TrainJob: a name of nobody's uid
     * belongs to no TrainJob, and the next one of that name resets it. */
    ty_failure_job_reset(job, (struct ty_str){ "", 0 });
    if (!job->pods) {
        char buf[640];
        ty_map_del(&w->jobs, job_key(buf, sizeof(buf), ns, name));
        ty_failure_job_free(job);
    }
    ty_failure_watch_start_waiting(w);
}

void ty_failure_watch_event(struct ty_failure_watch *w, const struct ty_failure_job *job,
                            const char *type, const char *reason, struct ty_str note)
{
    struct ty_key key = { TY_CONTROLLER_TRAINJOB, ty_str(job->ns), ty_str(job->name) };

    if (w->leading && !w->stopped)
        ty_trainjob_controller_record_event(w->s.controller, key, type, reason, note);
}

struct ty_str ty_failure_watch_note(const struct ty_failure_watch *w, const struct ty_cached *job)
{
    const struct ty_failure_job *it =
        ty_failure_watch_find(w, ty_str(job->id.ns), ty_str(job->id.name));

    if (!it || strcmp(it->uid, job->id.uid) != 0)
        return (struct ty_str){ "", 0 };
    return ty_str(it->note && it->noted             ? it->note
                  : it->problem_told && it->problem ? it->problem
                                                    : "");
}

/* ---- turns of the loop ---- */

static void on_judge(uv_idle_t *h)
{
    struct ty_failure_watch *w = h->data;

    if (ty_failure_watch_judge(w))
        return;
    uv_idle_stop(h);
    ty_failure_watch_start_waiting(w);
}

void ty_failure_watch_start_judge(struct ty_failure_watch *w)
{
    if (!w->stopped)
        uv_idle_start(w->judge, on_judge);
}

static void on_tick(uv_timer_t *t)
{
    struct ty_failure_watch *w = t->data;
    const struct ty_map_slot *s = NULL;
    size_t at = 0;
    bool more = false;

    while ((s = ty_map_next(&w->jobs, &at))) {
        struct ty_failure_job *job = s->value;
        if (job->collection)
            ty_failure_collection_tick(job->collection, ty_failure_watch_now(w));
        if (job->collection && ty_failure_collection_is_over(job->collection))
            ty_failure_watch_start_judge(w);
        more |= job->collection != NULL || !ty_failure_watch_tell(job);
    }
    ty_failure_watch_start_waiting(w);
    if (!more)
        uv_timer_stop(t);
}

void ty_failure_watch_arm(struct ty_failure_watch *w)
{
    if (!uv_is_active((const uv_handle_t *)w->timer) && !w->stopped)
        uv_timer_start(w->timer, on_tick, TICK_MS, TICK_MS);
}

/* ---- begin and end ---- */

struct ty_failure_watch *ty_failure_watch_new(const struct ty_failure_watch_settings *s)
{
    struct ty_failure_watch *w = ty_xalloc(calloc(1, sizeof(*w)));

    w->s = *s;
    w->timer = ty_xalloc(calloc(1, sizeof(*w->timer)));
    uv_timer_init(s->loop, w->timer);
    w->judge = ty_xalloc(calloc(1, sizeof(*w->judge)));
    uv_idle_init(s->loop, w->judge);
    w->timer->data = w->judge->data = w;
    return w;
}

static void start_if_due(struct ty_failure_watch *w)
{
    if (w->leading && !w->stopped && !w->reflect && ty_trainjob_controller_synced(w->s.controller))
        ty_failure_watch_pods(w);
}

void ty_failure_watch_lead(struct ty_failure_watch *w)
{
    w->leading = true;
    start_if_due(w);
}

void ty_failure_watch_synced(struct ty_failure_watch *w)
{
    start_if_due(w);
}

static void cancel_collections(struct ty_failure_watch *w)
{
    const struct ty_map_slot *s = NULL;
    size_t at = 0;

    while ((s = ty_map_next(&w->jobs, &at))) {
        struct ty_failure_job *job = s->value;
        ty_failure_collection_free(job->collection);
        ty_failure_collection_free(job->last);
        job->collection = job->last = NULL;
    }
}

void ty_failure_watch_stop(struct ty_failure_watch *w)
{
    w->stopped = true;
    uv_timer_stop(w->timer);
    uv_idle_stop(w->judge);
    cancel_collections(w);
}

static void on_closed(uv_handle_t *h)
{
    free(h);
}

void ty_failure_watch_free(struct ty_failure_watch *w)
{
    const struct ty_map_slot *s = NULL;
    struct ty_object_entry *e = NULL;
    size_t at = 0;

    if (!w)
        return;
    ty_failure_watch_stop(w);
    uv_close((uv_handle_t *)w->timer, on_closed);
    uv_close((uv_handle_t *)w->judge, on_closed);
    ty_reflector_free(w->reflect);
    while ((e = ty_object_table_next(&w->pods, NULL, &at)))
        free(e);
    ty_object_table_done(&w->pods);
    at = 0;
    while ((s = ty_map_next(&w->jobs, &at)))
        ty_failure_job_free(s->value);
    ty_map_done(&w->jobs);
    free(w);
}

void ty_failure_watch_count(const struct ty_failure_watch *w, struct ty_failure_watch_counts *ret)
{
    struct ty_object_entry *e = NULL;
    size_t at = 0;

    *ret = w->counts;
    ret->jobs = w->jobs.n;
    ret->pod_bytes = ty_object_table_bytes(&w->pods);
    while ((e = ty_object_table_next(&w->pods, NULL, &at))) {
        ret->pods++;
        ret->pod_bytes += ty_failure_job_pod_bytes((const struct ty_failure_pod *)e);
    }
    ret->collections = w->turns.alive;
}
