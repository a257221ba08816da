/* Keys out of the queue, and what became of them. The looks are in jobs_look.c. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <uv.h>

#include "base/must.h"
#include "control/jobs_inner.h"

#define IN_FLIGHT  16 /* twice the client's connections: the next write is always ready */
#define CONTROLLER "trainer-trainjob-controller"
#define CLOCK_MS   5000 /* how late a jump of the wall clock may be seen */

/* "ns/name" in a buffer of the caller's. */
static struct ty_str pend_key(char *buf, size_t size, struct ty_str ns, struct ty_str name)
{
    int n = snprintf(buf, size, "%.*s/%.*s", TY_ARG(ns), TY_ARG(name));
    return (struct ty_str){ buf, n < 0 ? 0 : (size_t)n < size ? (size_t)n : size - 1 };
}

struct ty_pending *ty_jobs_pend(struct ty_jobs *j, struct ty_str ns, struct ty_str name)
{
    char buf[640];
    struct ty_str key = pend_key(buf, sizeof(buf), ns, name);
    struct ty_pending *p = ty_map_get(&j->pending, key);

    if (!p) {
        p = ty_must(calloc(1, sizeof(*p)));
        ty_map_put(&j->pending, key, p);
    }
    return p;
}

struct ty_pending ty_jobs_take(struct ty_jobs *j, struct ty_str ns, struct ty_str name)
{
    char buf[640];
    struct ty_pending *p = ty_map_del(&j->pending, pend_key(buf, sizeof(buf), ns, name));
    struct ty_pending copy = p ? *p : (struct ty_pending){ 0 };

    j->woken -= copy.woken;
    free(p);
    return copy;
}

void ty_jobs_forget(struct ty_jobs *j, struct ty_str ns, struct ty_str name)
{
    struct ty_key key = { TY_OF_TRAINJOBS, ns, name };

    ty_jobs_take(j, ns, name);
    ty_queue_drop(j->queue, key);
    ty_queue_drop(j->waiting, key);
    ty_jobs_wake(j); /* it may have been its turn */
}

void ty_jobs_look(struct ty_jobs *j, struct ty_str ns, struct ty_str name)
{
    ty_queue_add(j->queue, (struct ty_key){ TY_OF_TRAINJOBS, ns, name });
}

static void look_again(void *ctx, const struct ty_known *o)
{
    ty_jobs_look(ctx, ty_str(o->ns), ty_str(o->name));
}

/* Deadlines are reckoned anew: what waits for one, waits by a clock that did not jump. */
static void on_clock(uv_timer_t *t)
{
    struct ty_jobs *j = t->data;
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    int64_t wall_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    int64_t by = ty_jump(&j->jump, wall_ms, (int64_t)(uv_hrtime() / 1000000));
    if (by == 0)
        return;
    ty_warn(j->s.log, "the clock was set, or the machine slept: looking at all TrainJobs",
            TY_I("seconds", by / 1000));
    if (j->synced)
        ty_world_each(j->world, &ty_kind_trainjob, look_again, j);
}

static void start_clock(struct ty_jobs *j)
{
    j->clock = ty_must(calloc(1, sizeof(*j->clock)));
    uv_timer_init(j->s.loop, j->clock);
    j->clock->data = j;
    uv_timer_start(j->clock, on_clock, 0, CLOCK_MS);
    uv_unref((uv_handle_t *)j->clock);
}

struct ty_jobs *ty_jobs_new(const struct ty_jobs_settings *s)
{
    struct ty_jobs *j = ty_must(calloc(1, sizeof(*j)));
    struct ty_queue_settings q = { .loop = s->loop, .ready = ty_jobs_turn, .ctx = j };

    j->s = *s;
    if (j->s.in_flight <= 0)
        j->s.in_flight = IN_FLIGHT;
    j->world = ty_world_new();
    ty_world_charge(j->world, s->budget);
    j->scratch = ty_arena_new_input(ty_jobs_pass_ceiling(j), s->budget);
    j->queue = ty_queue_new(&q);
    j->waiting = ty_queue_new(&(struct ty_queue_settings){ 0 });
    ty_jobs_count_from_now(j);
    ty_jobs_watch_all(j);
    start_clock(j);
    return j;
}

void ty_jobs_lead(struct ty_jobs *j)
{
    j->leading = true;
    ty_jobs_catch_up(j);
    ty_jobs_turn(j);
}

void ty_jobs_rest(struct ty_jobs *j)
{
    j->leading = false;
}

bool ty_jobs_idle(const struct ty_jobs *j)
{
    return !j->writing;
}

bool ty_jobs_synced(const struct ty_jobs *j)
{
    return j->synced;
}

const struct ty_world *ty_jobs_world(const struct ty_jobs *j)
{
    return j->world;
}

void ty_jobs_tell(struct ty_jobs *j, struct ty_key key, const char *type, const char *reason,
                  struct ty_str note)
{
    const struct ty_known *job = ty_world_find(j->world, &ty_kind_trainjob, key.ns, key.name);
    char version[24];

    if (!j->s.events || !job)
        return;
    snprintf(version, sizeof(version), "%llu", (unsigned long long)job->version);
    ty_events_say(j->s.events, &(struct ty_event){ .controller = CONTROLLER,
                                                   .kind = &ty_kind_trainjob,
                                                   .ns = key.ns,
                                                   .name = key.name,
                                                   .uid = ty_str(job->uid),
                                                   .version = ty_str(version),
                                                   .type = type,
                                                   .reason = reason,
                                                   .action = "Reconciling",
                                                   .note = note });
}

void ty_jobs_turn(void *ctx)
{
    struct ty_jobs *j = ctx;
    struct ty_key key;

    if (j->turning)
        return; /* a look that needed no write came back at once: the loop below goes on */
    j->turning = true;
    while (j->leading && j->synced && !ty_jobs_behind(j) &&
           j->counts.in_flight < (size_t)j->s.in_flight && ty_queue_next(j->queue, &key)) {
        if (key.kind == TY_OF_TRAINJOBS)
            ty_jobs_reconcile(j, key);
        else
            ty_jobs_reconcile_runtime(j, key);
    }
    j->turning = false;
    if (j->s.idle && j->leading && j->synced && !j->writing)
        j->s.idle(j->s.ctx);
}

static void look_at_one(void *ctx, const struct ty_known *o)
{
    struct ty_jobs *j = ctx;

    ty_jobs_pend(j, ty_str(o->ns), ty_str(o->name))->full = true;
    ty_jobs_look(j, ty_str(o->ns), ty_str(o->name));
}

void ty_jobs_look_at_all(struct ty_jobs *j)
{
    if (j->synced) /* before that every job is looked at anyway */
        ty_world_each(j->world, &ty_kind_trainjob, look_at_one, j);
}

void ty_jobs_hurry(struct ty_jobs *j)
{
    for (size_t i = 0; i < j->n_watched; i++)
        ty_reflect_hurry(j->watched[i].reflect);
    ty_queue_hurry(j->queue);
}

static void look_at_each_runtime(void *ctx, const struct ty_known *o)
{
    struct ty_jobs *j = ctx;
    int kind = o->kind == &ty_kind_trainingruntime ? TY_OF_RUNTIMES : TY_OF_CLUSTER_RUNTIMES;

    ty_queue_add(j->queue, (struct ty_key){ kind, ty_str(o->ns), ty_str(o->name) });
}

void ty_jobs_tune(struct ty_jobs *j, int in_flight, enum ty_protection protection)
{
    bool other = protection != j->s.protection;

    j->s.in_flight = in_flight > 0 ? in_flight : IN_FLIGHT;
    j->s.protection = protection;
    if (other && j->synced) { /* their finalizers come or go */
        ty_world_each(j->world, &ty_kind_trainingruntime, look_at_each_runtime, j);
        ty_world_each(j->world, &ty_kind_clustertrainingruntime, look_at_each_runtime, j);
    }
    ty_jobs_turn(j);
}

/* The writes are over, well or not. */
void ty_jobs_written(struct ty_writing *w)
{
    struct ty_jobs *j = w->jobs;
    struct ty_key key = w->key;
    bool bad = w->failed || w->work.err.code < 0;

    ty_jobs_counted(w, bad);
    ty_jobs_log_reconcile(w, NULL);
    if (w->replaced || (bad && w->work.err.code != -EFBIG)) /* that one says itself when */
        ty_queue_retry(j->queue, key);
    else
        ty_queue_forget(j->queue, key);
    if (key.kind == TY_OF_TRAINJOBS)
        ty_jobs_settle(w);
    /* A deadline does not wait for what fails, either; but one who is gone has none. */
    if (w->work.requeue_s > 0 && ty_world_find(j->world, &ty_kind_trainjob, key.ns, key.name))
        ty_queue_add_after(j->queue, key, ty_wait_ms(w->work.requeue_s));
    ty_queue_done(j->queue, key);
    ty_jobs_writing_free(w);
    ty_jobs_turn(j);
}

/* ---- the end ---- */

static void on_closed(uv_handle_t *h)
{
    free(h);
}

void ty_jobs_free(struct ty_jobs *j)
{
    const struct ty_map_slot *s = NULL;
    size_t at = 0;

    if (!j)
        return;
    for (struct ty_writing *w = j->writing, *next = NULL; w; w = next) {
        next = w->next;
        ty_jobs_writing_free(w);
    }
    uv_close((uv_handle_t *)j->clock, on_closed);
    ty_jobs_fetch_none(j);
    for (size_t i = 0; i < j->n_watched; i++) {
        ty_reflect_free(j->watched[i].reflect);
        free(j->watched[i].trouble);
    }
    ty_queue_free(j->queue);
    ty_queue_free(j->waiting);
    while ((s = ty_map_next(&j->pending, &at)))
        free(s->value);
    ty_map_done(&j->pending);
    ty_work_memo_done(&j->memo);
    ty_world_free(j->world);
    ty_arena_free(j->scratch);
    free(j);
}
