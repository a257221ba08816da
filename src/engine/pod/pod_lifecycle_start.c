/* Starts containers: init containers one by one, then all others in order; and restarts them after
 * their end, by restart policy and back-off. */
#include "base/xalloc.h"
#include "engine/pod/pod_lifecycle.h"
#include "engine/pod/pod_lifecycle_inner.h"

#define FIRST_BACK_OFF_S 10
#define MAX_BACK_OFF_S   300
#define FORGET_MS        (600 * (int64_t)1000) /* ran longer: the failures before are forgotten */
#define MESSAGE_MAX      4096u

static char *dup_message(const char *message)
{
    size_t n = message ? strnlen(message, MESSAGE_MAX) : 0;

    return n ? ty_xalloc(strndup(message, n)) : NULL;
}

char ty_pod_lifecycle_restart_policy(const struct ty_pod_lifecycle *r, size_t i)
{
    int own = r->plan->containers[i].restart;
    return own ? (char)own : r->plan->restart;
}

static const struct ty_restart_rule *rule_for(const struct ty_container_plan *c, int code)
{
    for (size_t i = 0; i < c->n_rules; i++) {
        const struct ty_restart_rule *rule = &c->rules[i];
        bool in = false;
        for (size_t k = 0; k < rule->n_codes; k++)
            in = in || rule->codes[k] == code;
        if (in != rule->not_in)
            return rule;
    }
    return NULL;
}

static bool starts_again(const struct ty_pod_lifecycle *r, size_t i, int code)
{
    char policy = ty_pod_lifecycle_restart_policy(r, i);

    if (r->c[i].revive)
        return policy != 'N';
    if (rule_for(&r->plan->containers[i], code))
        return true;
    return policy == 'A' || (policy == 'O' && code != 0);
}

/* At once after a first failure, then 10 s, 20 s … 5 min from the end of the last run. */
static void back_off(struct ty_pod_lifecycle *r, size_t i)
{
    struct ty_container_state *k = &r->c[i];
    const struct ty_pod_plan *p = r->plan;

    if (k->end.ended_ms - k->end.started_ms > FORGET_MS)
        k->next_back_off_s = 0;
    k->back_off_s = k->next_back_off_s;
    k->next_back_off_s = k->back_off_s ? k->back_off_s * 2 : FIRST_BACK_OFF_S;
    if (k->next_back_off_s > MAX_BACK_OFF_S)
        k->next_back_off_s = MAX_BACK_OFF_S;
    k->again = true;
    k->retry_ms = k->end.ended_ms + (int64_t)k->back_off_s * 1000;
    if (k->back_off_s)
        ty_pod_lifecycle_add_event(r, i, "Warning", "BackOff",
                                   "Back-off restarting failed container %s in pod %s_%s(%s)",
                                   p->containers[i].name, p->name, p->ns, p->uid);
}

void ty_pod_lifecycle_container_ended(struct ty_pod_lifecycle *r, size_t i, int code,
                                      enum ty_exit_reason why, const char *message, int64_t now_ms)
{
    const struct ty_container_plan *c = &r->plan->containers[i];
    const struct ty_restart_rule *rule = rule_for(c, code);
    struct ty_container_state *k = &r->c[i];

    free(k->end.message);
    k->end = (struct ty_container_exit){ .started_ms = k->started_ms,
                                         .ended_ms = now_ms,
                                         .message = dup_message(message),
                                         .code = code,
                                         .set = true,
                                         .why = (uint8_t)why };
    k->life = TY_CONTAINER_TERMINATED;
    k->started = k->again = false;
    k->hook = TY_HOOK_NONE;
    k->kill = TY_KILL_NOT;
    r->dirty = true;
    if (!r->stop) {
        if (rule && rule->all && !k->revive)
            ty_pod_lifecycle_stop_containers(r, TY_STOP_RESET, 0, now_ms);
        else if (starts_again(r, i, code))
            back_off(r, i);
        else if (c->init && code != 0)
            ty_pod_lifecycle_stop_containers(r, TY_STOP_INIT_FAILED, r->plan->grace_s, now_ms);
    }
    k->revive = false;
}

void ty_pod_lifecycle_container_started(struct ty_pod_lifecycle *r, size_t i)
{
    r->c[i].started = !r->plan->containers[i].startup || r->plan->containers[i].holder;
    r->dirty = true;
}

/* What was said of the run that ended becomes what is said of the one before. */
static void move_end(struct ty_container_state *k)
{
    free(k->last.message);
    k->last = k->end;
    k->end = (struct ty_container_exit){ 0 };
    k->restarts++;
}

static bool is_due(const struct ty_container_state *k, int64_t now_ms)
{
    return k->life == TY_CONTAINER_WAITING ||
           (k->life == TY_CONTAINER_TERMINATED && k->again && now_ms >= k->retry_ms);
}

static void start_container(struct ty_pod_lifecycle *r, size_t i, int64_t now_ms,
                            struct ty_pod_actions *ret)
{
    struct ty_container_state *k = &r->c[i];
    bool holder = r->plan->containers[i].holder;
    bool again = k->life == TY_CONTAINER_TERMINATED;

    if (!holder && !ty_pod_lifecycle_add_action(ret, TY_POD_ACTION_START, i, k->restarts + again))
        return;
    if (again)
        move_end(k);
    k->again = false;
    k->life = TY_CONTAINER_STARTING;
    r->dirty = true;
    if (!holder)
        return;
    k->life = TY_CONTAINER_RUNNING;
    k->started_ms = now_ms;
    ty_pod_lifecycle_container_started(r, i);
}

/* True when the containers after it may start. */
static bool init_is_done(const struct ty_pod_lifecycle *r, size_t i)
{
    const struct ty_container_state *k = &r->c[i];

    if (r->plan->containers[i].sidecar)
        return k->started;
    return k->life == TY_CONTAINER_TERMINATED && !k->again && k->end.code == 0;
}

/* True when all init containers are done. */
static bool start_inits(struct ty_pod_lifecycle *r, int64_t now_ms, struct ty_pod_actions *ret)
{
    for (size_t i = 0; i < r->plan->n_init; i++) {
        bool past = i < r->init_next;
        if ((!past || r->plan->containers[i].sidecar) && is_due(&r->c[i], now_ms))
            start_container(r, i, now_ms, ret);
        if (past)
            continue;
        if (!init_is_done(r, i))
            return false;
        r->init_next = i + 1;
    }
    r->initialized = true;
    return true;
}

void ty_pod_lifecycle_start_due(struct ty_pod_lifecycle *r, int64_t now_ms,
                                struct ty_pod_actions *ret)
{
    size_t done = 0;

    if (!start_inits(r, now_ms, ret))
        return;
    for (size_t i = r->plan->n_init; i < r->plan->n; i++) {
        struct ty_container_state *k = &r->c[i];
        if (is_due(k, now_ms))
            start_container(r, i, now_ms, ret);
        done += k->life == TY_CONTAINER_TERMINATED && !k->again;
        /* Its postStart hook holds up the next one. */
        if (r->plan->containers[i].post_start &&
            (k->life == TY_CONTAINER_STARTING || k->hook != TY_HOOK_NONE))
            return;
    }
    if (done == r->plan->n - r->plan->n_init)
        ty_pod_lifecycle_stop_containers(r, TY_STOP_DONE, r->plan->grace_s, now_ms);
}

void ty_pod_lifecycle_reset(struct ty_pod_lifecycle *r)
{
    for (size_t i = 0; i < r->plan->n; i++) {
        struct ty_container_state *k = &r->c[i];
        if (k->life == TY_CONTAINER_TERMINATED)
            move_end(k);
        k->life = TY_CONTAINER_WAITING;
        k->back_off_s = k->next_back_off_s = 0;
    }
    r->stop = TY_STOP_NOT;
    r->init_next = 0;
    r->dirty = true;
}
