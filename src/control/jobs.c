/* Keys out of the queue, looks, and what became of them. */
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <uv.h>

#include "base/must.h"
#include "control/jobs_inner.h"

#define IN_FLIGHT     16 /* twice the client's connections: the next write is always ready */
#define PASS_CEILING  ((size_t)256 << 20)
#define WRITE_CEILING ((size_t)64 << 20)
#define WRITE_FIRST   ((size_t)8 << 10)
#define CONTROLLER    "trainer-trainjob-controller"
#define CLOCK_MS      5000 /* how late a jump of the wall clock may be seen */

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

static struct ty_pending take_pending(struct ty_jobs *j, struct ty_str ns, struct ty_str name)
{
    char buf[640];
    struct ty_pending *p = ty_map_del(&j->pending, pend_key(buf, sizeof(buf), ns, name));
    struct ty_pending copy = p ? *p : (struct ty_pending){ 0 };

    free(p);
    return copy;
}

void ty_jobs_forget(struct ty_jobs *j, struct ty_str ns, struct ty_str name)
{
    take_pending(j, ns, name);
    ty_queue_drop(j->queue, (struct ty_key){ TY_OF_TRAINJOBS, ns, name });
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
    j->scratch = ty_arena_new(PASS_CEILING);
    j->queue = ty_queue_new(&q);
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

/* ---- one look ---- */

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

static struct ty_writing *writing_new(struct ty_jobs *j, struct ty_key key, uint64_t begin_ns)
{
    struct ty_arena *a = ty_arena_new_small(WRITE_CEILING, WRITE_FIRST);
    struct ty_writing *w = ty_must(calloc(1, sizeof(*w)));

    *w = (struct ty_writing){ .jobs = j, .arena = a, .begin_ns = begin_ns, .next = j->writing };
    w->key = (struct ty_key){ key.kind,
                              { ty_arena_strndup(a, key.ns.p, key.ns.n), key.ns.n },
                              { ty_arena_strndup(a, key.name.p, key.name.n), key.name.n } };
    if (w->next)
        w->next->prev = w;
    j->writing = w;
    j->counts.in_flight++;
    j->control[key.kind].active++;
    return w;
}

static void writing_free(struct ty_writing *w)
{
    struct ty_jobs *j = w->jobs;

    if (w->prev)
        w->prev->next = w->next;
    else
        j->writing = w->next;
    if (w->next)
        w->next->prev = w->prev;
    j->counts.in_flight--;
    j->control[w->key.kind].active--;
    ty_kube_cancel(w->op);
    ty_arena_free(w->arena);
    free(w);
}

static struct ty_str keep(struct ty_arena *a, struct ty_str s)
{
    return s.p ? (struct ty_str){ ty_arena_strndup(a, s.p, s.n), s.n } : s;
}

/* The steps outlive the pass: rendering takes tens of kilobytes, writing a few. */
static void keep_steps(struct ty_writing *w, const struct ty_work *work, struct ty_step **end)
{
    *end = NULL;
    for (const struct ty_step *s = work->steps; s; s = s->next) {
        struct ty_step *copy = ty_new(w->arena, struct ty_step);
        *copy = *s;
        copy->name = keep(w->arena, s->name);
        copy->uid = keep(w->arena, s->uid);
        copy->body = keep(w->arena, s->body);
        copy->data = keep(w->arena, s->data);
        copy->next = NULL;
        *end = copy;
        end = &copy->next;
    }
}

static void make_work(struct ty_jobs *j, struct ty_key key, struct ty_str refused,
                      struct ty_work *ret)
{
    struct ty_pending p = take_pending(j, key.ns, key.name);
    unsigned char entropy[TY_ENTROPY];
    struct ty_work_in in = { .world = j->world,
                             .pipeline = j->s.pipeline,
                             .settings = j->s.settings,
                             .ns = key.ns,
                             .name = key.name,
                             .now_s = time(NULL),
                             .entropy = entropy,
                             .memo = &j->memo,
                             .unread = ty_jobs_unread,
                             .ctx = j,
                             .first = p.first,
                             .full = p.full,
                             .refused = refused };
    uint64_t begin = uv_hrtime();

    if (getrandom(entropy, sizeof(entropy), 0) != (ssize_t)sizeof(entropy))
        abort(); /* never fails for so few bytes once the system is up */
    ty_arena_reset(j->scratch);
    if (j->s.hook_secret && j->s.settings->status_gate)
        in.hook_secret = j->s.hook_secret(j->s.ctx, j->scratch);
    ty_work_make(j->scratch, &in, ret);
    if (ret->fetch && p.full)
        ty_jobs_pend(j, key.ns, key.name)->full = true; /* still true when it has come */
    j->counts.looks++;
    j->counts.seconds += (double)(uv_hrtime() - begin) / 1e9;
}

static void look_at_job(struct ty_jobs *j, struct ty_key key)
{
    uint64_t begin = uv_hrtime();
    struct ty_work work;

    make_work(j, key, (struct ty_str){ 0 }, &work);
    for (const struct ty_pass_event *e = work.events; e; e = e->next)
        ty_jobs_tell(j, key, e->type, e->reason, ty_str(e->message));
    struct ty_writing *w = writing_new(j, key, begin);
    const struct ty_known *jobset = ty_world_find(j->world, &ty_kind_jobset, key.ns, key.name);
    w->owned = jobset ? jobset->owned : 0;
    w->jobset_status = jobset ? jobset->status : 0;
    w->work = work;
    w->work.events = NULL; /* told already */
    keep_steps(w, &work, &w->work.steps);
    if (work.err.code < 0)
        ty_error(j->s.log, work.err.text, "TrainJob cannot be reconciled",
                 TY_S("controller", "trainjob_controller"), TY_STR("namespace", key.ns),
                 TY_STR("name", key.name));
    ty_jobs_write(w);
}

void ty_jobs_refused(struct ty_writing *w, struct ty_str why)
{
    struct ty_jobs *j = w->jobs;
    struct ty_pending p = take_pending(j, w->key.ns, w->key.name);
    struct ty_work work;

    make_work(j, w->key, why, &work);
    if (p.first || p.full) /* told meanwhile, for the next look */
        *ty_jobs_pend(j, w->key.ns, w->key.name) = p;
    keep_steps(w, &work, &w->step->next);
    w->work.requeue_s = work.requeue_s;
}

static void look_at_runtime(struct ty_jobs *j, struct ty_key key)
{
    const struct ty_kind *kind =
        key.kind == TY_OF_RUNTIMES ? &ty_kind_trainingruntime : &ty_kind_clustertrainingruntime;
    const struct ty_known *o = ty_world_find(j->world, kind, key.ns, key.name);
    uint64_t begin = uv_hrtime();

    ty_arena_reset(j->scratch);
    struct ty_str patch =
        o ? ty_runtime_patch(j->scratch, j->world, o, j->s.protection) : (struct ty_str){ 0 };
    struct ty_writing *w = writing_new(j, key, begin);
    if (patch.n) {
        struct ty_step *s = w->work.steps = ty_new(w->arena, struct ty_step);
        *s = (struct ty_step){ .op = TY_STEP_STATUS, .kind = kind, .body = keep(w->arena, patch) };
        s->name = w->key.name;
    }
    ty_jobs_write(w);
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
            look_at_job(j, key);
        else
            look_at_runtime(j, key);
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
    if (bad)
        ty_queue_retry(j->queue, key);
    else
        ty_queue_forget(j->queue, key);
    if (key.kind == TY_OF_TRAINJOBS)
        ty_jobs_settle(w);
    /* A deadline does not wait for what fails, either; but one who is gone has none. */
    if (w->work.requeue_s > 0 && ty_world_find(j->world, &ty_kind_trainjob, key.ns, key.name))
        ty_queue_add_after(j->queue, key, ty_wait_ms(w->work.requeue_s));
    ty_queue_done(j->queue, key);
    writing_free(w);
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
        writing_free(w);
    }
    uv_close((uv_handle_t *)j->clock, on_closed);
    ty_jobs_fetch_none(j);
    for (size_t i = 0; i < j->n_watched; i++) {
        ty_reflect_free(j->watched[i].reflect);
        free(j->watched[i].trouble);
    }
    ty_queue_free(j->queue);
    while ((s = ty_map_next(&j->pending, &at)))
        free(s->value);
    ty_map_done(&j->pending);
    ty_work_memo_done(&j->memo);
    ty_world_free(j->world);
    ty_arena_free(j->scratch);
    free(j);
}
