/* Restart strategy InPlaceRestart (alpha, gated) without agents inside the pods. On a cluster an
 * agent in every pod counts attempts and holds its worker back until all are at the same one. Here
 * a failed pod puts its Job one attempt ahead of the others, and all Jobs begin again together once
 * the old ones are gone: the same outcome for the user. */
#include "engine/jobset/jobset_inplace.h"

#include "engine/jobset/jobset.h"
#include "engine/jobset/jobset_read.h"
#include "engine/jobset/jobset_status.h"

bool ty_jobset_in_place_enabled(const struct ty_jobset_ctx *js)
{
    return (js->in->gates & TY_GATE_IN_PLACE) &&
           ty_str_is(ty_json_str_at(js->failure_policy, "restartStrategy"), "InPlaceRestart");
}

static int64_t highest_attempt(const int64_t *attempts, size_t n)
{
    int64_t max = 0;

    for (size_t i = 0; i < n; i++)
        max = attempts[i] > max ? attempts[i] : max;
    return max;
}

bool ty_jobset_in_place_exceeded(const int64_t *attempts, size_t n, int64_t restarts,
                                 int64_t toward_max, int64_t max_restarts)
{
    return highest_attempt(attempts, n) - (restarts - toward_max) > max_restarts;
}

static void set_attempt(struct ty_jobset_ctx *js, const char *field, int64_t attempt)
{
    if (ty_jobset_int_at(js->status, field, -1) == attempt)
        return;
    ty_json_set(js->arena, js->status, field, ty_json_int(js->arena, attempt));
    js->dirty = true;
}

void ty_jobset_in_place_restart(struct ty_jobset_ctx *js)
{
    int64_t *attempts = ty_new_n(js->arena, int64_t, js->n_children), ready = 0;
    size_t n = 0;

    ty_jobset_each_child(c, js) if (c->bucket == TY_JOBSET_ACTIVE) attempts[n++] =
        js->restarts + (ty_jobset_int_at(c->job, "status.failed", 0) > 0);
    ty_jobset_each_rjob(r, js) ready += r->ready + r->succeeded;
    if (ty_jobset_in_place_exceeded(attempts, n, js->restarts, js->toward_max, js->max_restarts)) {
        ty_jobset_failed(js, "ReachedMaxRestarts", TY_JOBSET_MAX_RESTARTS);
        return;
    }
    if (highest_attempt(attempts, n) > js->restarts) {
        set_attempt(js, "previousInPlaceRestartAttempt", js->restarts);
        js->restarts++;
        js->toward_max++;
    } else if (ready == js->replicas) {
        set_attempt(js, "currentInPlaceRestartAttempt", js->restarts);
    }
}
