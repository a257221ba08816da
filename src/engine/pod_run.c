/* A pod's life: the main line (one step), and what it is told. Containers live as drawn in
 * pod_run_inner.h; the pod as a whole:
 *
 *   gated / held ──> init containers, in order ──> containers ──> stopping ──> over
 *                        ^                                          │ (sidecars last)
 *                        └────────── RestartAllContainers ──────────┘
 *
 * A step looks at everything, in an order in which a later part sees what an earlier one did. It
 * changes a container's state only together with the deed that makes it true, so a step that runs
 * out of room simply goes on in the next. */
#include "engine/pod_run.h"

#include <sys/wait.h>

#include "base/clock.h"
#include "engine/pod_run_inner.h"

#define NOTE_MAX 1024 /* of a text: probes may print a lot */

struct ty_pod_run *ty_pod_run_new(const struct ty_pod_plan *plan, int64_t now_ms)
{
    struct ty_pod_run *r = calloc(1, sizeof(*r) + plan->n * sizeof(r->c[0]));

    if (!r)
        abort();
    r->plan = plan;
    r->gated = plan->gated;
    r->start_ms = r->gated ? 0 : now_ms;
    r->initialized = plan->n_init == 0;
    r->notes_end = &r->notes;
    r->dirty = true;
    for (size_t i = 0; i < TY_CONDITIONS; i++)
        r->since_ms[i] = now_ms;
    return r;
}

static void free_notes(struct ty_note *n)
{
    while (n) {
        struct ty_note *next = n->next;
        free(n);
        n = next;
    }
}

void ty_pod_run_free(struct ty_pod_run *r)
{
    if (!r)
        return;
    free_notes(r->notes);
    free_notes(r->told);
    for (size_t i = 0; i < r->plan->n; i++) {
        free(r->c[i].end.message);
        free(r->c[i].last.message);
    }
    free(r);
}

size_t ty_run_count_alive(const struct ty_pod_run *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->plan->n; i++)
        n += ty_run_alive(&r->c[i]);
    return n;
}

struct ty_deed *ty_run_deed(struct ty_deeds *ret, enum ty_deed_kind kind, size_t c, int n)
{
    if (ret->n == TY_DEEDS_MAX)
        return NULL;
    ret->v[ret->n] = (struct ty_deed){ .kind = kind, .c = c, .n = n };
    return &ret->v[ret->n++];
}

void ty_pod_run_note(struct ty_pod_run *r, size_t c, const char *type, const char *reason,
                     const char *fmt, ...)
{
    char text[NOTE_MAX];
    struct ty_note *note;
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    note = malloc(sizeof(*note) + strlen(text) + 1);
    if (!note)
        abort();
    *note = (struct ty_note){ .type = type, .reason = reason, .c = c };
    memcpy(note->text, text, strlen(text) + 1);
    *r->notes_end = note;
    r->notes_end = &note->next;
}

void ty_pod_run_started(struct ty_pod_run *r, size_t c, int64_t now_ms)
{
    struct ty_crun *k = &r->c[c];

    if (k->life != TY_LIFE_STARTING)
        return;
    k->life = TY_LIFE_RUNNING;
    k->started_ms = now_ms;
    r->dirty = true;
    ty_pod_run_note(r, c, "Normal", "Started", "Container started");
    ty_run_probes_begin(r, c);
    if (r->plan->containers[c].post_start && k->kill == TY_KILL_NOT)
        k->hook = TY_HOOK_WANTED;
    else
        ty_run_begun(r, c);
}

void ty_pod_run_start_failed(struct ty_pod_run *r, size_t c, const char *why, int64_t now_ms)
{
    if (r->c[c].life != TY_LIFE_STARTING)
        return;
    r->c[c].started_ms = now_ms;
    ty_pod_run_note(r, c, "Warning", "Failed", "Error: %s", why);
    ty_run_ended(r, c, 128, TY_END_START_ERROR, why, now_ms);
}

void ty_pod_run_exited(struct ty_pod_run *r, size_t c, int wstatus, bool oom, const char *message,
                       int64_t now_ms)
{
    int code = WIFSIGNALED(wstatus) ? 128 + WTERMSIG(wstatus) : WEXITSTATUS(wstatus);
    enum ty_ending why = oom ? TY_END_OOM : code == 0 ? TY_END_COMPLETED : TY_END_ERROR;

    if (r->c[c].life == TY_LIFE_STARTING)
        ty_pod_run_started(r, c, now_ms); /* it was so short that we hear of its end first */
    if (r->c[c].life == TY_LIFE_RUNNING)
        ty_run_ended(r, c, code, why, message, now_ms);
}

void ty_pod_run_hooked(struct ty_pod_run *r, size_t c, bool ok, int64_t now_ms)
{
    struct ty_crun *k = &r->c[c];
    uint8_t hook = k->hook;

    if (hook == TY_HOOK_NONE || hook == TY_HOOK_WANTED || k->life != TY_LIFE_RUNNING)
        return;
    k->hook = TY_HOOK_NONE;
    r->dirty = true;
    if (hook == TY_HOOK_PRE_STOP) {
        if (!ok)
            ty_pod_run_note(r, c, "Warning", "FailedPreStopHook", "PreStopHook failed");
        return;
    }
    if (ok) {
        ty_run_begun(r, c);
        return;
    }
    ty_pod_run_note(r, c, "Warning", "FailedPostStartHook", "PostStartHook failed");
    if (k->kill == TY_KILL_NOT) {
        ty_pod_run_note(r, c, "Normal", "Killing", "FailedPostStartHook");
        ty_run_doom(r, c, r->plan->grace_s, now_ms);
    }
}

void ty_pod_run_stop(struct ty_pod_run *r, int64_t grace_s, int64_t now_ms)
{
    if (ty_run_terminal(r))
        return;
    r->at_once = r->at_once || grace_s == 0;
    ty_run_stop(r, TY_STOP_DELETED, grace_s < 0 ? r->plan->grace_s : grace_s, now_ms);
}

void ty_pod_run_hold(struct ty_pod_run *r, const char *why, int64_t now_ms)
{
    (void)now_ms;
    if (r->stop || ty_run_count_alive(r))
        return;
    r->dirty = r->dirty || !r->hold || strcmp(r->hold, why) != 0;
    r->hold = why;
    r->start_ms = 0;
}

void ty_pod_run_ungate(struct ty_pod_run *r, int64_t now_ms)
{
    if (!ty_run_blocked(r))
        return;
    r->gated = false;
    r->hold = NULL;
    r->start_ms = now_ms;
    r->dirty = true;
}

static int64_t deadline_ms(const struct ty_pod_run *r)
{
    return r->plan->deadline_s && r->start_ms ? r->start_ms + ty_wait_ms(r->plan->deadline_s) : 0;
}

static void ask_post_starts(struct ty_pod_run *r, struct ty_deeds *ret)
{
    for (size_t i = 0; i < r->plan->n; i++)
        if (r->c[i].hook == TY_HOOK_WANTED && ty_run_deed(ret, TY_DEED_HOOK, i, 1))
            r->c[i].hook = TY_HOOK_POST_START;
}

static void tell(struct ty_pod_run *r, struct ty_deeds *ret)
{
    while (r->notes) {
        struct ty_note *n = r->notes;
        struct ty_deed *d = ty_run_deed(ret, TY_DEED_EVENT, n->c, 0);
        if (!d)
            return;
        d->event =
            (struct ty_happening){ .type = n->type, .reason = n->reason, .message = n->text };
        r->notes = n->next;
        n->next = r->told;
        r->told = n;
    }
    r->notes_end = &r->notes;
}

static void nearer(int64_t *wake, int64_t at, int64_t now_ms)
{
    if (at > now_ms && (*wake < 0 || at < *wake))
        *wake = at;
}

/* What is due now was done in this step; only what comes later needs a call. */
static int64_t next_wake(const struct ty_pod_run *r, int64_t now_ms)
{
    int64_t wake = -1;

    if (!r->stop)
        nearer(&wake, deadline_ms(r), now_ms);
    for (size_t i = 0; i < r->plan->n; i++) {
        const struct ty_crun *k = &r->c[i];
        if (k->life == TY_LIFE_ENDED && k->again)
            nearer(&wake, k->retry_ms, now_ms);
        if (k->life == TY_LIFE_RUNNING && k->kill != TY_KILL_NOT && k->kill != TY_KILL_KILL)
            nearer(&wake, k->kill_ms, now_ms);
        for (int u = TY_USE_STARTUP; u <= TY_USE_READINESS; u++)
            if (ty_run_probing(r, i, (enum ty_probe_use)u) && !k->probe[u].asked)
                nearer(&wake, k->probe[u].next_ms, now_ms);
    }
    return wake;
}

void ty_pod_run_step(struct ty_pod_run *r, int64_t now_ms, struct ty_deeds *ret)
{
    int64_t deadline = deadline_ms(r);

    ret->n = 0;
    ret->wake_ms = -1;
    free_notes(r->told);
    r->told = NULL;
    if (!r->stop && deadline && now_ms >= deadline)
        ty_run_stop(r, TY_STOP_DEADLINE, r->plan->grace_s, now_ms);
    ty_run_probes(r, now_ms, ret);
    ty_run_kills(r, now_ms, ret);
    if (r->stop == TY_STOP_RESET && !ty_run_count_alive(r))
        ty_run_reset(r);
    if (!r->stop && !ty_run_blocked(r))
        ty_run_starts(r, now_ms, ret);
    ask_post_starts(r, ret);
    ty_run_update(r, now_ms);
    tell(r, ret);
    if (r->dirty && ty_run_deed(ret, TY_DEED_STATUS, 0, 0))
        r->dirty = false;
    if (ty_run_terminal(r) && !r->dirty && !r->notes && !r->over_told)
        r->over_told = ty_run_deed(ret, TY_DEED_OVER, 0, 0) != NULL;
    ret->wake_ms = next_wake(r, now_ms);
}

enum ty_phase ty_pod_run_phase(const struct ty_pod_run *r)
{
    return (enum ty_phase)r->phase;
}

bool ty_pod_run_ready(const struct ty_pod_run *r)
{
    return r->conditions & 1u << TY_COND_READY;
}

enum ty_stop ty_pod_run_why(const struct ty_pod_run *r)
{
    return (enum ty_stop)r->stop;
}

bool ty_pod_run_over(const struct ty_pod_run *r)
{
    return ty_run_terminal(r); /* a terminal phase waits for the last process */
}
