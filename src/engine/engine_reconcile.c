/* Reconciles one object: reads it and its children, calls the pure controller, writes the changes.
 */
#include "engine/engine_reconcile.h"

#include <errno.h>
#include <sys/random.h>

#include "engine/changes.h"
#include "engine/engine_inner.h"
#include "engine/job/job.h"
#include "engine/job/job_report.h"
#include "engine/jobset/jobset.h"
#include "engine/jobset/jobset_restarts.h"
#include "engine/pod/pod_summary.h"
#include "engine/pod/pod_summary_cache.h"
#include "engine/pod/pods.h"
#include "trainer/trainjob_reconcile.h"

static void apply_change(struct ty_engine *e, const struct ty_kind *kind, const char *ns,
                         const char *name, const struct ty_changes *changes)
{
    struct ty_err err = { 0 };

    for (const struct ty_change *c = changes->first; c; c = c->next) {
        int r = 0;
        ty_arena_reset(e->scratch); /* a pass may change a thousand pods */
        switch (c->op) {
        case TY_CHANGE_CREATE:
            r = ty_local_create(e->store, e->scratch, c->obj, &err);
            break;
        case TY_CHANGE_UPDATE:
            r = ty_local_merge(e->store, e->scratch, c->obj, &err);
            break;
        case TY_CHANGE_STATUS:
            if (kind == &ty_kind_jobset)
                ty_job_report_amend_status(e, c->obj);
            r = ty_local_status(e->store, e->scratch, c->obj, &err);
            break;
        case TY_CHANGE_DELETE:
            r = ty_local_delete(e->store, e->scratch, c->kind, c->ns, c->name, &err);
            break;
        default:
            break;
        }
        if (r < 0 && r != -ENOENT && r != -EEXIST)
            ty_engine_event(e, kind, name, "Warning", "WriteFailed", err.text);
    }
    for (const struct ty_pending_event *h = changes->events; h; h = h->next)
        ty_engine_event(e, kind, name, h->type, h->reason, h->message);
    if (changes->requeue_ms >= 0)
        ty_engine_requeue_after(e, kind, ns, name, changes->requeue_ms);
}

/* The JobSet as its webhook would store it, so that a re-applied one compares equal. */
static struct ty_json *as_applied(struct ty_engine *e, const struct ty_desired_object *w)
{
    struct ty_json *obj = ty_json_copy(e->pass, w->obj, 0);

    if (w->kind == &ty_kind_jobset) {
        ty_jobset_restarts(e->pass, obj, e->o.restarts);
        ty_jobset_default(e->pass, obj);
    }
    return obj;
}

static void notify_job(struct ty_engine *e, const struct ty_json *job, struct ty_json *status)
{
    struct ty_json *now = ty_json_copy(e->pass, job, 0);
    struct ty_str name = ty_json_str_at(job, "metadata.name");
    const char *text = ty_arena_cstr(e->pass, name);

    ty_json_set(e->pass, now, "status", status);
    ty_engine_notify(e, job, text, now, ty_engine_wall_ms());
}

/* status: NULL for as it is. progress: the new trainerStatus, or NULL. */
static void write_job(struct ty_engine *e, const struct ty_json *job, struct ty_json *status,
                      struct ty_json *progress)
{
    struct ty_json *next = ty_json_copy(e->pass, job, 0);
    struct ty_err err = { 0 };

    if (status)
        ty_json_set(e->pass, next, "status", status);
    else
        status = ty_json_ensure_object(e->pass, next, "status");
    if (progress)
        ty_json_set(e->pass, status, "trainerStatus", progress);
    ty_local_status(e->store, e->pass, next, &err);
    notify_job(e, job, status);
}

int ty_engine_desired(struct ty_engine *e, const struct ty_json *job,
                      struct ty_trainjob_reconcile *ret, struct ty_err *err)
{
    unsigned char entropy[TY_ENTROPY];
    struct ty_trainjob_reconcile_in in = { .pipeline = e->o.pipeline,
                                           .settings = e->o.settings,
                                           .view = &e->view,
                                           .job = job,
                                           .now_s = ty_engine_wall_ms() / 1000,
                                           .entropy = entropy };

    if (getrandom(entropy, sizeof(entropy), 0) != (ssize_t)sizeof(entropy))
        return ty_fail(err, -EIO, "no random bytes");
    ty_trainjob_reconcile(e->pass, &in, ret);
    return 0;
}

static void reconcile_trainjob(struct ty_engine *e, const struct ty_stored *obj)
{
    struct ty_json *job = ty_local_read(e->pass, obj);
    const char *name = ty_arena_strdup(e->pass, obj->name);
    const char *ns = ty_arena_strdup(e->pass, obj->ns);
    struct ty_err err = { 0 };
    struct ty_trainjob_reconcile pass;

    if (obj->deleting || e->stopping)
        return; /* nothing new begins */
    if (ty_engine_desired(e, job, &pass, &err) < 0)
        return;
    for (const struct ty_desired_object *w = pass.want; w; w = w->next)
        if (ty_local_apply(e->store, e->pass, as_applied(e, w), "trainer", &err) < 0)
            ty_engine_event(e, &ty_kind_trainjob, name, "Warning", "WriteFailed", err.text);
    /* A TrainJob whose TTL has expired is not deleted: it ends with this run, and its history
     * stays. */
    if (pass.delete_kind && pass.delete_kind != &ty_kind_trainjob)
        ty_local_delete(e->store, e->pass, pass.delete_kind, ty_str(ns), ty_str(name), &err);
    for (const struct ty_trainjob_event *ev = pass.events; ev; ev = ev->next)
        ty_engine_event(e, &ty_kind_trainjob, name, ev->type, ev->reason, ev->message);
    struct ty_json *progress = ty_job_report_trainer_status(e, name, e->pass);
    if (pass.status || progress)
        write_job(e, job, pass.status, progress);
    if (pass.requeue_s > 0)
        ty_engine_requeue_after(e, &ty_kind_trainjob, ns, name, ty_time_wait_ms(pass.requeue_s));
}

struct owned_objects {
    struct ty_engine *e;
    const struct ty_json **objs;
    struct ty_pod_summary *pods;
    size_t n, cap;
    bool service;
    const struct ty_kind *kind;
};

static void count_children(void *ctx, const struct ty_stored *obj)
{
    struct owned_objects *g = ctx;
    g->cap += obj->kind == g->kind;
    g->service |= obj->kind == &ty_kind_service;
}

static void gather_objects(void *ctx, const struct ty_stored *obj)
{
    struct owned_objects *g = ctx;

    if (obj->kind == g->kind && g->n < g->cap)
        g->objs[g->n++] = ty_local_read(g->e->pass, obj);
}

static void gather_pods(void *ctx, const struct ty_stored *obj)
{
    struct owned_objects *g = ctx;

    if (obj->kind == g->kind && g->n < g->cap)
        g->pods[g->n++] = *ty_pod_summary_cache_get(&g->e->pod_summaries, g->e->scratch, obj);
}

const struct ty_json *const *ty_engine_claims(struct ty_engine *e, size_t *ret_n)
{
    struct owned_objects claims = { .e = e, .kind = &ty_kind_pvc };

    ty_local_each(e->store, &ty_kind_pvc, count_children, &claims);
    claims.objs = ty_new_n(e->pass, const struct ty_json *, claims.cap + 1);
    ty_local_each(e->store, &ty_kind_pvc, gather_objects, &claims);
    *ret_n = claims.n;
    return claims.objs;
}

static void reconcile_jobset(struct ty_engine *e, const struct ty_stored *obj)
{
    struct owned_objects jobs = { .e = e, .kind = &ty_kind_job };
    struct ty_jobset_observed in = { .jobset = ty_local_read(e->pass, obj),
                                     .now_s = ty_engine_wall_ms() / 1000 };
    const char *name = ty_arena_strdup(e->pass, obj->name);
    const char *ns = ty_arena_strdup(e->pass, obj->ns);
    struct ty_changes changes;

    if (obj->deleting || e->stopping)
        return;
    ty_local_children(e->store, obj->uid, count_children, &jobs);
    jobs.objs = ty_new_n(e->pass, const struct ty_json *, jobs.cap + 1);
    ty_local_children(e->store, obj->uid, gather_objects, &jobs);
    in.jobs = jobs.objs;
    in.n_jobs = jobs.n;
    in.service = jobs.service;
    in.claims = ty_engine_claims(e, &in.n_claims);
    ty_changes_init(&changes, e->pass);
    ty_jobset_reconcile(e->pass, &in, &changes);
    apply_change(e, &ty_kind_jobset, ns, name, &changes);
}

static void reconcile_job(struct ty_engine *e, const struct ty_stored *obj)
{
    struct owned_objects pods = { .e = e, .kind = &ty_kind_pod };
    struct ty_job_observed in = { .job = ty_local_read(e->pass, obj),
                                  .now_s = ty_engine_wall_ms() / 1000,
                                  .seed = e->seed++ };
    const char *name = ty_arena_strdup(e->pass, obj->name);
    const char *ns = ty_arena_strdup(e->pass, obj->ns);
    struct ty_changes changes;

    if (obj->deleting || e->stopping)
        return;
    ty_local_children(e->store, obj->uid, count_children, &pods);
    pods.pods = ty_new_n(e->pass, struct ty_pod_summary, pods.cap + 1);
    ty_local_children(e->store, obj->uid, gather_pods, &pods);
    in.pods = pods.pods;
    in.n_pods = pods.n;
    ty_changes_init(&changes, e->pass);
    ty_job_reconcile(e->pass, &in, &changes);
    apply_change(e, &ty_kind_job, ns, name, &changes);
}

/* ---- the work queue: the kind of a key is an index of this table ---- */

static const struct {
    const struct ty_kind *kind;
    void (*reconcile)(struct ty_engine *e, const struct ty_stored *obj);
} controllers[TY_QUEUE_KINDS] = {
    { &ty_kind_trainjob, reconcile_trainjob },
    { &ty_kind_jobset, reconcile_jobset },
    { &ty_kind_job, reconcile_job },
    { &ty_kind_pod, ty_pods_sync },
};

void ty_engine_requeue_after(struct ty_engine *e, const struct ty_kind *kind, const char *ns,
                             const char *name, int64_t ms)
{
    for (int i = 0; i < TY_QUEUE_KINDS; i++)
        if (controllers[i].kind == kind)
            ty_queue_add_after(e->queue, (struct ty_key){ i, ty_str(ns), ty_str(name) }, ms);
}

size_t ty_engine_queued(const struct ty_engine *e)
{
    size_t n = 0;

    for (int i = 0; i < TY_QUEUE_KINDS; i++)
        n += ty_queue_kind(e->queue, i)->depth;
    return n;
}

size_t ty_engine_reconcile_queued(struct ty_engine *e)
{
    size_t n = ty_engine_queued(e);
    struct ty_key key;

    for (size_t i = 0; i < n && ty_queue_next(e->queue, &key); i++) {
        const struct ty_stored *obj =
            ty_local_find(e->store, controllers[key.kind].kind, key.ns, key.name);
        ty_arena_reset(e->pass);
        if (obj) /* not deleted since it was queued */
            controllers[key.kind].reconcile(e, obj);
        ty_queue_done(e->queue, key);
    }
    return n;
}
