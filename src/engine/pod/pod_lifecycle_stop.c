/* Stops containers: preStop hook, SIGTERM, and SIGKILL after the grace period. When the whole pod
 * stops, sidecars are stopped after the other containers, in reverse order; all share one grace
 * period.
 */
#include <signal.h>

#include "engine/pod/pod_lifecycle.h"
#include "engine/pod/pod_lifecycle_inner.h"

void ty_pod_lifecycle_kill_container(struct ty_pod_lifecycle *r, size_t i, int64_t grace_s,
                                     int64_t now_ms)
{
    struct ty_container_state *k = &r->c[i];
    int64_t grace_ms = grace_s * 1000 < TY_MIN_GRACE_MS ? TY_MIN_GRACE_MS : grace_s * 1000;

    if (k->kill == TY_KILL_NOT) {
        k->kill = TY_KILL_ASKED;
        k->kill_ms = now_ms + grace_ms;
        k->no_hook = grace_s <= 0;
    } else if (now_ms + grace_ms < k->kill_ms) {
        k->kill_ms = now_ms + grace_ms; /* never more time than was promised first */
    }
}

void ty_pod_lifecycle_stop_containers(struct ty_pod_lifecycle *r, enum ty_pod_stop_reason why,
                                      int64_t grace_s, int64_t now_ms)
{
    if (r->stop == TY_STOP_NOT || r->stop == TY_STOP_RESET)
        r->stop = (uint8_t)why;
    r->dirty = true;
    for (size_t i = 0; i < r->plan->n; i++) {
        struct ty_container_state *k = &r->c[i];
        k->again = false;
        if (!ty_pod_lifecycle_container_alive(k))
            continue;
        if (k->kill == TY_KILL_NOT && !r->plan->containers[i].holder)
            ty_pod_lifecycle_add_event(r, i, "Normal", "Killing", "Stopping container %s",
                                       r->plan->containers[i].name);
        ty_pod_lifecycle_kill_container(r, i, grace_s, now_ms);
    }
}

/* A sidecar is stopped after all containers except the sidecars before it have ended. */
static bool has_turn(const struct ty_pod_lifecycle *r, size_t i)
{
    if (!r->stop || r->stop == TY_STOP_RESET || !r->plan->containers[i].sidecar)
        return true;
    for (size_t k = 0; k < r->plan->n; k++)
        if (k != i && ty_pod_lifecycle_container_alive(&r->c[k]) &&
            (!r->plan->containers[k].sidecar || k > i))
            return false;
    return true;
}

static void send_signal(struct ty_pod_lifecycle *r, size_t i, int signal,
                        struct ty_pod_actions *ret)
{
    if (ty_pod_lifecycle_add_action(ret, TY_POD_ACTION_SIGNAL, i, signal))
        r->c[i].kill = signal == SIGKILL ? TY_KILL_KILL : TY_KILL_TERM;
}

/* Each state falls through to the next until one has to wait. */
static void advance_kill(struct ty_pod_lifecycle *r, size_t i, int64_t now_ms,
                         struct ty_pod_actions *ret)
{
    struct ty_container_state *k = &r->c[i];

    switch ((enum ty_kill_phase)k->kill) {
    case TY_KILL_NOT:
    case TY_KILL_KILL:
        return;
    case TY_KILL_ASKED:
        k->hook = k->hook == TY_HOOK_WANTED ? TY_HOOK_NONE : k->hook;
        if (r->plan->containers[i].pre_stop && !k->no_hook && k->hook == TY_HOOK_NONE) {
            if (!ty_pod_lifecycle_add_action(ret, TY_POD_ACTION_HOOK, i, 0))
                return;
            k->hook = TY_HOOK_PRE_STOP;
        }
        k->kill = TY_KILL_HOOK;
        __attribute__((fallthrough));
    case TY_KILL_HOOK:
        if (k->hook == TY_HOOK_PRE_STOP && now_ms < k->kill_ms)
            return;
        k->hook = TY_HOOK_NONE;
        k->kill = TY_KILL_TURN;
        __attribute__((fallthrough));
    case TY_KILL_TURN:
        if (!has_turn(r, i) && now_ms < k->kill_ms)
            return;
        if (k->kill_ms < now_ms + TY_MIN_GRACE_MS)
            k->kill_ms = now_ms + TY_MIN_GRACE_MS;
        send_signal(r, i, SIGTERM, ret);
        return;
    case TY_KILL_TERM:
        if (now_ms >= k->kill_ms)
            send_signal(r, i, SIGKILL, ret);
        return;
    }
}

/* From the last to the first, so that a sidecar sees that those after it are gone. */
void ty_pod_lifecycle_advance_kills(struct ty_pod_lifecycle *r, int64_t now_ms,
                                    struct ty_pod_actions *ret)
{
    for (size_t i = r->plan->n; i-- > 0;) {
        struct ty_container_state *k = &r->c[i];
        if (k->life != TY_CONTAINER_RUNNING || k->kill == TY_KILL_NOT)
            continue; /* one that is just starting is killed when it is there */
        if (r->plan->containers[i].holder)
            ty_pod_lifecycle_container_ended(r, i, 0, TY_EXIT_REASON_COMPLETED, NULL, now_ms);
        else if (r->at_once && k->kill != TY_KILL_KILL)
            send_signal(r, i, SIGKILL, ret);
        else
            advance_kill(r, i, now_ms, ret);
    }
}
