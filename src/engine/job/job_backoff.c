/* When a failed pod is retried: 10 s after the latest failure, doubled with every failure since
 * the last success, at most 600 s. Which ends were seen together matters (a failure that finished
 * before a success of the same count does not), so pods carry the number of their count. */
#include "engine/job/job_backoff.h"

#include "engine/job/job_count.h"
#include "engine/pod/pod_summary.h"

int64_t ty_job_backoff_s(int64_t failures, int64_t first_s, int64_t max_s)
{
    int64_t s = first_s;

    if (failures <= 0)
        return 0;
    for (int64_t i = 1; i < failures && s < max_s; i++)
        s *= 2;
    return s < max_s ? s : max_s;
}

static int64_t seconds_left(int64_t failures, int64_t last_s, int64_t now_s)
{
    int64_t s = last_s + ty_job_backoff_s(failures, TY_JOB_BACKOFF_S, TY_JOB_BACKOFF_MAX_S) - now_s;

    return failures > 0 && s > 0 ? s : 0;
}

/* The count that an end belongs to; what is not counted yet belongs to the newest. 0: to none. */
static int64_t count_of(const struct ty_job_pod *p)
{
    if (p->fresh)
        return p->valid ? INT64_MAX : 0;
    return p->summary->counted_at;
}

/* An end: the count that it belongs to, and when it was. Later counts are later. */
struct pod_end {
    int64_t count, s;
};

static bool is_later(struct pod_end x, struct pod_end y)
{
    return x.count != y.count ? x.count > y.count : x.s > y.s;
}

static struct pod_end end_of(const struct ty_job_pod *p)
{
    return (struct pod_end){ count_of(p), p->summary->finished_s };
}

static struct pod_end last_success(const struct ty_job_count *c)
{
    struct pod_end last = { 0 };

    for (size_t i = 0; i < c->n; i++)
        if (c->pods[i].summary->phase == TY_SUCCEEDED && is_later(end_of(&c->pods[i]), last))
            last = end_of(&c->pods[i]);
    return last;
}

int64_t ty_job_backoff_wait_s(const struct ty_job_count *c, int64_t now_s)
{
    struct pod_end success = last_success(c), last = { 0 };
    int64_t failures = 0;

    for (size_t i = 0; i < c->n; i++) {
        struct pod_end e = end_of(&c->pods[i]);
        if (!c->pods[i].failed || e.count == 0 || !is_later(e, success))
            continue;
        failures++;
        if (is_later(e, last))
            last = e;
    }
    return seconds_left(failures, last.s, now_s);
}

int64_t ty_job_backoff_index_wait_s(const struct ty_pod_summary *lost, int64_t now_s)
{
    return lost ? seconds_left(lost->failures + lost->ignored + 1, lost->finished_s, now_s) : 0;
}
