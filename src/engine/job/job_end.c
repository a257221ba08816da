/* Decides whether a Job has ended, and why. The first of these wins, so a failure beats a success
 * seen in the same pass, and what an earlier pass decided stays decided.
 *
 *   SuccessCriteriaMet, FailureTarget (earlier passes) > FailJob rule > back-off limit > deadline
 *     > failed indexes > success policy [> completions: job_reconcile.c, once the pods are managed]
 */
#include "engine/job/job_end.h"

#include "engine/job/job_count.h"
#include "engine/job/job_indexes.h"
#include "engine/job/job_policy.h"
#include "engine/job/job_status.h"

static void set_end(struct ty_job_end *ret, bool success, const char *reason, const char *message)
{
    *ret = (struct ty_job_end){
        .over = true, .success = success, .reason = reason, .message = message
    };
}

static bool decided_before(struct ty_arena *a, const struct ty_json *job, struct ty_job_end *ret)
{
    static const char *const types[] = { "SuccessCriteriaMet", "FailureTarget" };

    for (size_t i = 0; i < 2; i++) {
        if (!ty_job_condition_is(job, types[i]))
            continue;
        const struct ty_json *c =
            ty_json_find_item(ty_json_at(job, "status.conditions"), "type", ty_str(types[i]), NULL);
        set_end(ret, i == 0, ty_json_cstr_at(a, c, "reason"), ty_json_cstr_at(a, c, "message"));
        ret->in_status = true;
        return true;
    }
    return false;
}

/* Of several pods with a FailJob action the one that ended first is the cause. */
static const char *fail_job(const struct ty_job_count *c)
{
    const struct ty_job_pod *first = NULL;

    for (size_t i = 0; i < c->n; i++) {
        const struct ty_job_pod *p = &c->pods[i];
        if (p->fail_job && (!first || p->summary->finished_s < first->summary->finished_s))
            first = p;
    }
    return first ? first->fail_job : NULL;
}

static bool limit_exceeded(const struct ty_job_spec *s, const struct ty_job_count *c)
{
    if (c->failed > s->backoff_limit)
        return true;
    if (!s->on_failure)
        return false;
    return s->backoff_limit == 0 ? c->restarts > 0 : c->restarts >= s->backoff_limit;
}

static bool deadline_exceeded(const struct ty_job_spec *s, int64_t start_s, int64_t now_s)
{
    return s->deadline_s >= 0 && start_s > 0 && !s->suspended && now_s - start_s >= s->deadline_s;
}

static bool by_indexes(const struct ty_job_spec *s, const struct ty_job_count *c,
                       struct ty_job_end *ret)
{
    int64_t lost = ty_job_indexes_total(&c->lost);

    if (s->per_index < 0 || lost == 0)
        return false;
    if (s->max_failed >= 0 && lost > s->max_failed)
        set_end(ret, false, "MaxFailedIndexesExceeded",
                "Job has exceeded the specified maximal number of failed indexes");
    else if (lost + c->succeeded >= s->completions)
        set_end(ret, false, "FailedIndexes", "Job has failed indexes");
    return ret->over;
}

void ty_job_end(struct ty_arena *a, const struct ty_job_spec *s, const struct ty_job_observed *in,
                const struct ty_job_count *c, int64_t start_s, struct ty_job_end *ret)
{
    const char *message;
    int64_t rule;

    *ret = (struct ty_job_end){ 0 };
    if (decided_before(a, in->job, ret))
        return;
    message = fail_job(c);
    if (message) {
        set_end(ret, false, "PodFailurePolicy", message);
        return;
    }
    if (limit_exceeded(s, c)) {
        set_end(ret, false, "BackoffLimitExceeded", "Job has reached the specified backoff limit");
        return;
    }
    if (deadline_exceeded(s, start_s, in->now_s)) {
        set_end(ret, false, "DeadlineExceeded", "Job was active longer than specified deadline");
        return;
    }
    if (by_indexes(s, c, ret))
        return;
    rule = ty_job_success_rule(a, s, &c->done);
    if (rule >= 0)
        set_end(ret, true, "SuccessPolicy",
                ty_arena_printf(a, "Matched rules at index %lld", (long long)rule));
}
