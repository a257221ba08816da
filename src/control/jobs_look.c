/* One look at one key: from what is known to the writes that are begun, within the memory that is
 * left. Large ones take megabytes each, so few are under way at a time; the others of them wait. */
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <uv.h>

#include "base/budget.h"
#include "base/must.h"
#include "control/jobs_inner.h"

#define LARGE_AT_ONCE 2
#define PASS_CEILING  ((size_t)256 << 20) /* at most half of the budget */
#define WRITE_CEILING ((size_t)16 << 20)  /* what is fetched and what is written, as text */

/* A pass may go beyond its ceiling a little before it sees that. */
size_t ty_jobs_pass_ceiling(const struct ty_jobs *j)
{
    return ty_jobs_ceiling(j, PASS_CEILING);
}

size_t ty_jobs_ceiling(const struct ty_jobs *j, size_t most)
{
    const struct ty_budget *b = j->s.budget;

    return b && b->ceiling && b->ceiling / 2 < most ? b->ceiling / 2 : most;
}

static struct ty_writing *writing_new(struct ty_jobs *j, struct ty_key key, uint64_t begin_ns)
{
    struct ty_arena *a = ty_arena_new_input(ty_jobs_ceiling(j, WRITE_CEILING), j->s.budget);
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

void ty_jobs_writing_free(struct ty_writing *w)
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
    j->large -= w->large;
    ty_jobs_wake(j);
    free(w);
}

/* Copies; what does not fit makes the arena full, and is not copied. */
static struct ty_str keep(struct ty_arena *a, struct ty_str s)
{
    if (s.n >= ty_arena_left(a)) {
        ty_arena_fill(a);
        return (struct ty_str){ 0 };
    }
    return s.p ? (struct ty_str){ ty_arena_strndup(a, s.p, s.n), s.n } : s;
}

/* The steps outlive the pass: rendering takes tens of kilobytes, writing a few. */
static void keep_steps(struct ty_writing *w, const struct ty_work *work, struct ty_step **end)
{
    *end = NULL;
    for (const struct ty_step *s = work->steps; s && !ty_arena_full(w->arena); s = s->next) {
        struct ty_step *copy = ty_new(w->arena, struct ty_step);
        *copy = *s;
        copy->name = keep(w->arena, s->name);
        copy->uid = keep(w->arena, s->uid);
        copy->version = keep(w->arena, s->version);
        copy->body = keep(w->arena, s->body);
        copy->data = keep(w->arena, s->data);
        copy->next = NULL;
        *end = copy;
        end = &copy->next;
    }
}

void ty_jobs_keep_work(struct ty_writing *w, const struct ty_work *work)
{
    w->work = *work;
    w->work.events = NULL; /* told by themselves */
    w->work.fetch_name = keep(w->arena, work->fetch_name);
    keep_steps(w, work, &w->work.steps);
}

/* It did not fit into this arena. */
static void no_room(struct ty_jobs *j, const struct ty_arena *full, struct ty_work *ret)
{
    if (ty_arena_starved(full))
        ty_work_starved(ret);
    else
        ty_work_too_large(j->scratch, ty_jobs_pass_ceiling(j), ret);
}

static void make_work(struct ty_writing *w, bool unapplied, struct ty_str refused,
                      struct ty_work *ret)
{
    struct ty_jobs *j = w->jobs;
    unsigned char entropy[TY_ENTROPY];
    struct ty_work_in in = { .world = j->world,
                             .pipeline = j->s.pipeline,
                             .settings = j->s.settings,
                             .ns = w->key.ns,
                             .name = w->key.name,
                             .now_s = time(NULL),
                             .entropy = entropy,
                             .memo = &j->memo,
                             .unread = ty_jobs_unread,
                             .ctx = j,
                             .first = w->pending.first,
                             .full = w->pending.full,
                             .freeze = w->pending.freeze,
                             .unapplied = unapplied,
                             .refused = refused };
    uint64_t begin = uv_hrtime();

    if (getrandom(entropy, sizeof(entropy), 0) != (ssize_t)sizeof(entropy))
        abort(); /* never fails for so few bytes once the system is up */
    ty_arena_reset(j->scratch);
    if (j->s.hook_secret && j->s.settings->status_gate)
        in.hook_secret = j->s.hook_secret(j->s.ctx, j->scratch);
    in.given = ty_jobs_given(j->scratch, w);
    ty_work_make(j->scratch, &in, ret);
    if (ty_arena_full(j->scratch))
        no_room(j, j->scratch, ret);
    j->counts.looks++;
    j->counts.seconds += (double)(uv_hrtime() - begin) / 1e9;
}

/* ---- large ones ---- */

static bool is_large(const struct ty_work *work)
{
    size_t n = 0;

    for (const struct ty_step *s = work->steps; s; s = s->next)
        n += s->body.n;
    return work->large || n > TY_WORLD_WHOLE;
}

static bool slot_is_free(const struct ty_jobs *j)
{
    return j->large + j->woken < LARGE_AT_ONCE;
}

/* False: enough of them are being written, or others have waited longer. */
static bool take_slot(struct ty_writing *w, const struct ty_work *work)
{
    if (w->large || !is_large(work))
        return true;
    if (!slot_is_free(w->jobs))
        return false;
    w->large = true;
    w->jobs->large++;
    return true;
}

/* In the order in which they came, each at most once for a slot: if it is not taken, for the job is
 * small or gone by now, the end of its reconcile or its removal wakes the next. */
void ty_jobs_wake(struct ty_jobs *j)
{
    struct ty_key key;

    while (slot_is_free(j) && ty_queue_next(j->waiting, &key)) {
        struct ty_pending *p = ty_jobs_pend(j, key.ns, key.name);
        p->waits = false;
        p->woken = true;
        j->woken++;
        ty_jobs_look(j, key.ns, key.name);
        ty_queue_done(j->waiting, key);
    }
}

static void wait_for_slot(struct ty_writing *w)
{
    struct ty_jobs *j = w->jobs;
    struct ty_pending *p = ty_jobs_pend(j, w->key.ns, w->key.name);

    ty_jobs_log_reconcile(w, "waits: two other large TrainJobs are being written");
    p->waits = true;
    p->first |= w->pending.first;
    p->full |= w->pending.full;
    ty_queue_add(j->waiting, w->key); /* one that waits already keeps its place */
    ty_queue_done(j->queue, w->key);
    ty_jobs_writing_free(w);
}

/* ---- one look ---- */

/* Retried with its back-off, as many others may be: one line for all. What the reconcile was to
 * look at is still to be looked at then. */
static void say_starved(struct ty_writing *w)
{
    struct ty_jobs *j = w->jobs;

    if (!ty_lately(&j->troubles, TY_LIT(TY_WORK_STARVED), (int64_t)uv_now(j->s.loop)))
        ty_warn(j->s.log, TY_WORK_STARVED ": reconciling later", TY_STR("namespace", w->key.ns),
                TY_STR("name", w->key.name));
    if (w->key.kind != TY_OF_TRAINJOBS ||
        !ty_world_find(j->world, &ty_kind_trainjob, w->key.ns, w->key.name))
        return;
    struct ty_pending *p = ty_jobs_pend(j, w->key.ns, w->key.name);
    p->first |= w->pending.first;
    p->full |= w->pending.full;
}

/* Events and the log; the rest is in w->work from now on. */
static void take_work(struct ty_writing *w, struct ty_work *work)
{
    struct ty_jobs *j = w->jobs;

    ty_jobs_keep_work(w, work);
    if (ty_arena_full(w->arena)) {
        no_room(j, w->arena, work);
        ty_jobs_keep_work(w, work);
    }
    for (const struct ty_pass_event *e = work->events; e; e = e->next)
        ty_jobs_tell(j, w->key, e->type, e->reason, ty_str(e->message));
    if (work->starved)
        say_starved(w);
    else if (work->err.code < 0)
        ty_error(j->s.log, work->err.text, "TrainJob cannot be reconciled",
                 TY_S("controller", "trainjob_controller"), TY_STR("namespace", w->key.ns),
                 TY_STR("name", w->key.name));
}

void ty_jobs_again(struct ty_writing *w)
{
    struct ty_jobs *j = w->jobs;
    const struct ty_known *jobset =
        ty_world_find(j->world, &ty_kind_jobset, w->key.ns, w->key.name);
    struct ty_work work;

    make_work(w, false, (struct ty_str){ 0 }, &work);
    if (!take_slot(w, &work)) {
        ty_arena_reset(j->scratch);
        wait_for_slot(w);
        return;
    }
    w->owned = jobset ? jobset->owned : 0;
    w->jobset_status = jobset ? jobset->status : 0;
    take_work(w, &work);
    ty_arena_reset(j->scratch); /* a large one is not held while it is written */
    ty_jobs_write(w);
}

void ty_jobs_unapplied(struct ty_writing *w, struct ty_str why)
{
    struct ty_pending was = w->pending;
    struct ty_work work;

    w->pending = (struct ty_pending){ 0 };
    make_work(w, true, why, &work);
    w->pending = was;
    for (const struct ty_step *s = w->step->next; s; s = s->next)
        if (s->told) { /* somebody has changed what was to be written: not only after a back-off */
            ty_jobs_look(w->jobs, w->key.ns, w->key.name);
            break;
        }
    keep_steps(w, &work, &w->step->next);
    if (ty_arena_full(w->arena))
        w->step->next = NULL; /* said by an event only */
    ty_arena_reset(w->jobs->scratch);
    w->work.requeue_s = work.requeue_s;
}

void ty_jobs_too_large(struct ty_writing *w)
{
    struct ty_work work;

    ty_arena_reset(w->jobs->scratch);
    ty_work_too_large(w->jobs->scratch, ty_jobs_pass_ceiling(w->jobs), &work);
    take_work(w, &work);
    ty_jobs_written(w);
}

void ty_jobs_reconcile(struct ty_jobs *j, struct ty_key key)
{
    struct ty_writing *w = writing_new(j, key, uv_hrtime());

    w->pending = ty_jobs_take(j, key.ns, key.name);
    if (w->pending.waits) { /* there is news of it, but it is not rendered only to wait on */
        wait_for_slot(w);
        return;
    }
    ty_jobs_again(w);
}

void ty_jobs_reconcile_runtime(struct ty_jobs *j, struct ty_key key)
{
    const struct ty_kind *kind =
        key.kind == TY_OF_RUNTIMES ? &ty_kind_trainingruntime : &ty_kind_clustertrainingruntime;
    const struct ty_known *o = ty_world_find(j->world, kind, key.ns, key.name);
    uint64_t begin = uv_hrtime();

    ty_arena_reset(j->scratch);
    struct ty_str patch =
        o ? ty_runtime_patch(j->scratch, j->world, o, j->s.protection) : (struct ty_str){ 0 };
    struct ty_writing *w = writing_new(j, key, begin);
    bool full = ty_arena_full(j->scratch);
    patch = keep(w->arena, patch);
    if (full || ty_arena_full(w->arena)) { /* what the cache keeps of one is never too large */
        ty_work_starved(&w->work);
        say_starved(w);
    } else if (patch.n) {
        struct ty_step *s = w->work.steps = ty_new(w->arena, struct ty_step);
        *s = (struct ty_step){ .op = TY_STEP_STATUS, .kind = kind, .body = patch };
        s->name = w->key.name;
    }
    ty_jobs_write(w);
}
