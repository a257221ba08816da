/* Probes: when each is due, and what its results mean after the thresholds. */
#include "engine/pod/pod_lifecycle.h"
#include "engine/pod/pod_lifecycle_inner.h"

static const struct ty_probe *probe_of(const struct ty_pod_lifecycle *r, size_t i,
                                       enum ty_probe_use use)
{
    const struct ty_container_plan *c = &r->plan->containers[i];
    const struct ty_probe *const all[] = { [TY_STARTUP_PROBE] = c->startup,
                                           [TY_LIVENESS_PROBE] = c->liveness,
                                           [TY_READINESS_PROBE] = c->readiness };

    return all[use];
}

/* The first one exactly after its delay; the others wait for the startup probe as well. */
void ty_pod_lifecycle_reset_probes(struct ty_pod_lifecycle *r, size_t i)
{
    struct ty_container_state *k = &r->c[i];

    memset(k->probe, 0, sizeof(k->probe));
    for (int u = TY_STARTUP_PROBE; u <= TY_READINESS_PROBE; u++) {
        const struct ty_probe *p = probe_of(r, i, (enum ty_probe_use)u);
        k->probe[u].next_ms = p ? k->started_ms + p->initial_delay_s * 1000 : 0;
    }
}

bool ty_pod_lifecycle_probe_enabled(const struct ty_pod_lifecycle *r, size_t i,
                                    enum ty_probe_use use)
{
    const struct ty_container_state *k = &r->c[i];

    return probe_of(r, i, use) && !r->plan->containers[i].holder &&
           k->life == TY_CONTAINER_RUNNING && k->hook == TY_HOOK_NONE && k->kill == TY_KILL_NOT &&
           !r->stop && k->started == (use != TY_STARTUP_PROBE);
}

void ty_pod_lifecycle_probe_due(struct ty_pod_lifecycle *r, int64_t now_ms,
                                struct ty_pod_actions *ret)
{
    for (size_t i = 0; i < r->plan->n; i++) {
        for (int u = TY_STARTUP_PROBE; u <= TY_READINESS_PROBE; u++) {
            enum ty_probe_use use = (enum ty_probe_use)u;
            struct ty_probe_state *p = &r->c[i].probe[u];
            if (!ty_pod_lifecycle_probe_enabled(r, i, use) || p->asked || now_ms < p->next_ms)
                continue;
            if (!ty_pod_lifecycle_add_action(ret, TY_POD_ACTION_PROBE, i, u))
                return;
            p->asked = true;
            p->next_ms = now_ms + probe_of(r, i, use)->period_s * 1000;
        }
    }
}

/* A startup or liveness probe failed for good. */
static void kill_for(struct ty_pod_lifecycle *r, size_t i, const struct ty_probe *p,
                     const char *which, int64_t now_ms)
{
    bool again = ty_pod_lifecycle_restart_policy(r, i) != 'N';

    ty_pod_lifecycle_add_event(r, i, "Normal", "Killing", "Container %s failed %s probe%s",
                               r->plan->containers[i].name, which,
                               again ? ", will be restarted" : "");
    r->c[i].revive = true;
    ty_pod_lifecycle_kill_container(r, i, p->grace_s >= 0 ? p->grace_s : r->plan->grace_s, now_ms);
}

static void apply_result(struct ty_pod_lifecycle *r, size_t i, enum ty_probe_use use, bool ok,
                         int64_t now_ms)
{
    const struct ty_probe *p = probe_of(r, i, use);
    struct ty_container_state *k = &r->c[i];

    switch (use) {
    case TY_STARTUP_PROBE:
        if (!ok)
            kill_for(r, i, p, "startup", now_ms);
        k->started = ok;
        r->dirty = true;
        return;
    case TY_LIVENESS_PROBE:
        if (!ok)
            kill_for(r, i, p, "liveness", now_ms);
        return;
    case TY_READINESS_PROBE:
        r->dirty = r->dirty || k->probe[use].passed != ok;
        k->probe[use].passed = ok;
        return;
    }
}

void ty_pod_lifecycle_probe_result(struct ty_pod_lifecycle *r, size_t c, enum ty_probe_use use,
                                   bool ok, const char *output, int64_t now_ms)
{
    static const char *const names[] = { "Startup", "Liveness", "Readiness" };
    struct ty_probe_state *p = &r->c[c].probe[use];
    const struct ty_probe *plan = probe_of(r, c, use);

    if (!p->asked || !plan)
        return;
    p->asked = false;
    if (!ty_pod_lifecycle_probe_enabled(r, c, use))
        return; /* it ended or is being ended */
    if (!ok)
        ty_pod_lifecycle_add_event(r, c, "Warning", "Unhealthy", "%s probe failed: %s", names[use],
                                   output ? output : "");
    p->run = p->ok == ok && p->run < INT32_MAX ? p->run + 1 : 1;
    p->ok = ok;
    if (p->run >= (ok ? plan->success : plan->failure))
        apply_result(r, c, use, ok, now_ms);
}
