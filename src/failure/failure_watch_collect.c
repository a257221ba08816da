/* When a collection of logs starts, and what becomes of its result. */
#include <stdlib.h>

#include "base/xalloc.h"
#include "failure/failure_text.h"
#include "failure/failure_watch_inner.h"
#include "trainer/condition.h"
#include "trainer/failure_note.h"

#define ACTIVE 4 /* collections with requests: each takes up to 4 MiB of log tails */
#define PER_ATTEMPT                                                                                \
    10 /* a container that is restarted in place, or a pod that is replaced, fails again */
#define TOLD_S 60 /* what the last leader has seen before */
#define OLD_S  600
/* Pods that end so long after an error are stopped because of it, or lose their peers: by then the
 * culprit's log may be gone, and a second collection would blame a victim. */
#define CASCADE_MS 120000
#define JOB_BYTES  ((size_t)64 << 20)

static bool is_true(const struct ty_json *status, const char *type)
{
    return ty_str_is(ty_json_str_at(ty_condition_find(status, type), "status"), "True");
}

/* A job that was suspended, deleted or completed stops its pods itself; one that has a summary in
 * its status needs no other, so a restart of the operator collects nothing again. */
static bool is_worth_it(const struct ty_failure_job *job, const struct ty_failure_pod_state *is)
{
    struct ty_failure_watch *w = job->watch;
    const struct ty_cached *o = ty_cache_get(ty_trainjob_controller_cache(w->s.controller),
                                             &ty_kind_trainjob, ty_str(job->ns), ty_str(job->name));
    ty_auto_arena *a = ty_arena_new_input(JOB_BYTES, w->s.budget);
    const struct ty_json *obj = o ? ty_cache_parse(a, o) : NULL;
    const struct ty_json *status = ty_json_get(obj, "status");

    if (!obj || ty_json_true_at(obj, "spec.suspend") ||
        ty_json_at(obj, "metadata.deletionTimestamp") || is_true(status, "Complete") ||
        ty_failure_note_stored(status).n)
        return false;
    return w->synced || !is_true(status, "Failed") ||
           is->failed_ms / 1000 > ty_failure_watch_wall(w) - OLD_S;
}

static void set_note(struct ty_failure_job *job, struct ty_str note)
{
    free(job->note);
    job->note = ty_xalloc_cstr(note);
}

/* The leader before may have recorded it, and have lost the lease before the note was stored. */
static void record_first_failure(struct ty_failure_job *job, struct ty_arena *a, int64_t attempt,
                                 struct ty_str headline)
{
    struct ty_failure_watch *w = job->watch;
    struct ty_key key = { TY_CONTROLLER_TRAINJOB, ty_str(job->ns), ty_str(job->name) };
    const char *once = ty_arena_printf(a, "first-failure-%lld", (long long)attempt);

    if (w->leading && !w->stopped)
        ty_trainjob_controller_record_event_once(w->s.controller, key, "Warning", "FirstFailure",
                                                 ty_failure_text_line(a, headline), ty_str(once));
}

/* The first failure of the attempt stays, unless a log shows more now. */
static void set_summary(struct ty_failure_job *job, struct ty_arena *a, struct ty_str headline,
                        bool said)
{
    struct ty_failure_watch *w = job->watch;

    if (job->noted && !said)
        return;
    job->noted = true;
    job->said_ms = said ? ty_failure_watch_now(w) : 0;
    w->counts.summaries++;
    set_note(job, ty_failure_text_note(a, headline));
    if (!job->told)
        record_first_failure(job, a, job->attempt, headline);
    job->told = true;
    ty_info(w->s.log, "failure summary", TY_S("namespace", job->ns), TY_S("name", job->name),
            TY_I("attempt", job->attempt), TY_S("note", job->note));
    ty_trainjob_controller_enqueue(w->s.controller, ty_str(job->ns), ty_str(job->name));
}

/* The words of a pod's status are better than an exit code, and worse than an error in a log. */
static void use_summary(struct ty_failure_job *job, const struct ty_failure_collection *c)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);
    bool said = false;
    struct ty_str headline = ty_failure_collection_headline(c, a, &said);
    bool memory = job->problem_reason && strcmp(job->problem_reason, "OOMKilled") == 0;
    bool current = ty_failure_collection_attempt(c) == job->attempt;

    if (current && job->problem && !said && !memory)
        headline = ty_str(job->problem);
    if (headline.n && current)
        set_summary(job, a, headline, said);
    else if (headline.n && !job->told_before) /* the pods of the next attempt exist already */
        record_first_failure(job, a, ty_failure_collection_attempt(c), headline);
}

/* One log of one collection. False: none is left. */
static bool judge_one(struct ty_failure_job *job, struct ty_failure_collection **at)
{
    struct ty_failure_collection *c = *at;

    if (!c || !ty_failure_collection_is_over(c))
        return false;
    if (ty_failure_collection_judge(c))
        return true;
    use_summary(job, c);
    ty_failure_collection_free(c);
    *at = NULL;
    return true;
}

bool ty_failure_watch_judge(struct ty_failure_watch *w)
{
    const struct ty_map_slot *s = NULL;
    size_t at = 0;

    while ((s = ty_map_next(&w->jobs, &at))) {
        struct ty_failure_job *job = s->value;
        if (judge_one(job, &job->last) || judge_one(job, &job->collection))
            return true;
    }
    return false;
}

/* The next attempt fails already: the last one is judged with what there is. */
static void end_last(struct ty_failure_job *job)
{
    ty_failure_collection_free(job->last); /* attempts fail faster than they are judged */
    job->last = job->collection;
    job->collection = NULL;
    ty_failure_collection_end(job->last);
    ty_failure_watch_start_judge(job->watch);
}

static bool is_same_cascade(const struct ty_failure_job *job)
{
    return job->said_ms && ty_failure_watch_now(job->watch) - job->said_ms < CASCADE_MS;
}

static void add_others(struct ty_failure_job *job)
{
    struct ty_object_entry *e = NULL;
    size_t at = 0;

    while ((e = ty_object_table_next(&job->watch->pods, &ty_kind_pod, &at))) {
        const struct ty_failure_pod *pod = (const struct ty_failure_pod *)e;
        if (pod->job == job && pod->generation == job->generation && pod->attempt == job->attempt &&
            !pod->ended)
            ty_failure_collection_add(
                job->collection, ty_str(e->name), ty_str(pod->container->text),
                pod->terminating ? TY_COLLECTION_TERMINATING : TY_COLLECTION_RUNNING);
    }
}

/* ---- turns ---- */

/* False: there are as many collections as may be, and this job has no better claim. *ret_other: the
 * job whose place it takes; NULL: there is room. */
static bool find_room(const struct ty_failure_job *job, struct ty_failure_job **ret_other)
{
    const struct ty_failure_turns *t = &job->watch->turns;

    *ret_other = NULL;
    if (t->alive < TY_FAILURE_WATCH_COLLECTIONS)
        return true;
    const struct ty_failure_turn *other = ty_failure_turns_one_too_many(t, ty_str(job->ns));
    *ret_other = other ? other->owner : NULL;
    return other != NULL;
}

static void give_up(struct ty_failure_job *job)
{
    ty_info(job->watch->s.log,
            "no failure summary: too many TrainJobs wait, most of them in this namespace",
            TY_S("namespace", job->ns), TY_S("name", job->name), TY_I("attempt", job->attempt));
    ty_failure_collection_free(job->collection);
    job->collection = NULL;
}

void ty_failure_watch_start_waiting(struct ty_failure_watch *w)
{
    const struct ty_failure_turn *next = NULL;

    if (!w->synced)
        return; /* the first list goes on: more pods of the same attempt follow */
    while (w->turns.active < ACTIVE && (next = ty_failure_turns_next(&w->turns)))
        ty_failure_collection_start(((const struct ty_failure_job *)next->owner)->collection,
                                    ty_failure_watch_now(w));
}

void ty_failure_watch_failed(struct ty_failure_job *job, const struct ty_json *pod,
                             const struct ty_failure_pod_state *is)
{
    struct ty_failure_watch *w = job->watch;
    struct ty_failure_job *other = NULL;

    if (job->collection && ty_failure_collection_attempt(job->collection) == job->attempt)
        return; /* it has observed this end, or it is being judged: what fails now follows from it
                 */
    if (job->collection)
        end_last(job);
    if (w->stopped || job->collections >= PER_ATTEMPT || is_same_cascade(job) ||
        !find_room(job, &other) || !is_worth_it(job, is)) /* the latter parses the TrainJob */
        return;
    if (other)
        give_up(other);
    /* Found by the first list, and not new: the last leader has recorded the event. */
    if (!w->synced && is->failed_ms && is->failed_ms / 1000 < ty_failure_watch_wall(w) - TOLD_S)
        job->told = true;
    job->collections++;
    job->collection = ty_failure_collection_new(
        &(struct ty_failure_collection_settings){ .kube = w->s.kube,
                                                  .budget = w->s.budget,
                                                  .log = w->s.log,
                                                  .ns = ty_str(job->ns),
                                                  .job = ty_str(job->name),
                                                  .attempt = job->attempt,
                                                  .now_ms = ty_failure_watch_now(w),
                                                  .requests = &w->counts.log_requests,
                                                  .turns = &w->turns,
                                                  .owner = job });
    ty_failure_collection_observe(job->collection, pod);
    add_others(job);
    ty_failure_watch_start_waiting(w);
    ty_failure_watch_arm(w);
}
