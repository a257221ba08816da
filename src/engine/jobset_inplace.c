/* Restart strategy InPlaceRestart (alpha, gated) without agents inside the pods. On a cluster an
 * agent in every pod counts attempts and holds its worker back until all are at the same one. Here
 * a failed pod puts its Job one attempt ahead of the others, and all Jobs begin again together once
 * the old ones are gone: the same outcome for the user. */
#include "engine/jobset_inner.h"

bool ty_js_in_place(const struct ty_js *js)
{
    return (js->in->gates & TY_GATE_IN_PLACE) &&
           ty_str_is(ty_json_str_at(js->failure_policy, "restartStrategy"), "InPlaceRestart");
}

static int64_t highest(const int64_t *attempts, size_t n)
{
    int64_t max = 0;

    for (size_t i = 0; i < n; i++)
        max = attempts[i] > max ? attempts[i] : max;
    return max;
}

bool ty_js_in_place_exceeded(const int64_t *attempts, size_t n, int64_t restarts,
                             int64_t toward_max, int64_t max_restarts)
{
    return highest(attempts, n) - (restarts - toward_max) > max_restarts;
}

static void note(struct ty_js *js, const char *field, int64_t attempt)
{
    if (ty_js_int(js->status, field, -1) == attempt)
        return;
    ty_json_set(js->arena, js->status, field, ty_json_int(js->arena, attempt));
    js->dirty = true;
}

void ty_js_restart_in_place(struct ty_js *js)
{
    int64_t *attempts = ty_new_n(js->arena, int64_t, js->n_children), ready = 0;
    size_t n = 0;

    ty_each_child(c, js) if (c->bucket == TY_JS_ACTIVE) attempts[n++] =
        js->restarts + (ty_js_int(c->job, "status.failed", 0) > 0);
    ty_each_rjob(r, js) ready += r->ready + r->succeeded;
    if (ty_js_in_place_exceeded(attempts, n, js->restarts, js->toward_max, js->max_restarts)) {
        ty_js_failed(js, "ReachedMaxRestarts", TY_JS_MAX_RESTARTS);
        return;
    }
    if (highest(attempts, n) > js->restarts) {
        note(js, "previousInPlaceRestartAttempt", js->restarts);
        js->restarts++;
        js->toward_max++;
    } else if (ready == js->replicas) {
        note(js, "currentInPlaceRestartAttempt", js->restarts);
    }
}
