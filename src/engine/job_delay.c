/* When a failed pod is tried again: 10 s after the latest failure, doubled with every failure since
 * the last success, at most 600 s. Which ends were seen together matters (a failure that finished
 * before a success of the same count does not), so pods carry the number of their count. */
#include "engine/job_inner.h"

int64_t ty_job_delay_s(int64_t failures, int64_t first_s, int64_t max_s)
{
    int64_t s = first_s;

    if (failures <= 0)
        return 0;
    for (int64_t i = 1; i < failures && s < max_s; i++)
        s *= 2;
    return s < max_s ? s : max_s;
}

static int64_t left(int64_t failures, int64_t last_s, int64_t now_s)
{
    int64_t s = last_s + ty_job_delay_s(failures, TY_JOB_DELAY_S, TY_JOB_DELAY_MAX_S) - now_s;

    return failures > 0 && s > 0 ? s : 0;
}

/* The count that an end belongs to; what is not counted yet belongs to the newest. 0: to none. */
static int64_t count_of(const struct ty_job_pod *p)
{
    if (p->fresh)
        return p->valid ? INT64_MAX : 0;
    return p->seen->counted_at;
}

int64_t ty_job_wait_s(const struct ty_job_count *c, int64_t now_s)
{
    int64_t failures = 0, last_count = 0, last_s = 0;
    int64_t good_count = 0, good_s = 0; /* the newest count with a success, its last one */

    for (size_t i = 0; i < c->n; i++) {
        const struct ty_pod_seen *seen = c->pods[i].seen;
        int64_t count = count_of(&c->pods[i]);
        if (seen->phase != TY_SUCCEEDED || count < good_count)
            continue;
        good_s = count > good_count || seen->finished_s > good_s ? seen->finished_s : good_s;
        good_count = count;
    }
    for (size_t i = 0; i < c->n; i++) {
        const struct ty_pod_seen *seen = c->pods[i].seen;
        int64_t count = count_of(&c->pods[i]);
        if (!c->pods[i].failed || count == 0 || count < good_count ||
            (count == good_count && seen->finished_s <= good_s))
            continue;
        failures++;
        if (count > last_count || (count == last_count && seen->finished_s > last_s))
            last_s = seen->finished_s;
        if (count > last_count)
            last_count = count;
    }
    return left(failures, last_s, now_s);
}

int64_t ty_job_index_wait_s(const struct ty_pod_seen *lost, int64_t now_s)
{
    return lost ? left(lost->failures + lost->ignored + 1, lost->finished_s, now_s) : 0;
}
