/* The echo of our own writes. What a job's work writes is told twice: by the answer, which enters
 * the cache at once, and by a watch, mostly a moment before or after it. Neither is a reason to
 * look at the job again, if it says what was written and nothing else.
 *
 *   look --> steps --> each answered --> done: settled?  yes: the next news is somebody else's
 *              |                           ^              no: look again
 *              +--- news of their objects -+
 *
 * So news of an object that is being written is not queued, but kept with its step until the work
 * is done; all other news goes to the queue as ever, and the job is looked at again then.
 *
 * Settled means: a look now would write nothing. A look (reconcile.h) is a function of the cache,
 * the clock, and whether children must be looked at anew; its cache is the one that the last look
 * saw, but for what others have changed, which is in the queue by itself, and for the objects of
 * our steps. Of these
 *
 *  - every version that was told is the one that our write was answered with: nobody wrote between
 *    our look and our write, nor after it;
 *  - the job wants what it wanted (wish), and we own of its JobSet what the answer said: then its
 *    children are right, by the same numbers by which a later look finds them so. A webhook or a
 *    default that made something else of what we sent changes that at no later look either, as
 *    long as nobody writes (ty_cache_set_applied);
 *  - its status is the one that was meant, not one that the server has cut or another has written;
 *  - its JobSet says of itself what it said at the look: a status function (trainer/plugin.h) sees
 *    nothing else that could have changed, and said the same again if it were asked again. One
 *    that is new says nothing, as if it were not there, but for the counts of an older one;
 *  - nothing is to be deleted: deletions are repeated until a watch tells that it is gone.
 *
 * Deadlines are timers of the queue (requeue_s): they need no second look. */
#include "controller/trainjob_controller_inner.h"

static struct ty_inflight *find_inflight(const struct ty_trainjob_controller *j, struct ty_str ns,
                                         struct ty_str name)
{
    for (struct ty_inflight *w = j->writing; w; w = w->next)
        if (w->key.kind == TY_CONTROLLER_TRAINJOB && ty_str_eq(w->key.name, name) &&
            ty_str_eq(w->key.ns, ns))
            return w;
    return NULL;
}

bool ty_trainjob_controller_expect_observe(struct ty_trainjob_controller *j, struct ty_str job,
                                           const struct ty_cached *o)
{
    const struct ty_inflight *w = find_inflight(j, ty_str(o->ns), job);

    for (struct ty_write_step *s = w && o->version ? w->work.steps : NULL; s; s = s->next) {
        if (s->op == TY_WRITE_DELETE || s->kind != o->kind || !ty_str_is(s->name, o->name))
            continue;
        s->others |= s->told && s->told != o->version;
        s->told = o->version;
        return true;
    }
    return false;
}

static bool changed_by_others(const struct ty_write_step *s)
{
    return s->others || (s->told && s->told != s->answered);
}

static bool any_step(const struct ty_inflight *w, bool (*is)(const struct ty_write_step *s))
{
    for (const struct ty_write_step *s = w->work.steps; s; s = s->next)
        if (is(s))
            return true;
    return false;
}

static bool was_observed(const struct ty_write_step *s)
{
    return s->told != 0;
}

/* As in trainjob_controller_watch.c: a JobSet changes all the time, other children if somebody
 * writes to them. */
static bool child_changed_by_others(const struct ty_write_step *s)
{
    return changed_by_others(s) && s->kind != &ty_kind_jobset && s->kind != &ty_kind_trainjob;
}

/* Whether nobody has to look again; remembers what is right as far as it is known. */
static bool is_settled(const struct ty_inflight *w)
{
    struct ty_cache *cache = w->jobs->cache;
    const struct ty_cached *job = ty_cache_get(cache, &ty_kind_trainjob, w->key.ns, w->key.name);
    const struct ty_cached *set = ty_cache_get(cache, &ty_kind_jobset, w->key.ns, w->key.name);

    if (w->failed || !w->work.right || any_step(w, changed_by_others) || !job || !set ||
        set->owned != w->owned || job->wish != w->work.wish)
        return false;
    ty_cache_set_in_sync(cache, job, ty_reconcile_digest(job, set));
    return w->work.last && job->status == w->work.status && set->status == w->jobset_status;
}

void ty_trainjob_controller_expect_done(struct ty_inflight *w)
{
    /* What failed is tried again after its back-off: the echo of what was written is no reason to
     * try before that. */
    if (is_settled(w) || !any_step(w, w->failed ? changed_by_others : was_observed))
        return;
    if (any_step(w, child_changed_by_others))
        ty_trainjob_controller_pending(w->jobs, w->key.ns, w->key.name)->full = true;
    ty_trainjob_controller_enqueue(w->jobs, w->key.ns, w->key.name);
}
