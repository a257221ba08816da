/* The lifecycle of a pod: one step, and the functions that report events to it. Containers change
 * state as drawn in pod_lifecycle_inner.h; the pod as a whole:
 *
 *   gated / held ──> init containers, in order ──> containers ──> stopping ──> over
 *                        ^                                          │ (sidecars last)
 *                        └────────── RestartAllContainers ──────────┘
 *
 * A step checks everything, in an order in which later parts see the effects of earlier ones. It
 * changes a container's state only together with the action that makes it true, so a step that runs
 * out of room for actions continues in the next. */
#include "engine/pod/pod_lifecycle.h"

#include <sys/wait.h>

#include "base/time.h"
#include "base/xalloc.h"
#include "engine/changes.h"
#include "engine/pod/pod_lifecycle_inner.h"
#include "engine/pod/pod_summary.h"

#define NOTE_MAX 1024 /* of a text: probes may print a lot */

struct ty_pod_lifecycle *ty_pod_lifecycle_new(const struct ty_pod_plan *plan, int64_t now_ms)
{
    struct ty_pod_lifecycle *r = ty_xalloc(calloc(1, sizeof(*r) + plan->n * sizeof(r->c[0])));
    r->plan = plan;
    r->gated = plan->gated;
    r->start_ms = r->gated ? 0 : now_ms;
    r->initialized = plan->n_init == 0;
    r->pending_events_end = &r->pending_events;
    r->dirty = true;
    for (size_t i = 0; i < TY_CONDITIONS; i++)
        r->since_ms[i] = now_ms;
    return r;
}

static void free_events(struct ty_lifecycle_event *n)
{
    while (n) {
        struct ty_lifecycle_event *next = n->next;
        free(n);
        n = next;
    }
}

void ty_pod_lifecycle_free(struct ty_pod_lifecycle *r)
{
    if (!r)
        return;
    free_events(r->pending_events);
    free_events(r->sent_events);
    for (size_t i = 0; i < r->plan->n; i++) {
        free(r->c[i].end.message);
        free(r->c[i].last.message);
    }
    free(r);
}

size_t ty_pod_lifecycle_count_alive(const struct ty_pod_lifecycle *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->plan->n; i++)
        n += ty_pod_lifecycle_container_alive(&r->c[i]);
    return n;
}

struct ty_pod_action *ty_pod_lifecycle_add_action(struct ty_pod_actions *ret,
                                                  enum ty_pod_action_kind kind, size_t c, int n)
{
    if (ret->n == TY_POD_ACTIONS_MAX)
        return NULL;
    ret->v[ret->n] = (struct ty_pod_action){ .kind = kind, .c = c, .n = n };
    return &ret->v[ret->n++];
}

void ty_pod_lifecycle_add_event(struct ty_pod_lifecycle *r, size_t c, const char *type,
                                const char *reason, const char *fmt, ...)
{
    char text[NOTE_MAX];
    struct ty_lifecycle_event *note;
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    note = ty_xalloc(malloc(sizeof(*note) + strlen(text) + 1));
    *note = (struct ty_lifecycle_event){ .type = type, .reason = reason, .c = c };
    memcpy(note->text, text, strlen(text) + 1);
    *r->pending_events_end = note;
    r->pending_events_end = &note->next;
}

void ty_pod_lifecycle_started(struct ty_pod_lifecycle *r, size_t c, int64_t now_ms)
{
    struct ty_container_state *k = &r->c[c];

    if (k->life != TY_CONTAINER_STARTING)
        return;
    k->life = TY_CONTAINER_RUNNING;
    k->started_ms = now_ms;
    r->dirty = true;
    ty_pod_lifecycle_add_event(r, c, "Normal", "Started", "Container started");
    ty_pod_lifecycle_reset_probes(r, c);
    if (r->plan->containers[c].post_start && k->kill == TY_KILL_NOT)
        k->hook = TY_HOOK_WANTED;
    else
        ty_pod_lifecycle_container_started(r, c);
}

void ty_pod_lifecycle_start_failed(struct ty_pod_lifecycle *r, size_t c, const char *why,
                                   int64_t now_ms)
{
    if (r->c[c].life != TY_CONTAINER_STARTING)
        return;
    r->c[c].started_ms = now_ms;
    ty_pod_lifecycle_add_event(r, c, "Warning", "Failed", "Error: %s", why);
    ty_pod_lifecycle_container_ended(r, c, 128, TY_EXIT_REASON_START_ERROR, why, now_ms);
}

void ty_pod_lifecycle_exited(struct ty_pod_lifecycle *r, size_t c, int wstatus, bool oom,
                             const char *message, int64_t now_ms)
{
    int code = WIFSIGNALED(wstatus) ? 128 + WTERMSIG(wstatus) : WEXITSTATUS(wstatus);
    enum ty_exit_reason why = oom         ? TY_EXIT_REASON_OOM
                              : code == 0 ? TY_EXIT_REASON_COMPLETED
                                          : TY_EXIT_REASON_ERROR;

    if (r->c[c].life == TY_CONTAINER_STARTING)
        ty_pod_lifecycle_started(r, c, now_ms); /* the exit was reported before the start */
    if (r->c[c].life == TY_CONTAINER_RUNNING)
        ty_pod_lifecycle_container_ended(r, c, code, why, message, now_ms);
}

void ty_pod_lifecycle_hook_result(struct ty_pod_lifecycle *r, size_t c, bool ok, int64_t now_ms)
{
    struct ty_container_state *k = &r->c[c];
    uint8_t hook = k->hook;

    if (hook == TY_HOOK_NONE || hook == TY_HOOK_WANTED || k->life != TY_CONTAINER_RUNNING)
        return;
    k->hook = TY_HOOK_NONE;
    r->dirty = true;
    if (hook == TY_HOOK_PRE_STOP) {
        if (!ok)
            ty_pod_lifecycle_add_event(r, c, "Warning", "FailedPreStopHook", "PreStopHook failed");
        return;
    }
    if (ok) {
        ty_pod_lifecycle_container_started(r, c);
        return;
    }
    ty_pod_lifecycle_add_event(r, c, "Warning", "FailedPostStartHook", "PostStartHook failed");
    if (k->kill == TY_KILL_NOT) {
        ty_pod_lifecycle_add_event(r, c, "Normal", "Killing", "FailedPostStartHook");
        ty_pod_lifecycle_kill_container(r, c, r->plan->grace_s, now_ms);
    }
}

void ty_pod_lifecycle_stop(struct ty_pod_lifecycle *r, int64_t grace_s, int64_t now_ms)
{
    if (ty_pod_lifecycle_terminal(r))
        return;
    r->at_once = r->at_once || grace_s == 0;
    ty_pod_lifecycle_stop_containers(r, TY_STOP_DELETED, grace_s < 0 ? r->plan->grace_s : grace_s,
                                     now_ms);
}

void ty_pod_lifecycle_set_unschedulable(struct ty_pod_lifecycle *r, const char *why, int64_t now_ms)
{
    (void)now_ms;
    if (r->stop || ty_pod_lifecycle_count_alive(r))
        return;
    r->dirty = r->dirty || !r->hold || strcmp(r->hold, why) != 0;
    r->hold = why;
    r->start_ms = 0;
}

void ty_pod_lifecycle_ungate(struct ty_pod_lifecycle *r, int64_t now_ms)
{
    if (!ty_pod_lifecycle_blocked(r))
        return;
    r->gated = false;
    r->hold = NULL;
    r->start_ms = now_ms;
    r->dirty = true;
}

static int64_t deadline_ms(const struct ty_pod_lifecycle *r)
{
    return r->plan->deadline_s && r->start_ms ? r->start_ms + ty_time_wait_ms(r->plan->deadline_s)
                                              : 0;
}

static void ask_post_starts(struct ty_pod_lifecycle *r, struct ty_pod_actions *ret)
{
    for (size_t i = 0; i < r->plan->n; i++)
        if (r->c[i].hook == TY_HOOK_WANTED &&
            ty_pod_lifecycle_add_action(ret, TY_POD_ACTION_HOOK, i, 1))
            r->c[i].hook = TY_HOOK_POST_START;
}

static void emit_events(struct ty_pod_lifecycle *r, struct ty_pod_actions *ret)
{
    while (r->pending_events) {
        struct ty_lifecycle_event *n = r->pending_events;
        struct ty_pod_action *d = ty_pod_lifecycle_add_action(ret, TY_POD_ACTION_EVENT, n->c, 0);
        if (!d)
            return;
        d->event =
            (struct ty_pending_event){ .type = n->type, .reason = n->reason, .message = n->text };
        r->pending_events = n->next;
        n->next = r->sent_events;
        r->sent_events = n;
    }
    r->pending_events_end = &r->pending_events;
}

static void set_earlier(int64_t *wake, int64_t at, int64_t now_ms)
{
    if (at > now_ms && (*wake < 0 || at < *wake))
        *wake = at;
}

/* What is due now was done in this step; only what comes later needs a call. */
static int64_t next_wake(const struct ty_pod_lifecycle *r, int64_t now_ms)
{
    int64_t wake = -1;

    if (!r->stop)
        set_earlier(&wake, deadline_ms(r), now_ms);
    for (size_t i = 0; i < r->plan->n; i++) {
        const struct ty_container_state *k = &r->c[i];
        if (k->life == TY_CONTAINER_TERMINATED && k->again)
            set_earlier(&wake, k->retry_ms, now_ms);
        if (k->life == TY_CONTAINER_RUNNING && k->kill != TY_KILL_NOT && k->kill != TY_KILL_KILL)
            set_earlier(&wake, k->kill_ms, now_ms);
        for (int u = TY_STARTUP_PROBE; u <= TY_READINESS_PROBE; u++)
            if (ty_pod_lifecycle_probe_enabled(r, i, (enum ty_probe_use)u) && !k->probe[u].asked)
                set_earlier(&wake, k->probe[u].next_ms, now_ms);
    }
    return wake;
}

void ty_pod_lifecycle_next_actions(struct ty_pod_lifecycle *r, int64_t now_ms,
                                   struct ty_pod_actions *ret)
{
    int64_t deadline = deadline_ms(r);

    ret->n = 0;
    ret->wake_ms = -1;
    free_events(r->sent_events);
    r->sent_events = NULL;
    if (!r->stop && deadline && now_ms >= deadline)
        ty_pod_lifecycle_stop_containers(r, TY_STOP_DEADLINE, r->plan->grace_s, now_ms);
    ty_pod_lifecycle_probe_due(r, now_ms, ret);
    ty_pod_lifecycle_advance_kills(r, now_ms, ret);
    if (r->stop == TY_STOP_RESET && !ty_pod_lifecycle_count_alive(r))
        ty_pod_lifecycle_reset(r);
    if (!r->stop && !ty_pod_lifecycle_blocked(r))
        ty_pod_lifecycle_start_due(r, now_ms, ret);
    ask_post_starts(r, ret);
    ty_pod_lifecycle_update(r, now_ms);
    emit_events(r, ret);
    if (r->dirty && ty_pod_lifecycle_add_action(ret, TY_POD_ACTION_STATUS, 0, 0))
        r->dirty = false;
    if (ty_pod_lifecycle_terminal(r) && !r->dirty && !r->pending_events && !r->over_sent)
        r->over_sent = ty_pod_lifecycle_add_action(ret, TY_POD_ACTION_OVER, 0, 0) != NULL;
    ret->wake_ms = next_wake(r, now_ms);
}

enum ty_pod_phase ty_pod_lifecycle_phase(const struct ty_pod_lifecycle *r)
{
    return (enum ty_pod_phase)r->phase;
}

bool ty_pod_lifecycle_ready(const struct ty_pod_lifecycle *r)
{
    return r->conditions & 1u << TY_COND_READY;
}

int64_t ty_pod_lifecycle_retry_ms(const struct ty_pod_lifecycle *r, size_t c)
{
    return r->c[c].again ? r->c[c].retry_ms : -1;
}

int64_t ty_pod_lifecycle_restarts(const struct ty_pod_lifecycle *r)
{
    int64_t n = 0;

    for (size_t i = 0; i < r->plan->n; i++)
        n += r->c[i].restarts + r->c[i].again;
    return n;
}

enum ty_pod_stop_reason ty_pod_lifecycle_stop_reason(const struct ty_pod_lifecycle *r)
{
    return (enum ty_pod_stop_reason)r->stop;
}
