/* Gang scheduling of the machine's GPUs. Pods are admitted job by job, in the order in which the
 * jobs first requested GPUs, all or nothing: a job's claim is what its JobSet's pods ask for at
 * once, whether they exist by now or not, so two gangs never hold half of the devices each and wait
 * for each other. While an earlier job waits no later one is admitted, even if it would fit: a
 * large job does not starve behind small ones. A claim is given back when the last pod of the job
 * that asked for devices is over (it ended, failed, was suspended or deleted); the job stays in the
 * order, for the pods of its next attempt.
 *
 * ty_gpus_schedule runs once in each iteration of the loop, after the work queue is drained and
 * before the loop polls: handling one pod never admits another. */
#include "engine/pod/gpus.h"

#include <errno.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/engine_inner.h"
#include "engine/pod/pod_lifecycle.h"
#include "engine/pod/pods.h"
#include "engine/preflight/preflight.h"
#include "engine/rsh.h"

/* flock(2) has no event for "free again" that a loop could wait for. */
#define FIRST_RETRY_MS 100
#define RETRY_MS       500

/* Of one JobSet; lives with the engine. */
struct ty_gpu_claim {
    char *uid;      /* of the JobSet */
    int64_t want;   /* devices of all its pods that run at once */
    int64_t held;   /* of its pods that were admitted */
    size_t pods;    /* that ask for devices and are not over, admitted or waiting */
    size_t waiting; /* of these */
    bool granted;
    struct ty_gpu_claim *next; /* of a later job */
};

static int64_t count_devices(const struct ty_engine *e)
{
    int64_t n = 0;

    while (n < 64 && e->o.host.gpus && e->o.host.gpus[n])
        n++;
    return n;
}

static int64_t max_i64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void on_retry(uv_timer_t *timer)
{
    struct ty_engine *e = timer->data;
    e->gpus.admit = true; /* this iteration of the loop schedules */
}

void ty_gpus_init(struct ty_engine *e)
{
    e->gpus.locks.path = e->o.gpu_locks;
    uv_timer_init(e->o.loop, &e->gpus.retry);
    e->gpus.retry.data = e;
}

static struct ty_gpu_claim *claim_of(struct ty_engine *e, struct ty_str uid)
{
    struct ty_gpu_claim **at = &e->gpus.claims;

    while (*at && !ty_str_is(uid, (*at)->uid))
        at = &(*at)->next;
    struct ty_gpu_claim *c = *at;
    if (c)
        return c;
    c = ty_xalloc(calloc(1, sizeof(*c)));
    c->uid = ty_xalloc_cstr(uid);
    *at = c;
    return c;
}

int ty_gpus_request(struct ty_pod_runtime *p, const struct ty_json *jobset, struct ty_err *err)
{
    struct ty_engine *e = p->e;
    int64_t have = count_devices(e);

    if (p->plan.gpus <= 0 || p->plan.gated)
        return 0; /* a gated pod is not scheduled, so it holds nothing */
    if (p->plan.gpus > have)
        return ty_fail(err, -ENOTSUP, "wants %lld %s, host has %lld", (long long)p->plan.gpus,
                       e->o.host.gpu_resource, (long long)have);
    struct ty_gpu_claim *c = claim_of(e, ty_json_str_at(jobset, "metadata.uid"));
    if (c->pods == 0) {
        int64_t want = ty_preflight_gpus(e->pass, jobset, &e->o.host);
        c->want = want < have ? want : have;
    }
    c->pods++;
    c->waiting++;
    p->claim = c;
    p->waiting = true;
    e->gpus.admit = true;
    return 0;
}

void ty_gpus_release(struct ty_pod_runtime *p)
{
    struct ty_gpu_claim *c = p->claim;

    if (!c)
        return;
    if (p->waiting)
        c->waiting--;
    else
        c->held -= p->plan.gpus;
    c->pods--;
    c->granted = c->granted && c->pods > 0;
    p->e->gpus.used &= ~p->gpu_mask;
    p->gpu_mask = 0;
    p->claim = NULL;
    p->waiting = false;
    p->e->gpus.admit = true;
}

/* The pod's shim keeps the lock: it lasts until its last process is dead, however this program
 * ends. */
static void hand_over_lock(struct ty_pod_runtime *p, int64_t i)
{
    int r = ty_shim_hold(p->shim, p->e->gpus.locks.fds[i]);

    if (r == 0 || r == -EPIPE || r == -ECONNRESET) /* a shim that is gone reports that itself */
        return;
    ty_engine_event(p->e, &ty_kind_pod, p->host, "Warning", "LockNotKept",
                    ty_arena_printf(p->arena,
                                    "if trainyard is killed, other runs may use GPU %s before "
                                    "this pod has ended: its lock could not be handed over: %s",
                                    p->e->o.host.gpus[i], strerrordesc_np(-r)));
}

/* The lowest that are locked and free; the caller knows that there are enough. */
static void assign_devices(struct ty_pod_runtime *p)
{
    struct ty_engine *e = p->e;
    int64_t left = p->plan.gpus;

    for (int64_t i = 0; i < count_devices(e) && left > 0; i++)
        if ((e->gpus.locks.held & ~e->gpus.used) >> i & 1) {
            p->gpu_mask |= (uint64_t)1 << i;
            left--;
            if (e->gpus.locks.path)
                hand_over_lock(p, i);
        }
    e->gpus.used |= p->gpu_mask;
    p->claim->held += p->plan.gpus;
    p->claim->waiting--;
    p->waiting = false;
}

/* Devices of granted claims. A job whose stages overlap may hold more than its claim. */
static int64_t claimed_devices(const struct ty_engine *e)
{
    int64_t n = 0;

    for (const struct ty_gpu_claim *c = e->gpus.claims; c; c = c->next)
        if (c->granted)
            n += max_i64(c->want, c->held);
    return n;
}

static int64_t unclaimed_devices(const struct ty_engine *e)
{
    return count_devices(e) - claimed_devices(e);
}

/* Reports who has the devices, to the user too: nothing else here shows it. The first refusal is
 * not reported: it may be a pod of ours whose last process is about to end. */
static void block(struct ty_engine *e, const struct ty_err *why)
{
    struct ty_gpus *g = &e->gpus;
    bool news = g->refused > 0 && strcmp(g->blocked, why->text) != 0;

    uv_timer_start(&g->retry, on_retry, g->refused ? RETRY_MS : FIRST_RETRY_MS, 0);
    g->refused = 1;
    if (!news)
        return;
    snprintf(g->blocked, sizeof(g->blocked), "%s", why->text);
    const char *job = NULL;
    for (struct ty_pod_runtime *p = e->pods.first; p; p = p->next) {
        p->held = false;
        job = p->waiting ? p->job : job; /* the oldest */
    }
    if (job)
        ty_engine_event(e, &ty_kind_trainjob, job, "Warning", "FailedScheduling", why->text);
}

/* Locks so many devices more than the granted claims have. */
static bool lock_devices(struct ty_engine *e, int64_t more)
{
    struct ty_err why = { 0 };

    if (!ty_gpu_locks_extend(&e->gpus.locks, &e->o.host, claimed_devices(e) + more, &why)) {
        block(e, &why);
        return false;
    }
    e->gpus.refused = 0;
    e->gpus.blocked[0] = '\0';
    return true;
}

/* A waiting pod of the claim that fits into it, or into unclaimed devices; the oldest pod first.
 */
static struct ty_pod_runtime *fitting_pod(const struct ty_engine *e, const struct ty_gpu_claim *c)
{
    int64_t room = max_i64(c->want - c->held, 0) + unclaimed_devices(e);
    struct ty_pod_runtime *found = NULL;

    for (struct ty_pod_runtime *p = e->pods.first; p; p = p->next) /* the newest first */
        if (p->claim == c && p->waiting && p->plan.gpus <= room)
            found = p;
    return found;
}

/* The next pod that may begin, with its devices, or NULL. */
static struct ty_pod_runtime *next_pod(struct ty_engine *e)
{
    for (struct ty_gpu_claim *c = e->gpus.claims; c; c = c->next) {
        if (!c->waiting)
            continue;
        if (!c->granted && (c->want > unclaimed_devices(e) || !lock_devices(e, c->want)))
            return NULL;
        c->granted = true;
        struct ty_pod_runtime *p = fitting_pod(e, c);
        if (!p || !lock_devices(e, max_i64(c->held + p->plan.gpus - max_i64(c->want, c->held), 0)))
            return NULL; /* later jobs wait as well */
        assign_devices(p);
        return p;
    }
    return NULL;
}

/* The oldest waiting pod whose status does not say so yet. */
static struct ty_pod_runtime *unreported_pod(const struct ty_engine *e)
{
    struct ty_pod_runtime *found = NULL;

    for (struct ty_pod_runtime *p = e->pods.first; p; p = p->next)
        if (p->waiting && !p->held)
            found = p;
    return found;
}

/* It waits for a job of this run, or for another run. */
static void report_waiting(struct ty_pod_runtime *p)
{
    struct ty_engine *e = p->e;
    const char *why = e->gpus.blocked[0]
                          ? ty_arena_strdup(p->arena, e->gpus.blocked)
                          : ty_arena_printf(p->arena, "0/1 nodes are available: 1 Insufficient %s.",
                                            e->o.host.gpu_resource);

    ty_pod_lifecycle_set_unschedulable(p->run, why, ty_engine_now_ms(e));
    ty_pods_advance(p);
}

void ty_gpus_schedule(struct ty_engine *e)
{
    struct ty_pod_runtime *p = NULL;

    while (e->gpus.admit &&
           !e->stopping) { /* a pod that cannot start is over, and makes room again */
        e->gpus.admit = false;
        while ((p = next_pod(e))) {
            ty_pod_lifecycle_ungate(p->run, ty_engine_now_ms(e));
            ty_pods_advance(p);
            ty_rsh_pod_started(p); /* none are left if it is over: it is freed later, by the loop */
        }
        while ((p = unreported_pod(e))) {
            p->held = true;
            report_waiting(p);
        }
    }
    ty_gpu_locks_trim(&e->gpus.locks, e->gpus.used, claimed_devices(e));
}

/* Containers have devices of their own. Init containers run before the others and share theirs,
 * but for sidecars, which stay. */
void ty_gpus_print(struct ty_buf *out, const struct ty_pod_runtime *p, size_t c)
{
    const struct ty_container_plan *all = p->plan.containers;
    int64_t first = 0, nth = 0;

    for (size_t k = 0; k < c; k++)
        if (!all[k].init || all[k].sidecar)
            first += all[k].gpus;
    for (int64_t i = 0; i < count_devices(p->e); i++) {
        if (!(p->gpu_mask >> i & 1))
            continue;
        if (nth >= first && nth < first + all[c].gpus)
            ty_buf_printf(out, "%s%s", out->n ? "," : "", p->e->o.host.gpus[i]);
        nth++;
    }
}

void ty_gpus_done(struct ty_gpus *g)
{
    ty_gpu_locks_done(&g->locks);
    while (g->claims) {
        struct ty_gpu_claim *c = g->claims;
        g->claims = c->next;
        free(c->uid);
        free(c);
    }
}
