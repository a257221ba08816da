/* Compares the number of active pods with what the Job wants: deletes surplus pods or creates
 * missing ones, never both in one pass. */
#include "engine/job/job_manage.h"

#include "engine/changes.h"
#include "engine/job/job_backoff.h"
#include "engine/job/job_count.h"
#include "engine/job/job_indexes.h"
#include "engine/job/job_pod_builder.h"
#include "engine/job/job_policy.h"

/* Order of deletion: pods that have done less work first. */
static int by_loss(const void *x, const void *y)
{
    const struct ty_pod_summary *p = (*(struct ty_job_pod *const *)x)->summary;
    const struct ty_pod_summary *q = (*(struct ty_job_pod *const *)y)->summary;

    if (p->phase != q->phase)
        return p->phase < q->phase ? -1 : 1;
    if (p->ready != q->ready)
        return q->ready ? -1 : 1;
    if (p->ready_s != q->ready_s)
        return p->ready_s > q->ready_s ? -1 : 1;
    if (p->restarts != q->restarts)
        return p->restarts > q->restarts ? -1 : 1;
    if (p->created_s != q->created_s)
        return p->created_s > q->created_s ? -1 : 1;
    return 0;
}

static int by_index_then_loss(const void *x, const void *y)
{
    int64_t p = (*(struct ty_job_pod *const *)x)->summary->index;
    int64_t q = (*(struct ty_job_pod *const *)y)->summary->index;

    return p != q ? (p < q ? -1 : 1) : by_loss(x, y);
}

static void remove_pod(struct ty_job_count *c, struct ty_job_pod *p, enum ty_job_mark mark)
{
    p->remove = true;
    p->mark = p->fresh ? (uint8_t)mark : TY_MARK_NONE;
    p->active = false;
    c->active--;
    c->ready -= p->summary->ready;
    c->terminating++;
}

void ty_job_remove_active(struct ty_job_count *c, enum ty_job_mark mark)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->pods[i].active)
            remove_pod(c, &c->pods[i], mark);
}

static struct ty_job_pod **active_pods(struct ty_arena *a, const struct ty_job_count *c)
{
    struct ty_job_pod **v = ty_new_n(a, struct ty_job_pod *, (size_t)c->active);
    size_t n = 0;

    for (size_t i = 0; i < c->n; i++)
        if (c->pods[i].active)
            v[n++] = &c->pods[i];
    return v;
}

/* An index has one pod, and every pod an index of the Job. Sorts the list by index first. */
static size_t remove_doubles(struct ty_job_count *c, struct ty_job_pod **v, size_t n)
{
    size_t removed = 0;

    qsort(v, n, sizeof(struct ty_job_pod *), by_index_then_loss);
    for (size_t i = 0; i < n && removed < TY_JOB_CHANGES_MAX; i++) {
        bool again = i + 1 < n && v[i + 1]->summary->index == v[i]->summary->index;
        if (v[i]->valid && !again)
            continue;
        remove_pod(c, v[i], TY_MARK_NEVER);
        removed++;
    }
    return removed;
}

/* Are there as many busy indexes as active pods, all of the Job? Then no doubles. */
static bool has_doubles(const struct ty_job_spec *s, const struct ty_job_count *c)
{
    const struct ty_job_indexes *busy = &c->busy;

    if (ty_job_indexes_total(busy) != c->active)
        return true;
    return busy->n && busy->v[busy->n - 1].last >= s->completions;
}

static size_t remove_surplus(struct ty_arena *a, const struct ty_job_spec *s,
                             struct ty_job_count *c, int64_t want)
{
    bool doubles = s->indexed && has_doubles(s, c);
    int64_t surplus = c->active - want;
    size_t n = (size_t)c->active, removed = 0;

    if (surplus <= 0 && !doubles)
        return 0;
    struct ty_job_pod **v = active_pods(a, c);
    if (doubles)
        removed = remove_doubles(c, v, n);
    if ((int64_t)removed >= surplus)
        return removed;
    qsort(v, n, sizeof(struct ty_job_pod *), by_loss);
    for (size_t i = 0; i < n && (int64_t)removed < surplus && removed < TY_JOB_CHANGES_MAX; i++) {
        if (!v[i]->active)
            continue;
        remove_pod(c, v[i], TY_MARK_NEVER);
        removed++;
    }
    return removed;
}

static int64_t wanted_pods(const struct ty_job_spec *s, const struct ty_job_count *c)
{
    int64_t want;

    if (s->completions < 0) /* a work queue: no pod is added after the first success */
        return c->succeeded > 0 ? c->active : s->parallelism;
    want = s->completions - c->succeeded;
    if (want > s->parallelism)
        want = s->parallelism;
    return want > 0 ? want : 0;
}

/* Removes from v the indexes that are in back-off, and requeues the Job for them. */
static size_t drop_waiting(const struct ty_job_observed *in, const struct ty_job_count *c,
                           int64_t *v, size_t n, struct ty_changes *out)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        const struct ty_job_pod *held = ty_job_held(c, v[i]);
        int64_t wait_s = ty_job_backoff_index_wait_s(held ? held->summary : NULL, in->now_s);
        if (wait_s > 0)
            ty_changes_requeue_after(out, wait_s * 1000);
        else
            v[kept++] = v[i];
    }
    return kept;
}

static struct ty_job_indexes taken_indexes(struct ty_arena *a, const struct ty_job_spec *s,
                                           const struct ty_job_count *c)
{
    struct ty_job_indexes all = ty_job_indexes_join(a, &c->done, &c->busy);
    int64_t *v;
    size_t n = 0;

    all = ty_job_indexes_join(a, &all, &c->lost);
    if (!s->replace_failed || c->terminating == 0)
        return all;
    v = ty_new_n(a, int64_t, (size_t)c->terminating);
    for (size_t i = 0; i < c->n; i++)
        if (c->pods[i].terminating && c->pods[i].summary->index >= 0)
            v[n++] = c->pods[i].summary->index;
    struct ty_job_indexes ending = ty_job_indexes_from(a, v, n);
    return ty_job_indexes_join(a, &all, &ending);
}

static void create_pod(struct ty_job_pod_builder *m, const struct ty_job_count *c, int64_t index,
                       struct ty_changes *out)
{
    int64_t failures = -1, ignored = -1;

    if (m->spec->per_index >= 0) {
        const struct ty_job_pod *held = ty_job_held(c, index);
        bool ignore = held && held->failure_action == TY_POD_FAILURE_IGNORE;
        failures = held ? held->summary->failures + !ignore : 0;
        ignored = held ? held->summary->ignored + ignore : 0;
    }
    struct ty_json *pod = ty_job_pod_builder_make(m, index, failures, ignored);
    ty_changes_add(out, TY_CHANGE_CREATE, &ty_kind_pod, pod);
    ty_changes_event(out, "Normal", "SuccessfulCreate", "Created pod: %.*s",
                     TY_ARG(out->last->name));
}

/* "node-0-1": the Job's name without that of its JobSet, and the pod's index. */
static const char *node_of(struct ty_arena *a, const struct ty_job_spec *s,
                           const struct ty_job_observed *in, int64_t index)
{
    struct ty_str set = ty_json_as_str(ty_json_find(ty_json_at(in->job, "metadata.labels"),
                                                    TY_LIT("jobset.sigs.k8s.io/jobset-name")));
    struct ty_str job = s->name;

    if (set.n && job.n > set.n + 1 && ty_str_starts(job, set))
        job = (struct ty_str){ job.p + set.n + 1, job.n - set.n - 1 };
    return index >= 0 ? ty_arena_printf(a, "%.*s-%lld", TY_ARG(job), (long long)index)
                      : ty_arena_cstr(a, job);
}

/* Once for each failure: in the pass that counts it. */
static void event_backoff(struct ty_arena *a, const struct ty_job_spec *s,
                          const struct ty_job_observed *in, const struct ty_job_count *c,
                          int64_t wait_s, struct ty_changes *out)
{
    const struct ty_job_pod *first = NULL;
    size_t n = 0;

    for (size_t i = 0; i < c->n; i++) {
        if (!c->pods[i].failed || !c->pods[i].fresh)
            continue;
        first = first ? first : &c->pods[i];
        n++;
    }
    if (!first)
        return;
    const char *others = n > 1 ? ty_arena_printf(a, " and %zu more restart", n - 1) : " restarts";
    ty_changes_event(out, "Warning", "BackOff", "%s%s in %lld s (%lld of %lld)",
                     node_of(a, s, in, first->summary->index), others, (long long)wait_s,
                     (long long)c->failed, (long long)s->backoff_limit);
}

static int64_t index_wait_s(const struct ty_job_pod *held, int64_t now_s)
{
    return held->summary->announced || held->failure_action == TY_POD_FAILURE_IGNORE
               ? 0
               : ty_job_backoff_index_wait_s(held->summary, now_s);
}

/* With backoffLimitPerIndex each index waits for itself; neighbours that wait for the same are one
 * event. A failure is counted only with its replacement, so the pod is marked. */
static void event_index_backoff(struct ty_arena *a, const struct ty_job_spec *s,
                                const struct ty_job_observed *in, struct ty_job_count *c,
                                struct ty_changes *out)
{
    for (size_t i = 0, n; i < c->n_held; i += n) {
        struct ty_job_pod **first = &c->held[i];
        int64_t wait_s = index_wait_s(*first, in->now_s), failures = (*first)->summary->failures;
        n = 1;
        if (wait_s <= 0)
            continue;
        while (i + n < c->n_held && first[n]->summary->failures == failures &&
               index_wait_s(first[n], in->now_s) == wait_s)
            n++;
        for (size_t k = 0; k < n; k++)
            first[k]->mark = TY_MARK_BACKOFF;
        const char *others =
            n > 1 ? ty_arena_printf(a, " and %zu more restart", n - 1) : " restarts";
        ty_changes_event(out, "Warning", "BackOff", "%s%s in %lld s (%lld of %lld)",
                         node_of(a, s, in, (*first)->summary->index), others, (long long)wait_s,
                         (long long)failures + 1, (long long)s->per_index);
    }
}

static void create_missing(struct ty_arena *a, const struct ty_job_spec *s,
                           const struct ty_job_observed *in, struct ty_job_count *c,
                           int64_t missing, struct ty_changes *out)
{
    int64_t wait_s = s->per_index < 0 ? ty_job_backoff_wait_s(c, in->now_s) : 0;
    size_t n = missing < TY_JOB_CHANGES_MAX ? (size_t)missing : TY_JOB_CHANGES_MAX;
    int64_t *indexes = NULL;
    struct ty_job_pod_builder m;

    if (wait_s > 0) {
        event_backoff(a, s, in, c, wait_s, out);
        ty_changes_requeue_after(out, wait_s * 1000);
        return;
    }
    if (s->indexed) {
        struct ty_job_indexes taken = taken_indexes(a, s, c);
        indexes = ty_new_n(a, int64_t, n);
        n = ty_job_indexes_missing(&taken, s->completions, indexes, n);
        if (s->per_index >= 0) {
            n = drop_waiting(in, c, indexes, n, out);
            event_index_backoff(a, s, in, c, out);
        }
    }
    if (n == 0)
        return;
    ty_job_pod_builder_init(&m, a, s, in, n);
    for (size_t i = 0; i < n; i++)
        create_pod(&m, c, indexes ? indexes[i] : -1, out);
    c->active += (int64_t)n;
    if (n == TY_JOB_CHANGES_MAX)
        ty_changes_requeue_after(out, 0); /* the rest */
}

void ty_job_manage(struct ty_arena *a, const struct ty_job_spec *s,
                   const struct ty_job_observed *in, struct ty_job_count *c, struct ty_changes *out)
{
    int64_t want = wanted_pods(s, c), missing;

    if (s->suspended) {
        ty_job_remove_active(c, TY_MARK_NEVER);
        return;
    }
    if (remove_surplus(a, s, c, want) > 0)
        return;
    missing = want - c->active - (s->replace_failed ? c->terminating : 0);
    if (missing > 0)
        create_missing(a, s, in, c, missing, out);
}
