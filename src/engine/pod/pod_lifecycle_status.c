/* Computes a pod's phase, conditions and status, with the kubelet's reasons and messages. */
#include "engine/pod/pod_lifecycle.h"
#include "engine/pod/pod_lifecycle_inner.h"
#include "engine/pod/pod_summary.h"
#include "trainer/trainjob_reconcile.h" /* ty_time_text */

#define HOST_IP      "127.0.0.1"
#define MESSAGES_MAX 12288u /* termination messages of a pod together */

bool ty_pod_lifecycle_container_ready(const struct ty_pod_lifecycle *r, size_t i)
{
    const struct ty_container_plan *c = &r->plan->containers[i];
    const struct ty_container_state *k = &r->c[i];

    if (c->init && !c->sidecar)
        return k->life == TY_CONTAINER_TERMINATED && k->end.code == 0;
    return k->life == TY_CONTAINER_RUNNING && k->started &&
           (!c->readiness || c->holder || k->probe[TY_READINESS_PROBE].passed);
}

/* ---- phase ---- */

/* It has a process, or had one. While postStart runs it is still being created. */
static bool has_run(const struct ty_container_state *k)
{
    return k->life == TY_CONTAINER_TERMINATED || k->last.set ||
           (k->life == TY_CONTAINER_RUNNING && k->hook != TY_HOOK_WANTED &&
            k->hook != TY_HOOK_POST_START);
}

static enum ty_pod_phase phase_at_end(const struct ty_pod_lifecycle *r)
{
    if (r->stop == TY_STOP_INIT_FAILED || r->stop == TY_STOP_DEADLINE)
        return TY_FAILED;
    for (size_t i = r->plan->n_init; i < r->plan->n; i++)
        if (r->c[i].life != TY_CONTAINER_TERMINATED || r->c[i].end.code != 0)
            return TY_FAILED;
    return TY_SUCCEEDED;
}

static enum ty_pod_phase phase_now(const struct ty_pod_lifecycle *r)
{
    if (ty_pod_lifecycle_terminal(r))
        return (enum ty_pod_phase)r->phase;
    if (r->stop && r->stop != TY_STOP_RESET)
        return ty_pod_lifecycle_count_alive(r) ? (enum ty_pod_phase)r->phase : phase_at_end(r);
    if (!r->initialized)
        return TY_PENDING;
    for (size_t i = r->plan->n_init; i < r->plan->n; i++)
        if (!has_run(&r->c[i]))
            return TY_PENDING;
    return TY_RUNNING;
}

/* ---- conditions ---- */

static bool all_ready(const struct ty_pod_lifecycle *r)
{
    for (size_t i = 0; i < r->plan->n; i++) {
        const struct ty_container_plan *c = &r->plan->containers[i];
        if ((!c->init || c->sidecar) && !ty_pod_lifecycle_container_ready(r, i))
            return false;
    }
    return r->initialized && !ty_pod_lifecycle_terminal(r);
}

static bool anything_started(const struct ty_pod_lifecycle *r)
{
    for (size_t i = 0; i < r->plan->n; i++)
        if (r->c[i].life != TY_CONTAINER_WAITING)
            return true;
    return false;
}

void ty_pod_lifecycle_update(struct ty_pod_lifecycle *r, int64_t now_ms)
{
    enum ty_pod_phase phase = phase_now(r);
    unsigned now = 0, changed;

    r->dirty = r->dirty || phase != (enum ty_pod_phase)r->phase;
    r->phase = (uint8_t)phase;
    now |= (unsigned)(anything_started(r) && !ty_pod_lifecycle_terminal(r)) << TY_COND_SANDBOX;
    now |= (unsigned)(r->initialized || phase == TY_SUCCEEDED) << TY_COND_INITIALIZED;
    if (all_ready(r))
        now |= 1u << TY_COND_READY | 1u << TY_COND_CONTAINERS_READY;
    now |= (unsigned)!ty_pod_lifecycle_blocked(r) << TY_COND_SCHEDULED;
    changed = now ^ r->conditions;
    for (unsigned i = 0; i < TY_CONDITIONS; i++)
        if (changed & 1u << i)
            r->since_ms[i] = now_ms;
    r->dirty = r->dirty || changed;
    r->conditions = (uint8_t)now;
}

static void set_time(struct ty_arena *a, struct ty_json *obj, const char *key, int64_t ms)
{
    ty_json_set(a, obj, key, ty_json_str(a, ty_time_text(a, ms / 1000)));
}

static void add_condition(const struct ty_pod_lifecycle *r, struct ty_arena *a,
                          struct ty_json *list, enum ty_pod_condition which, const char *reason,
                          const char *message)
{
    static const char *const types[] = { "PodReadyToStartContainers", "Initialized", "Ready",
                                         "ContainersReady", "PodScheduled" };
    struct ty_json *c = ty_json_object(a);
    bool yes = r->conditions & 1u << which;

    ty_json_set(a, c, "type", ty_json_cstr(a, types[which]));
    ty_json_set(a, c, "status", ty_json_cstr(a, yes ? "True" : "False"));
    if (reason)
        ty_json_set(a, c, "reason", ty_json_cstr(a, reason));
    if (message)
        ty_json_set(a, c, "message", ty_json_cstr(a, message));
    ty_json_set(a, c, "lastProbeTime", ty_json_null(a));
    set_time(a, c, "lastTransitionTime", r->since_ms[which]);
    ty_json_push(a, list, c);
}

/* "containers with WHAT status: [a b]" of those that are not; init: of the init containers. */
static const char *not_yet(const struct ty_pod_lifecycle *r, struct ty_arena *a, const char *what,
                           bool init)
{
    ty_auto_buf out = { 0 };

    ty_buf_printf(&out, "containers with %s status: [", what);
    size_t empty = out.n;
    for (size_t i = 0; i < r->plan->n; i++) {
        const struct ty_container_plan *c = &r->plan->containers[i];
        bool asked = init ? c->init : !c->init || c->sidecar;
        bool ok = init && c->sidecar ? r->c[i].started : ty_pod_lifecycle_container_ready(r, i);
        if (asked && !ok)
            ty_buf_printf(&out, "%s%s", out.n == empty ? "" : " ", c->name);
    }
    ty_buf_chr(&out, ']');
    return ty_arena_cstr(a, ty_buf_str(&out));
}

static struct ty_json *pod_conditions(const struct ty_pod_lifecycle *r, struct ty_arena *a)
{
    struct ty_json *list = ty_json_array(a);
    const char *done = r->phase == TY_SUCCEEDED ? "PodCompleted"
                       : r->phase == TY_FAILED  ? "PodFailed"
                                                : NULL;
    const char *reason = done ? done : "ContainersNotReady", *message = NULL;

    if (ty_pod_lifecycle_blocked(r)) { /* no machine has it yet */
        add_condition(r, a, list, TY_COND_SCHEDULED, r->gated ? "SchedulingGated" : "Unschedulable",
                      r->gated ? "Scheduling is blocked due to non-empty scheduling gates"
                               : r->hold);
        return list;
    }
    add_condition(r, a, list, TY_COND_SANDBOX, NULL, NULL);
    if (r->conditions & 1u << TY_COND_INITIALIZED)
        add_condition(r, a, list, TY_COND_INITIALIZED,
                      r->phase == TY_SUCCEEDED ? "PodCompleted" : NULL, NULL);
    else
        add_condition(r, a, list, TY_COND_INITIALIZED, "ContainersNotInitialized",
                      not_yet(r, a, "incomplete", true));
    if (r->conditions & 1u << TY_COND_READY)
        reason = NULL;
    else if (!done)
        message = not_yet(r, a, "unready", false);
    add_condition(r, a, list, TY_COND_READY, reason, message);
    add_condition(r, a, list, TY_COND_CONTAINERS_READY, reason, message);
    add_condition(r, a, list, TY_COND_SCHEDULED, NULL, NULL);
    return list;
}

/* ---- containers ---- */

static const char *container_id(const struct ty_pod_lifecycle *r, struct ty_arena *a, size_t i,
                                int run)
{
    return ty_arena_printf(a, "trainyard://%s/%s/%d", r->plan->uid, r->plan->containers[i].name,
                           run);
}

static struct ty_json *terminated_state(const struct ty_pod_lifecycle *r, struct ty_arena *a,
                                        size_t i, const struct ty_container_exit *end, int run)
{
    static const char *const reasons[] = { "Completed", "Error", "OOMKilled", "StartError" };
    struct ty_json *t = ty_json_object(a), *state = ty_json_object(a);
    size_t room = MESSAGES_MAX / r->plan->n;

    ty_json_set(a, t, "exitCode", ty_json_int(a, end->code));
    ty_json_set(a, t, "reason", ty_json_cstr(a, reasons[end->why]));
    if (end->message) {
        size_t n = strnlen(end->message, room);
        ty_json_set(a, t, "message", ty_json_cstr(a, ty_arena_strndup(a, end->message, n)));
    }
    set_time(a, t, "startedAt", end->started_ms);
    set_time(a, t, "finishedAt", end->ended_ms);
    ty_json_set(a, t, "containerID", ty_json_cstr(a, container_id(r, a, i, run)));
    ty_json_set(a, state, "terminated", t);
    return state;
}

/* Go prints durations as 10s, 1m20s, 5m0s. */
static const char *duration_text(struct ty_arena *a, int s)
{
    return s < 60 ? ty_arena_printf(a, "%ds", s) : ty_arena_printf(a, "%dm%ds", s / 60, s % 60);
}

static struct ty_json *waiting_state(const struct ty_pod_lifecycle *r, struct ty_arena *a, size_t i)
{
    const struct ty_container_state *k = &r->c[i];
    struct ty_json *w = ty_json_object(a), *state = ty_json_object(a);
    const char *reason = r->plan->n_init ? "PodInitializing" : "ContainerCreating";

    if (k->life == TY_CONTAINER_TERMINATED) {
        const struct ty_pod_plan *p = r->plan;
        reason = "CrashLoopBackOff";
        ty_json_set(a, w, "message",
                    ty_json_strf(a, "back-off %s restarting failed container=%s pod=%s_%s(%s)",
                                 duration_text(a, k->back_off_s), p->containers[i].name, p->name,
                                 p->ns, p->uid));
    }
    ty_json_set(a, w, "reason", ty_json_cstr(a, reason));
    ty_json_set(a, state, "waiting", w);
    return state;
}

/* It never ran and never will: what the kubelet says of containers it cannot find. */
static struct ty_json *unknown_state(struct ty_arena *a)
{
    struct ty_json *t = ty_json_object(a), *state = ty_json_object(a);

    ty_json_set(a, t, "exitCode", ty_json_int(a, 137));
    ty_json_set(a, t, "reason", ty_json_cstr(a, "ContainerStatusUnknown"));
    ty_json_set(a, t, "message",
                ty_json_cstr(a, "The container could not be located when the pod was terminated"));
    ty_json_set(a, t, "startedAt", ty_json_null(a));
    ty_json_set(a, t, "finishedAt", ty_json_null(a));
    ty_json_set(a, state, "terminated", t);
    return state;
}

static struct ty_json *state_of(const struct ty_pod_lifecycle *r, struct ty_arena *a, size_t i)
{
    const struct ty_container_state *k = &r->c[i];
    struct ty_json *running, *state;

    if (k->life == TY_CONTAINER_TERMINATED && !(k->again && k->back_off_s))
        return terminated_state(r, a, i, &k->end, k->restarts);
    if (k->life == TY_CONTAINER_RUNNING && has_run(k)) {
        running = ty_json_object(a);
        state = ty_json_object(a);
        set_time(a, running, "startedAt", k->started_ms);
        ty_json_set(a, state, "running", running);
        return state;
    }
    if (ty_pod_lifecycle_terminal(r) && r->initialized && !r->plan->containers[i].init)
        return unknown_state(a);
    return waiting_state(r, a, i);
}

static struct ty_json *container_status(const struct ty_pod_lifecycle *r, struct ty_arena *a,
                                        size_t i)
{
    const struct ty_container_plan *c = &r->plan->containers[i];
    const struct ty_container_state *k = &r->c[i];
    struct ty_json *s = ty_json_object(a), *last = ty_json_object(a);

    ty_json_set(a, s, "name", ty_json_cstr(a, c->name));
    ty_json_set(a, s, "state", state_of(r, a, i));
    if (k->life == TY_CONTAINER_TERMINATED && k->again && k->back_off_s)
        last = terminated_state(r, a, i, &k->end, k->restarts);
    else if (k->last.set)
        last = terminated_state(r, a, i, &k->last, k->restarts - 1);
    ty_json_set(a, s, "lastState", last);
    ty_json_set(a, s, "ready", ty_json_bool(a, ty_pod_lifecycle_container_ready(r, i)));
    ty_json_set(a, s, "restartCount", ty_json_int(a, k->restarts));
    ty_json_set(a, s, "image", ty_json_cstr(a, c->image ? c->image : ""));
    ty_json_set(a, s, "imageID", ty_json_cstr(a, ""));
    if (has_run(k))
        ty_json_set(a, s, "containerID", ty_json_cstr(a, container_id(r, a, i, k->restarts)));
    ty_json_set(a, s, "started", ty_json_bool(a, k->life == TY_CONTAINER_RUNNING && k->started));
    return s;
}

/* Init containers as they are written; the others sorted by name. */
static struct ty_json *container_statuses(const struct ty_pod_lifecycle *r, struct ty_arena *a,
                                          bool init)
{
    struct ty_json *list = ty_json_array(a);

    for (size_t i = init ? 0 : r->plan->n_init; i < (init ? r->plan->n_init : r->plan->n); i++) {
        struct ty_json *s = container_status(r, a, i);
        size_t at = list->n;
        while (!init && at > 0 &&
               ty_str_cmp(ty_json_str_at(list->items[at - 1], "name"), ty_json_str_at(s, "name")) >
                   0)
            at--;
        ty_json_insert(a, list, at, s);
    }
    return list;
}

static struct ty_json *pod_ips(struct ty_arena *a, const char *ip)
{
    struct ty_json *list = ty_json_array(a), *one = ty_json_object(a);

    ty_json_set(a, one, "ip", ty_json_cstr(a, ip));
    ty_json_push(a, list, one);
    return list;
}

struct ty_json *ty_pod_lifecycle_status(const struct ty_pod_lifecycle *r, struct ty_arena *a,
                                        const char *address)
{
    static const char *const phases[] = { "Pending", "Running", "Succeeded", "Failed" };
    struct ty_json *s = ty_json_object(a);

    ty_json_set(a, s, "phase", ty_json_cstr(a, phases[r->phase]));
    if (r->phase == TY_FAILED && r->stop == TY_STOP_DEADLINE) {
        ty_json_set(a, s, "reason", ty_json_cstr(a, "DeadlineExceeded"));
        ty_json_set(
            a, s, "message",
            ty_json_cstr(a, "Pod was active on the node longer than the specified deadline"));
    }
    ty_json_set(a, s, "conditions", pod_conditions(r, a));
    if (ty_pod_lifecycle_blocked(r))
        return s;
    set_time(a, s, "startTime", r->start_ms);
    ty_json_set(a, s, "hostIP", ty_json_cstr(a, HOST_IP));
    ty_json_set(a, s, "hostIPs", pod_ips(a, HOST_IP));
    if (address) {
        ty_json_set(a, s, "podIP", ty_json_cstr(a, address));
        ty_json_set(a, s, "podIPs", pod_ips(a, address));
    }
    if (r->plan->n_init)
        ty_json_set(a, s, "initContainerStatuses", container_statuses(r, a, true));
    ty_json_set(a, s, "containerStatuses", container_statuses(r, a, false));
    return s;
}
