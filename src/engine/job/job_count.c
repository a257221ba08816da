/* Classifies the pods of a Job and counts them: active, succeeded, failed; which indexes are
 * completed, failed or active. Linear in the pods, but for sorting what comes out of order. */
#include "engine/job/job_count.h"

#include "engine/job/job_indexes.h"
#include "engine/job/job_policy.h"
#include "engine/pod/pod_summary.h"

static void sort_out(struct ty_arena *a, const struct ty_job_spec *s,
                     const struct ty_pod_summary *seen, struct ty_job_pod *p)
{
    bool ended = seen->phase == TY_SUCCEEDED || seen->phase == TY_FAILED;

    p->summary = seen;
    p->active = !ended && !seen->deleting;
    p->terminating = !ended && seen->deleting;
    p->valid = !s->indexed || (seen->index >= 0 && seen->index < s->completions);
    p->failed = seen->phase == TY_FAILED || (p->terminating && !s->replace_failed);
    p->fresh = !seen->counted;
    if (p->failed && p->fresh)
        p->failure_action = (uint8_t)ty_job_failure_action(a, s, seen, &p->fail_job);
}

static void add_up(const struct ty_job_spec *s, const struct ty_job_pod *p, struct ty_job_count *c)
{
    c->active += p->active;
    c->ready += p->active && p->summary->ready;
    c->terminating += p->terminating;
    if (p->active || p->terminating)
        c->restarts += p->summary->restarts;
    if (p->summary->counted_at > c->last_count)
        c->last_count = p->summary->counted_at;
    if (!p->fresh || !p->valid)
        return;
    if (p->failed && p->failure_action != TY_POD_FAILURE_IGNORE)
        c->failed++;
    if (p->summary->phase == TY_SUCCEEDED && !s->indexed)
        c->succeeded++;
}

static bool is_done(const struct ty_job_spec *s, const struct ty_job_pod *p)
{
    (void)s;
    return p->fresh && p->valid && p->summary->phase == TY_SUCCEEDED;
}

/* This failure is the last of its index. */
static bool is_lost(const struct ty_job_spec *s, const struct ty_job_pod *p)
{
    if (!p->fresh || !p->valid || !p->failed || p->failure_action == TY_POD_FAILURE_IGNORE)
        return false;
    return p->failure_action == TY_POD_FAILURE_FAIL_INDEX || p->summary->failures >= s->per_index;
}

static bool is_busy(const struct ty_job_spec *s, const struct ty_job_pod *p)
{
    (void)s;
    return p->active && p->summary->index >= 0;
}

/* The indexes of the pods of which `is` holds. */
static struct ty_job_indexes
gather_indexes(struct ty_arena *a, const struct ty_job_spec *s, const struct ty_job_count *c,
               bool (*is)(const struct ty_job_spec *, const struct ty_job_pod *))
{
    int64_t *v = NULL;
    size_t n = 0;

    for (size_t i = 0; i < c->n; i++) {
        if (!is(s, &c->pods[i]))
            continue;
        if (!v)
            v = ty_new_n(a, int64_t, c->n - i);
        v[n++] = c->pods[i].summary->index;
    }
    return ty_job_indexes_from(a, v, n);
}

static struct ty_job_indexes recorded_indexes(struct ty_arena *a, const struct ty_job_spec *s,
                                              const struct ty_json *job, const char *path)
{
    return ty_job_indexes_parse(a, ty_json_str_at(job, path), s->completions);
}

static int by_index(const void *x, const void *y)
{
    const struct ty_job_pod *p = *(struct ty_job_pod *const *)x;
    const struct ty_job_pod *q = *(struct ty_job_pod *const *)y;

    if (p->summary->index != q->summary->index)
        return p->summary->index < q->summary->index ? -1 : 1;
    return (p > q) - (p < q);
}

/* Of two failed pods of an index: q ended last and has the higher failure count. */
static bool supersedes(const struct ty_pod_summary *p, const struct ty_pod_summary *q)
{
    return p->failures + p->ignored <= q->failures + q->ignored && q->finished_s >= p->finished_s;
}

/* A failure that is not counted yet, of an index that is neither finished nor active: the next pod
 * of the index takes the failure count from it. */
static bool is_needed(const struct ty_job_count *c, const struct ty_job_pod *p)
{
    int64_t index = p->summary->index;

    return p->failed && p->fresh && p->valid && !ty_job_indexes_has(&c->done, index) &&
           !ty_job_indexes_has(&c->lost, index) && !ty_job_indexes_has(&c->busy, index);
}

/* The replacement of a failed pod carries its index's failure count. Until there is one, the pod
 * that holds the count must not be counted in the status, or the count would be lost. */
static void hold_uncounted(struct ty_arena *a, struct ty_job_count *c)
{
    size_t n = 0, kept = 0;

    for (size_t i = 0; i < c->n; i++)
        n += is_needed(c, &c->pods[i]);
    if (n == 0)
        return;
    struct ty_job_pod **v = ty_new_n(a, struct ty_job_pod *, n);
    for (size_t i = 0, k = 0; k < n; i++)
        if (is_needed(c, &c->pods[i]))
            v[k++] = &c->pods[i];
    qsort(v, n, sizeof(struct ty_job_pod *), by_index);
    for (size_t i = 0; i < n; i++) {
        if (kept == 0 || v[kept - 1]->summary->index != v[i]->summary->index)
            v[kept++] = v[i];
        else if (supersedes(v[kept - 1]->summary, v[i]->summary))
            v[kept - 1] = v[i];
    }
    for (size_t i = 0; i < kept; i++)
        v[i]->held = true;
    c->held = v;
    c->n_held = kept;
}

static void count_indexes(struct ty_arena *a, const struct ty_job_spec *s,
                          const struct ty_json *job, struct ty_job_count *c)
{
    struct ty_job_indexes before = recorded_indexes(a, s, job, "status.completedIndexes");
    struct ty_job_indexes now = gather_indexes(a, s, c, is_done);

    c->done = ty_job_indexes_join(a, &before, &now);
    c->succeeded = ty_job_indexes_total(&c->done);
    c->busy = gather_indexes(a, s, c, is_busy);
    if (s->per_index < 0)
        return;
    before = recorded_indexes(a, s, job, "status.failedIndexes");
    now = gather_indexes(a, s, c, is_lost);
    c->lost = ty_job_indexes_join(a, &before, &now);
    hold_uncounted(a, c);
}

void ty_job_count(struct ty_arena *a, const struct ty_job_spec *s, const struct ty_job_observed *in,
                  struct ty_job_count *ret)
{
    *ret = (struct ty_job_count){ .pods = ty_new_n(a, struct ty_job_pod, in->n_pods),
                                  .n = in->n_pods };
    (void)ty_json_int_at(in->job, "status.failed", &ret->failed);
    (void)ty_json_int_at(in->job, "status.succeeded", &ret->succeeded);
    for (size_t i = 0; i < ret->n; i++) {
        sort_out(a, s, &in->pods[i], &ret->pods[i]);
        add_up(s, &ret->pods[i], ret);
    }
    if (s->indexed)
        count_indexes(a, s, in->job, ret);
}

const struct ty_job_pod *ty_job_held(const struct ty_job_count *c, int64_t index)
{
    size_t lo = 0, hi = c->n_held;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (c->held[mid]->summary->index < index)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < c->n_held && c->held[lo]->summary->index == index ? c->held[lo] : NULL;
}
