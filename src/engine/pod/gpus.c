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

/* The lowest that are free; the caller knows that there are enough. */
static void assign_devices(struct ty_pod_runtime *p)
{
    struct ty_engine *e = p->e;
    int64_t left = p->plan.gpus;

    for (int64_t i = 0; i < count_devices(e) && left > 0; i++)
        if (!(e->gpus.used >> i & 1)) {
            p->gpu_mask |= (uint64_t)1 << i;
            left--;
        }
    e->gpus.used |= p->gpu_mask;
    p->claim->held += p->plan.gpus;
    p->claim->waiting--;
    p->waiting = false;
}

/* Devices that no granted claim covers. A job whose stages overlap may hold more than its claim. */
static int64_t unclaimed_devices(const struct ty_engine *e)
{
    int64_t n = count_devices(e);

    for (const struct ty_gpu_claim *c = e->gpus.claims; c; c = c->next)
        if (c->granted)
            n -= max_i64(c->want, c->held);
    return n;
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
        if (!c->granted && c->want > unclaimed_devices(e))
            return NULL;
        c->granted = true;
        struct ty_pod_runtime *p = fitting_pod(e, c);
        if (p)
            assign_devices(p);
        return p; /* if none fits, later jobs wait as well */
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
            ty_pod_lifecycle_set_unschedulable(
                p->run,
                ty_arena_printf(p->arena, "0/1 nodes are available: 1 Insufficient %s.",
                                e->o.host.gpu_resource),
                ty_engine_now_ms(e));
            ty_pods_advance(p);
        }
    }
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
    while (g->claims) {
        struct ty_gpu_claim *c = g->claims;
        g->claims = c->next;
        free(c->uid);
        free(c);
    }
}
