/* Takes keys out of the work queue, and requeues them when their writes are answered. The
 * reconciles themselves are in trainjob_controller_reconcile.c. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <uv.h>

#include "base/xalloc.h"
#include "controller/trainjob_controller_get.h"
#include "controller/trainjob_controller_log.h"
#include "controller/trainjob_controller_watch.h"

#define IN_FLIGHT                                                                                  \
    16 /* twice the client's connections, so that a write is always ready to be sent */
#define CONTROLLER "trainer-trainjob-controller"
#define CLOCK_MS   5000 /* how late a jump of the wall clock may be detected */

/* ---- counts ---- */

const double ty_trainjob_controller_buckets[] = {
    0.005, 0.01, 0.025, 0.05, 0.1,  0.15, 0.2,  0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6,
    0.7,   0.8,  0.9,   1,    1.25, 1.5,  1.75, 2,    2.5, 3,    3.5, 4,    4.5, 5,
    6,     7,    8,     9,    10,   15,   20,   25,   30,  40,   50,  60,   0
};

static void init_counts(struct ty_trainjob_controller *j)
{
    for (int i = 0; i < TY_CONTROLLERS; i++)
        j->kind_counts[i].seconds.bounds = ty_trainjob_controller_buckets;
}

static void count_reconcile(const struct ty_inflight *w, bool bad)
{
    struct ty_controller_counts *c = &w->controller->kind_counts[w->key.kind];
    bool later = w->result.requeue_s > 0;

    ++*(bad ? &c->error : w->result.fetch ? &c->requeue : later ? &c->requeue_after : &c->success);
    ty_histogram_observe(&c->seconds, (double)(uv_hrtime() - w->begin_ns) / 1e9);
}

void ty_trainjob_controller_count(const struct ty_trainjob_controller *j,
                                  struct ty_trainjob_controller_counts *ret)
{
    *ret = j->counts;
}

void ty_trainjob_controller_count_of(const struct ty_trainjob_controller *j,
                                     enum ty_controller_kind of, struct ty_controller_counts *ret,
                                     const struct ty_queue_kind **ret_queue)
{
    uint64_t now = uv_hrtime();

    *ret = j->kind_counts[of];
    *ret_queue = ty_queue_kind(j->queue, of);
    ret->most = (size_t)j->s.in_flight;
    for (const struct ty_inflight *w = j->inflight; w; w = w->next) {
        double seconds = (double)(now - w->begin_ns) / 1e9;
        if (w->key.kind != (int)of)
            continue;
        ret->unfinished += seconds;
        ret->longest = seconds > ret->longest ? seconds : ret->longest;
    }
}

/* ---- the queue ---- */

/* "ns/name" in the caller's buffer. */
static struct ty_str pending_key(char *buf, size_t size, struct ty_str ns, struct ty_str name)
{
    int n = snprintf(buf, size, "%.*s/%.*s", TY_ARG(ns), TY_ARG(name));
    return (struct ty_str){ buf, n < 0 ? 0 : (size_t)n < size ? (size_t)n : size - 1 };
}

struct ty_pending_job *ty_trainjob_controller_pending(struct ty_trainjob_controller *j,
                                                      struct ty_str ns, struct ty_str name)
{
    char buf[640];
    struct ty_str key = pending_key(buf, sizeof(buf), ns, name);
    struct ty_pending_job *p = ty_map_get(&j->pending, key);

    if (!p) {
        p = ty_xalloc(calloc(1, sizeof(*p)));
        ty_map_put(&j->pending, key, p);
    }
    return p;
}

struct ty_pending_job ty_trainjob_controller_take_pending(struct ty_trainjob_controller *j,
                                                          struct ty_str ns, struct ty_str name)
{
    char buf[640];
    struct ty_pending_job *p = ty_map_del(&j->pending, pending_key(buf, sizeof(buf), ns, name));
    struct ty_pending_job copy = p ? *p : (struct ty_pending_job){ 0 };

    j->woken -= copy.woken;
    free(p);
    return copy;
}

void ty_trainjob_controller_keep_pending(struct ty_inflight *w)
{
    struct ty_trainjob_controller *j = w->controller;

    if (w->key.kind != TY_CONTROLLER_TRAINJOB ||
        !ty_cache_get(j->cache, &ty_kind_trainjob, w->key.ns, w->key.name))
        return;
    struct ty_pending_job *p = ty_trainjob_controller_pending(j, w->key.ns, w->key.name);
    p->initial |= w->pending.initial && !w->failed; /* some of its writes may have succeeded */
    p->check_children |= w->pending.check_children;
    p->freeze |= w->pending.freeze;
}

void ty_trainjob_controller_forget(struct ty_trainjob_controller *j, struct ty_str ns,
                                   struct ty_str name)
{
    struct ty_key key = { TY_CONTROLLER_TRAINJOB, ns, name };

    ty_trainjob_controller_take_pending(j, ns, name);
    ty_queue_drop(j->queue, key);
    ty_queue_drop(j->waiting, key);
    ty_trainjob_controller_wake_waiting(j); /* its slot is free for the next */
}

void ty_trainjob_controller_enqueue(struct ty_trainjob_controller *j, struct ty_str ns,
                                    struct ty_str name)
{
    ty_queue_add(j->queue, (struct ty_key){ TY_CONTROLLER_TRAINJOB, ns, name });
}

static void enqueue_job(void *ctx, const struct ty_cached *o)
{
    ty_trainjob_controller_enqueue(ctx, ty_str(o->id.ns), ty_str(o->id.name));
}

/* Deadlines are wall time, but the timers of the queue run on the monotonic clock: after a jump
 * every TrainJob is requeued, to compute its deadline again. A standby reconciles none of them. */
static void on_clock_timer(uv_timer_t *t)
{
    struct ty_trainjob_controller *j = t->data;
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    int64_t wall_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    int64_t by = ty_clock_jump(&j->jump, wall_ms, (int64_t)(uv_hrtime() / 1000000));
    if (by == 0)
        return;
    ty_warn(j->s.log, "the clock was set, or the machine was suspended: requeuing all TrainJobs",
            TY_I("seconds", by / 1000));
    if (j->synced)
        ty_cache_each(j->cache, &ty_kind_trainjob, enqueue_job, j);
}

static void start_clock(struct ty_trainjob_controller *j)
{
    j->clock = ty_xalloc(calloc(1, sizeof(*j->clock)));
    uv_timer_init(j->s.loop, j->clock);
    j->clock->data = j;
    uv_timer_start(j->clock, on_clock_timer, 0, CLOCK_MS);
    uv_unref((uv_handle_t *)j->clock);
}

struct ty_trainjob_controller *
ty_trainjob_controller_new(const struct ty_trainjob_controller_settings *s)
{
    struct ty_trainjob_controller *j = ty_xalloc(calloc(1, sizeof(*j)));
    struct ty_queue_settings q = { .loop = s->loop,
                                   .ready = ty_trainjob_controller_process_queue,
                                   .ctx = j };

    j->s = *s;
    if (j->s.in_flight <= 0)
        j->s.in_flight = IN_FLIGHT;
    j->cache = ty_cache_new();
    ty_cache_set_budget(j->cache, s->budget);
    j->scratch = ty_arena_new_input(ty_trainjob_controller_pass_ceiling(j), s->budget);
    j->queue = ty_queue_new(&q);
    j->waiting = ty_queue_new(&(struct ty_queue_settings){ 0 });
    init_counts(j);
    ty_trainjob_controller_watch_all(j);
    start_clock(j);
    return j;
}

void ty_trainjob_controller_lead(struct ty_trainjob_controller *j)
{
    j->leading = true;
    ty_trainjob_controller_relist(j);
    ty_trainjob_controller_process_queue(j);
}

void ty_trainjob_controller_drain(struct ty_trainjob_controller *j)
{
    j->leading = false;
}

bool ty_trainjob_controller_idle(const struct ty_trainjob_controller *j)
{
    return !j->inflight;
}

bool ty_trainjob_controller_synced(const struct ty_trainjob_controller *j)
{
    return j->synced;
}

const struct ty_cache *ty_trainjob_controller_cache(const struct ty_trainjob_controller *j)
{
    return j->cache;
}

void ty_trainjob_controller_record_event(struct ty_trainjob_controller *j, struct ty_key key,
                                         const char *type, const char *reason, struct ty_str note)
{
    ty_trainjob_controller_record_event_once(j, key, type, reason, note, (struct ty_str){ 0 });
}

void ty_trainjob_controller_record_event_once(struct ty_trainjob_controller *j, struct ty_key key,
                                              const char *type, const char *reason,
                                              struct ty_str note, struct ty_str once)
{
    const struct ty_cached *job = ty_cache_get(j->cache, &ty_kind_trainjob, key.ns, key.name);
    char version[24];

    if (!j->s.events || !job)
        return;
    snprintf(version, sizeof(version), "%llu", (unsigned long long)job->id.version);
    ty_events_record(j->s.events, &(struct ty_event){ .controller = CONTROLLER,
                                                      .kind = &ty_kind_trainjob,
                                                      .ns = key.ns,
                                                      .name = key.name,
                                                      .uid = ty_str(job->id.uid),
                                                      .version = ty_str(version),
                                                      .type = type,
                                                      .reason = reason,
                                                      .action = "Reconciling",
                                                      .note = note,
                                                      .once = once });
}

void ty_trainjob_controller_process_queue(void *ctx)
{
    struct ty_trainjob_controller *j = ctx;
    struct ty_key key;

    if (j->processing)
        return; /* a reconcile without writes ended at once: the loop below continues */
    j->processing = true;
    while (j->leading && j->synced && !ty_trainjob_controller_is_stale(j) &&
           j->counts.in_flight < (size_t)j->s.in_flight && ty_queue_next(j->queue, &key)) {
        if (key.kind == TY_CONTROLLER_TRAINJOB)
            ty_trainjob_controller_reconcile(j, key);
        else
            ty_trainjob_controller_reconcile_runtime(j, key);
    }
    j->processing = false;
    if (j->s.idle && j->leading && j->synced && !j->inflight)
        j->s.idle(j->s.ctx);
}

static void enqueue_full(void *ctx, const struct ty_cached *o)
{
    struct ty_trainjob_controller *j = ctx;

    ty_trainjob_controller_pending(j, ty_str(o->id.ns), ty_str(o->id.name))->check_children = true;
    ty_trainjob_controller_enqueue(j, ty_str(o->id.ns), ty_str(o->id.name));
}

void ty_trainjob_controller_resync(struct ty_trainjob_controller *j)
{
    if (j->synced) /* the first sync enqueues every job anyway */
        ty_cache_each(j->cache, &ty_kind_trainjob, enqueue_full, j);
}

void ty_trainjob_controller_retry_now(struct ty_trainjob_controller *j)
{
    for (size_t i = 0; i < j->n_watched; i++)
        ty_reflector_retry_now(j->watched[i].reflect);
    ty_queue_retry_now(j->queue);
}

static void enqueue_runtime(void *ctx, const struct ty_cached *o)
{
    struct ty_trainjob_controller *j = ctx;
    int kind = o->id.kind == &ty_kind_trainingruntime ? TY_CONTROLLER_RUNTIME
                                                      : TY_CONTROLLER_CLUSTER_RUNTIME;

    ty_queue_add(j->queue, (struct ty_key){ kind, ty_str(o->id.ns), ty_str(o->id.name) });
}

void ty_trainjob_controller_configure(struct ty_trainjob_controller *j, int in_flight,
                                      enum ty_runtime_protection protection)
{
    bool other = protection != j->s.protection;

    j->s.in_flight = in_flight > 0 ? in_flight : IN_FLIGHT;
    j->s.protection = protection;
    if (other && j->synced) { /* finalizers are added or removed */
        ty_cache_each(j->cache, &ty_kind_trainingruntime, enqueue_runtime, j);
        ty_cache_each(j->cache, &ty_kind_clustertrainingruntime, enqueue_runtime, j);
    }
    ty_trainjob_controller_process_queue(j);
}

/* All writes are answered, or one failed. */
void ty_trainjob_controller_write_done(struct ty_inflight *w)
{
    struct ty_trainjob_controller *j = w->controller;
    struct ty_key key = w->key;
    bool bad = w->failed || w->result.err.code < 0;

    count_reconcile(w, bad);
    ty_trainjob_controller_log_reconcile(w, NULL);
    if (bad)
        ty_trainjob_controller_keep_pending(w);
    if (w->replaced || (bad && w->result.err.code != -EFBIG)) /* -EFBIG sets requeue_s */
        ty_queue_retry(j->queue, key);
    else
        ty_queue_forget(j->queue, key);
    if (w->wrote && !bad && !w->replaced)
        ty_queue_add(j->queue, key); /* the next reconcile sees what was written */
    /* A deadline is not delayed by a back-off. A deleted job has none. */
    if (w->result.requeue_s > 0 && ty_cache_get(j->cache, &ty_kind_trainjob, key.ns, key.name))
        ty_queue_add_after(j->queue, key, ty_time_wait_ms(w->result.requeue_s));
    ty_queue_done(j->queue, key);
    ty_trainjob_controller_inflight_free(w);
    ty_trainjob_controller_process_queue(j);
}

/* ---- free ---- */

static void on_closed(uv_handle_t *h)
{
    free(h);
}

void ty_trainjob_controller_free(struct ty_trainjob_controller *j)
{
    const struct ty_map_slot *s = NULL;
    size_t at = 0;

    if (!j)
        return;
    for (struct ty_inflight *w = j->inflight, *next = NULL; w; w = next) {
        next = w->next;
        ty_trainjob_controller_inflight_free(w);
    }
    uv_close((uv_handle_t *)j->clock, on_closed);
    ty_trainjob_controller_get_cancel_all(j);
    for (size_t i = 0; i < j->n_watched; i++) {
        ty_reflector_free(j->watched[i].reflect);
        free(j->watched[i].watch_error);
    }
    ty_queue_free(j->queue);
    ty_queue_free(j->waiting);
    while ((s = ty_map_next(&j->pending, &at)))
        free(s->value);
    ty_map_done(&j->pending);
    ty_reconcile_memo_done(&j->memo);
    ty_cache_free(j->cache);
    ty_arena_free(j->scratch);
    free(j);
}
