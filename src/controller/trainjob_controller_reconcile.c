/* Reconciles one key within the memory budget: calls ty_reconcile over the cache and starts the
 * writes. Large jobs take megabytes each, so only LARGE_AT_ONCE are in flight; the others wait for
 * a slot. */
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <uv.h>

#include "base/budget.h"
#include "base/xalloc.h"
#include "controller/trainjob_controller_fetch.h"
#include "controller/trainjob_controller_log.h"
#include "controller/trainjob_controller_watch.h"

#define LARGE_AT_ONCE 2
#define PASS_CEILING  ((size_t)256 << 20) /* at most half of the budget */
#define WRITE_CEILING ((size_t)16 << 20)  /* of fetched objects and request bodies, as text */

/* A pass may exceed its ceiling a little before it checks. */
size_t ty_trainjob_controller_pass_ceiling(const struct ty_trainjob_controller *j)
{
    return ty_trainjob_controller_ceiling(j, PASS_CEILING);
}

size_t ty_trainjob_controller_ceiling(const struct ty_trainjob_controller *j, size_t most)
{
    const struct ty_budget *b = j->s.budget;

    return b && b->ceiling && b->ceiling / 2 < most ? b->ceiling / 2 : most;
}

static struct ty_inflight *inflight_new(struct ty_trainjob_controller *j, struct ty_key key,
                                        uint64_t begin_ns)
{
    struct ty_arena *a =
        ty_arena_new_input(ty_trainjob_controller_ceiling(j, WRITE_CEILING), j->s.budget);
    struct ty_inflight *w = ty_xalloc(calloc(1, sizeof(*w)));

    *w = (struct ty_inflight){
        .controller = j, .arena = a, .begin_ns = begin_ns, .next = j->inflight
    };
    w->key = (struct ty_key){ key.kind, ty_arena_str(a, key.ns), ty_arena_str(a, key.name) };
    if (w->next)
        w->next->prev = w;
    j->inflight = w;
    j->counts.in_flight++;
    j->kind_counts[key.kind].active++;
    return w;
}

void ty_trainjob_controller_inflight_free(struct ty_inflight *w)
{
    struct ty_trainjob_controller *j = w->controller;

    if (w->prev)
        w->prev->next = w->next;
    else
        j->inflight = w->next;
    if (w->next)
        w->next->prev = w->prev;
    j->counts.in_flight--;
    j->kind_counts[w->key.kind].active--;
    ty_kube_cancel(w->op);
    ty_arena_free(w->arena);
    j->large -= w->large;
    ty_trainjob_controller_wake_waiting(j);
    free(w);
}

/* Copies s; marks the arena full if s does not fit. */
static struct ty_str copy_text(struct ty_arena *a, struct ty_str s)
{
    if (s.n >= ty_arena_left(a)) {
        ty_arena_fill(a);
        return (struct ty_str){ 0 };
    }
    return s.p ? ty_arena_str(a, s) : s;
}

/* The steps outlive the pass, in an arena of their own: rendering takes tens of kilobytes, the
 * steps a few. */
static void copy_steps(struct ty_inflight *w, const struct ty_reconcile_result *result,
                       struct ty_write_step **end)
{
    *end = NULL;
    for (const struct ty_write_step *s = result->steps; s && !ty_arena_full(w->arena);
         s = s->next) {
        struct ty_write_step *copy = ty_new(w->arena, struct ty_write_step);
        *copy = *s;
        copy->name = copy_text(w->arena, s->name);
        copy->uid = copy_text(w->arena, s->uid);
        copy->version = copy_text(w->arena, s->version);
        copy->body = copy_text(w->arena, s->body);
        copy->data = copy_text(w->arena, s->data);
        copy->next = NULL;
        *end = copy;
        end = &copy->next;
    }
}

void ty_trainjob_controller_copy_result(struct ty_inflight *w,
                                        const struct ty_reconcile_result *result)
{
    w->result = *result;
    w->result.events = NULL; /* recorded by take_result */
    w->result.fetch_name = copy_text(w->arena, result->fetch_name);
    copy_steps(w, result, &w->result.steps);
}

/* The pass did not fit into this arena: starved or too large. */
static void set_memory_error(struct ty_trainjob_controller *j, const struct ty_arena *full,
                             struct ty_reconcile_result *ret)
{
    if (ty_arena_starved(full))
        ty_reconcile_starved(ret);
    else
        ty_reconcile_too_large(j->scratch, ty_trainjob_controller_pass_ceiling(j), ret);
}

static void run_reconcile(struct ty_inflight *w, bool unapplied, struct ty_str refused,
                          struct ty_reconcile_result *ret)
{
    struct ty_trainjob_controller *j = w->controller;
    unsigned char entropy[TY_ENTROPY];
    struct ty_reconcile_in in = { .cache = j->cache,
                                  .pipeline = j->s.pipeline,
                                  .settings = j->s.settings,
                                  .ns = w->key.ns,
                                  .name = w->key.name,
                                  .now_s = time(NULL),
                                  .entropy = entropy,
                                  .memo = &j->memo,
                                  .unread = ty_trainjob_controller_watch_error,
                                  .ctx = j,
                                  .initial = w->pending.initial,
                                  .check_children = w->pending.check_children,
                                  .freeze = w->pending.freeze,
                                  .unapplied = unapplied,
                                  .refused = refused };
    uint64_t begin = uv_hrtime();

    if (getrandom(entropy, sizeof(entropy), 0) != (ssize_t)sizeof(entropy))
        abort(); /* never fails for so few bytes once the system is up */
    ty_arena_reset(j->scratch);
    if (j->s.hook_secret && j->s.settings->status_gate)
        in.hook_secret = j->s.hook_secret(j->s.ctx, j->scratch);
    in.given = ty_trainjob_controller_fetched(j->scratch, w);
    const struct ty_cached *job = ty_cache_get(j->cache, &ty_kind_trainjob, in.ns, in.name);
    if (j->s.failure_note && job)
        in.failure_note = j->s.failure_note(j->s.ctx, job);
    ty_reconcile(j->scratch, &in, ret);
    if (ty_arena_full(j->scratch))
        set_memory_error(j, j->scratch, ret);
    j->counts.reconciles++;
    j->counts.seconds += (double)(uv_hrtime() - begin) / 1e9;
}

/* ---- slots of large jobs ---- */

static bool is_large(const struct ty_reconcile_result *result)
{
    size_t n = 0;

    for (const struct ty_write_step *s = result->steps; s; s = s->next)
        n += s->body.n;
    return result->large || n > TY_CACHE_WHOLE;
}

static bool slot_is_free(const struct ty_trainjob_controller *j)
{
    return j->large + j->woken < LARGE_AT_ONCE;
}

/* False: all slots are taken, or reserved for jobs that waited. */
static bool take_slot(struct ty_inflight *w, const struct ty_reconcile_result *result)
{
    if (w->large || !is_large(result))
        return true;
    if (!slot_is_free(w->controller))
        return false;
    w->large = true;
    w->controller->large++;
    return true;
}

/* First in, first out; a slot is reserved for each woken job. If the job does not take it, because
 * it is small or deleted by now, the end of its reconcile or ty_trainjob_controller_forget wakes
 * the next. */
void ty_trainjob_controller_wake_waiting(struct ty_trainjob_controller *j)
{
    struct ty_key key;

    while (slot_is_free(j) && ty_queue_next(j->waiting, &key)) {
        struct ty_pending_job *p = ty_trainjob_controller_pending(j, key.ns, key.name);
        p->waits = false;
        p->woken = true;
        j->woken++;
        ty_trainjob_controller_enqueue(j, key.ns, key.name);
        ty_queue_done(j->waiting, key);
    }
}

static void wait_for_slot(struct ty_inflight *w)
{
    struct ty_trainjob_controller *j = w->controller;
    struct ty_pending_job *p = ty_trainjob_controller_pending(j, w->key.ns, w->key.name);

    ty_trainjob_controller_log_reconcile(w, "waits: two other large TrainJobs are being written");
    p->waits = true;
    ty_trainjob_controller_keep_pending(w);
    ty_queue_add(j->waiting, w->key); /* a key that waits already keeps its position */
    ty_queue_done(j->queue, w->key);
    ty_trainjob_controller_inflight_free(w);
}

/* ---- one reconcile ---- */

/* Many keys may be starved at once: one log line for all. */
static void log_starved(struct ty_inflight *w)
{
    struct ty_trainjob_controller *j = w->controller;

    if (!ty_log_seen(j->s.log, TY_LIT(TY_RECONCILE_STARVED)))
        ty_warn(j->s.log, TY_RECONCILE_STARVED ": reconciling later",
                TY_STR("namespace", w->key.ns), TY_STR("name", w->key.name));
}

/* Records events and logs errors; copies the rest into w->result. */
static void take_result(struct ty_inflight *w, struct ty_reconcile_result *result)
{
    struct ty_trainjob_controller *j = w->controller;

    ty_trainjob_controller_copy_result(w, result);
    if (ty_arena_full(w->arena)) {
        set_memory_error(j, w->arena, result);
        ty_trainjob_controller_copy_result(w, result);
    }
    for (const struct ty_trainjob_event *e = result->events; e; e = e->next)
        ty_trainjob_controller_record_event(j, w->key, e->type, e->reason, ty_str(e->message));
    if (result->starved)
        log_starved(w);
    else if (result->err.code < 0)
        ty_error(j->s.log, result->err.text, "TrainJob cannot be reconciled",
                 TY_S("controller", "trainjob_controller"), TY_STR("namespace", w->key.ns),
                 TY_STR("name", w->key.name));
}

void ty_trainjob_controller_reconcile_again(struct ty_inflight *w)
{
    struct ty_trainjob_controller *j = w->controller;
    const struct ty_cached *job = ty_cache_get(j->cache, &ty_kind_trainjob, w->key.ns, w->key.name);
    const struct ty_cached *jobset =
        ty_cache_get(j->cache, &ty_kind_jobset, w->key.ns, w->key.name);
    struct ty_reconcile_result result;

    run_reconcile(w, false, (struct ty_str){ 0 }, &result);
    if (!take_slot(w, &result)) {
        ty_arena_reset(j->scratch);
        wait_for_slot(w);
        return;
    }
    if (result.in_sync && job && jobset) /* until one of the two changes */
        ty_cache_set_in_sync(j->cache, job, ty_reconcile_digest(job, jobset));
    take_result(w, &result);
    if (j->s.reconciled && job && !result.fetch)
        j->s.reconciled(j->s.ctx, job, jobset, w->pending.initial);
    ty_arena_reset(j->scratch); /* a large rendering is not held during its writes */
    ty_trainjob_controller_write(w);
}

void ty_trainjob_controller_apply_failed(struct ty_inflight *w, struct ty_str why)
{
    struct ty_pending_job was = w->pending;
    struct ty_reconcile_result result;

    w->pending = (struct ty_pending_job){ 0 };
    run_reconcile(w, true, why, &result);
    w->pending = was;
    copy_steps(w, &result, &w->step->next);
    if (ty_arena_full(w->arena))
        w->step->next = NULL; /* only the event reports it */
    ty_arena_reset(w->controller->scratch);
    w->result.requeue_s = result.requeue_s;
}

void ty_trainjob_controller_too_large(struct ty_inflight *w)
{
    struct ty_reconcile_result result;

    ty_arena_reset(w->controller->scratch);
    ty_reconcile_too_large(w->controller->scratch,
                           ty_trainjob_controller_pass_ceiling(w->controller), &result);
    take_result(w, &result);
    ty_trainjob_controller_write_done(w);
}

void ty_trainjob_controller_reconcile(struct ty_trainjob_controller *j, struct ty_key key)
{
    struct ty_inflight *w = inflight_new(j, key, uv_hrtime());

    w->pending = ty_trainjob_controller_take_pending(j, key.ns, key.name);
    if (w->pending.waits) { /* not rendered before a slot is free */
        wait_for_slot(w);
        return;
    }
    ty_trainjob_controller_reconcile_again(w);
}

void ty_trainjob_controller_reconcile_runtime(struct ty_trainjob_controller *j, struct ty_key key)
{
    const struct ty_kind *kind = key.kind == TY_CONTROLLER_RUNTIME
                                     ? &ty_kind_trainingruntime
                                     : &ty_kind_clustertrainingruntime;
    const struct ty_cached *o = ty_cache_get(j->cache, kind, key.ns, key.name);
    uint64_t begin = uv_hrtime();

    ty_arena_reset(j->scratch);
    struct ty_str patch = o ? ty_runtime_finalizer_patch(j->scratch, j->cache, o, j->s.protection)
                            : (struct ty_str){ 0 };
    struct ty_inflight *w = inflight_new(j, key, begin);
    bool full = ty_arena_full(j->scratch);
    patch = copy_text(w->arena, patch);
    if (full || ty_arena_full(w->arena)) { /* the cache stores no runtime that is too large */
        ty_reconcile_starved(&w->result);
        log_starved(w);
    } else if (patch.n) {
        w->result.steps = ty_new(w->arena, struct ty_write_step);
        *w->result.steps = (struct ty_write_step){
            .op = TY_WRITE_FINALIZERS, .kind = kind, .name = w->key.name, .body = patch
        };
    }
    ty_trainjob_controller_write(w);
}
