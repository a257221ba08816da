/* Expectations: watch events that only confirm our own writes do not requeue the job. Each write
 * is observed twice: by its answer, which updates the cache at once, and by a watch event, mostly
 * a moment before or after it.
 *
 *   reconcile --> steps --> all answered --> settled?  yes: done
 *                   |                           ^      no:  requeue
 *                   +--- their watch events ----+
 *
 * A watch event for an object that a step in flight writes is recorded in that step; all other
 * events enqueue the job.
 *
 * Settled means: another reconcile would write nothing. ty_reconcile is a function of the cache,
 * the clock, and whether the children must be compared. Since the last reconcile the cache has
 * changed only by other clients' writes, whose events enqueue the job anyway, and by our steps.
 * The job is settled if
 *
 *   - every observed version of these objects is the one that our write was answered with: no
 *     other client wrote between our reconcile and our write, nor after it;
 *   - the job's spec_digest is unchanged and manager `trainer` owns of the JobSet what the answer
 *     said. Then the children are in sync by the same digests that a later reconcile compares.
 *     Changes that a mutating webhook or a default made to our apply do not matter as long as no
 *     other client writes (ty_cache_set_applied);
 *   - the job's status is the one that was patched, not pruned by the server or overwritten;
 *   - the JobSet's status is the one that the reconcile saw: status functions (trainer/plugin.h)
 *     see nothing else that could have changed. A new JobSet has no status, which equals no
 *     JobSet, except for the counts of an older one;
 *   - nothing is to be deleted: a delete is repeated until the watch reports the deletion.
 *
 * Deadlines are timers of the queue (requeue_s) and need no second reconcile. */
#include "controller/trainjob_controller_expect.h"

static struct ty_inflight *find_inflight(const struct ty_trainjob_controller *j, struct ty_str ns,
                                         struct ty_str name)
{
    for (struct ty_inflight *w = j->inflight; w; w = w->next)
        if (w->key.kind == TY_CONTROLLER_TRAINJOB && ty_str_eq(w->key.name, name) &&
            ty_str_eq(w->key.ns, ns))
            return w;
    return NULL;
}

bool ty_trainjob_controller_expect_observe(struct ty_trainjob_controller *j, struct ty_str job,
                                           const struct ty_cached *o)
{
    const struct ty_inflight *w = find_inflight(j, ty_str(o->id.ns), job);

    for (struct ty_write_step *s = w && o->id.version ? w->result.steps : NULL; s; s = s->next) {
        if (s->op == TY_WRITE_DELETE || s->kind != o->id.kind || !ty_str_is(s->name, o->id.name))
            continue;
        s->observed_others |= s->observed && s->observed != o->id.version;
        s->observed = o->id.version;
        return true;
    }
    return false;
}

static bool changed_by_others(const struct ty_write_step *s)
{
    return s->observed_others || (s->observed && s->observed != s->answered);
}

static bool any_step(const struct ty_inflight *w, bool (*is)(const struct ty_write_step *s))
{
    for (const struct ty_write_step *s = w->result.steps; s; s = s->next)
        if (is(s))
            return true;
    return false;
}

static bool was_observed(const struct ty_write_step *s)
{
    return s->observed != 0;
}

/* As in child_changed of trainjob_controller_watch.c: JobSets change with their pods; an event for
 * another child means that someone wrote to it. */
static bool child_changed_by_others(const struct ty_write_step *s)
{
    return changed_by_others(s) && s->kind != &ty_kind_jobset && s->kind != &ty_kind_trainjob;
}

/* Whether another reconcile would write nothing; also marks the job as in sync as far as that is
 * certain. */
static bool is_settled(const struct ty_inflight *w)
{
    struct ty_cache *cache = w->controller->cache;
    const struct ty_cached *job = ty_cache_get(cache, &ty_kind_trainjob, w->key.ns, w->key.name);
    const struct ty_cached *set = ty_cache_get(cache, &ty_kind_jobset, w->key.ns, w->key.name);

    if (w->failed || !w->result.in_sync || any_step(w, changed_by_others) || !job || !set ||
        set->owned_digest != w->owned_digest || job->spec_digest != w->result.spec_digest)
        return false;
    ty_cache_set_in_sync(cache, job, ty_reconcile_digest(job, set));
    return w->result.last && job->status == w->result.status && set->status == w->jobset_status;
}

void ty_trainjob_controller_expect_done(struct ty_inflight *w)
{
    /* A failed key is retried after its back-off; an event for our own writes must not shorten
     * that. */
    if (is_settled(w) || !any_step(w, w->failed ? changed_by_others : was_observed))
        return;
    if (any_step(w, child_changed_by_others))
        ty_trainjob_controller_pending(w->controller, w->key.ns, w->key.name)->check_children =
            true;
    ty_trainjob_controller_enqueue(w->controller, w->key.ns, w->key.name);
}
