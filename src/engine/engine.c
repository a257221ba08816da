/* The reconcile loop: every change in the store queues the object and its owner, until nothing
 * changes. */
#include "engine/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#include "base/xalloc.h"
#include "engine/engine_inner.h"
#include "engine/engine_reconcile.h"
#include "engine/job/job_report.h"
#include "engine/net.h"
#include "engine/pod/container_log.h"
#include "engine/pod/gpus.h"
#include "engine/pod/limits.h"
#include "engine/pod/pod_probes.h"
#include "engine/pod/pod_summary_cache.h"
#include "engine/pod/pods.h"
#include "engine/pod/volume_files.h"
#include "engine/rsh.h"
#include "proc/zygote.h"

#define PASS_CEILING  ((size_t)8 << 30)  /* a run has at most RUN_MAX bytes of pods: submit.c */
#define SCRATCH_FIRST ((size_t)64 << 10) /* most objects fit */
#define LASTING_FIRST ((size_t)2 << 10)

int64_t ty_engine_wall_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int64_t ty_engine_now_ms(const struct ty_engine *e)
{
    return e->wall_base_ms + (int64_t)uv_now(e->o.loop);
}

static int64_t wall_s(void *ctx TY_UNUSED)
{
    return ty_engine_wall_ms() / 1000;
}

void ty_engine_event(struct ty_engine *e, const struct ty_kind *kind, const char *name,
                     const char *type, const char *reason, const char *message)
{
    ty_engine_notify(e, event, kind, name, type, reason, message, ty_engine_wall_ms());
}

static void forget_job(struct ty_engine *e, struct ty_unfinished_job *job)
{
    if (job)
        ty_mount_points_release(&e->mount_points, &job->claims);
    free(job);
}

static void note_unfinished(struct ty_engine *e, enum ty_stored_change what,
                            const struct ty_stored *job)
{
    ty_auto_arena *a = ty_arena_new(TY_OBJECT_CEILING);
    struct ty_str uid = ty_str(job->uid);

    if (what == TY_STORED_DELETED ||
        ty_trainjob_finished(ty_json_get(ty_local_read(a, job), "status")))
        forget_job(e, ty_map_del(&e->unfinished, uid));
    else if (!ty_map_get(&e->unfinished, uid))
        ty_map_put(&e->unfinished, uid, ty_xalloc(calloc(1, sizeof(struct ty_unfinished_job))));
}

/* A change queues the object itself and its owner. */
static void on_change(void *ctx, enum ty_stored_change what, const struct ty_stored *obj)
{
    struct ty_engine *e = ctx;
    const struct ty_stored *owner = obj->owner ? ty_local_by_uid(e->store, obj->owner) : NULL;

    if (owner)
        ty_engine_requeue_after(e, owner->kind, owner->ns, owner->name, 0);
    if (obj->kind == &ty_kind_trainjob)
        note_unfinished(e, what, obj);
    if (obj->kind == &ty_kind_pod && what == TY_STORED_DELETED)
        ty_pod_summary_cache_drop(&e->pod_summaries, obj->uid);
    else if (what != TY_STORED_DELETED)
        ty_engine_requeue_after(e, obj->kind, obj->ns, obj->name, 0);
}

static void on_idle(uv_idle_t *idle TY_UNUSED)
{
}

/* Once in each iteration of the loop: what this pass adds to the queue waits for the next
 * iteration, so that exits and logs are handled in between, and many changes of one object cause
 * one pass. */
static void drain_queue(uv_prepare_t *prepare)
{
    struct ty_engine *e = prepare->data;
    size_t n = ty_engine_reconcile_queued(e);

    ty_gpus_schedule(e);
    /* An active idle handle keeps the loop from blocking until an iteration had an empty queue, so
     * that callers see ty_engine_done. */
    if (n)
        uv_idle_start(&e->idle, on_idle);
    else
        uv_idle_stop(&e->idle);
}

static const struct ty_json *view_get(void *ctx, const struct ty_kind *kind, struct ty_str ns,
                                      struct ty_str name)
{
    struct ty_engine *e = ctx;
    /* A pod may name one ConfigMap in a hundred thousand variables. */
    return ty_arena_full(e->pass) ? NULL : ty_local_get(e->store, e->pass, kind, ns, name);
}

int ty_engine_new(const struct ty_engine_opts *opts, struct ty_engine **ret, struct ty_err *err)
{
    struct ty_engine *e = ty_xalloc(calloc(1, sizeof(*e)));
    e->o = *opts;
    e->rsh.fd = -1;
    ty_tree_remover_init(&e->remover);
    e->log_chunk = ty_xalloc(malloc(TY_LOG_CHUNK));
    e->wall_base_ms = ty_engine_wall_ms() - (int64_t)uv_now(opts->loop);
    e->store = ty_local_new(wall_s, NULL);
    e->view = (struct ty_view){ .ctx = e, .get = view_get };
    e->pass = ty_arena_new_input(PASS_CEILING, NULL);
    e->scratch = ty_arena_new_small(TY_OBJECT_CEILING, SCRATCH_FIRST);
    e->lasting = ty_arena_new_small(TY_OBJECT_CEILING, LASTING_FIRST);
    if (getrandom(&e->seed, sizeof(e->seed), 0) != (ssize_t)sizeof(e->seed))
        abort();
    e->queue = ty_queue_new(&(struct ty_queue_settings){ .loop = opts->loop });
    ty_local_watch(e->store, on_change, e);
    uv_prepare_init(opts->loop, &e->prepare);
    uv_idle_init(opts->loop, &e->idle);
    e->prepare.data = e->idle.data = e;
    uv_prepare_start(&e->prepare, drain_queue);
    ty_gpus_init(e);
    ty_limits_open(e);
    ty_mount_points_init(&e->mount_points, opts->dir, opts->workdir);
    int r = ty_rsh_listen(e, err);
    if (r < 0) {
        ty_engine_free(e);
        return r;
    }
    *ret = e;
    return 0;
}

struct ty_local *ty_engine_store(struct ty_engine *e)
{
    return e->store;
}

bool ty_engine_done(const struct ty_engine *e)
{
    return !ty_engine_queued(e) && !e->pods.n_live && (e->unfinished.n == 0 || e->stopping);
}

static void notify_stopped(void *ctx, const struct ty_stored *job)
{
    struct ty_engine *e = ctx;

    if (ty_map_get(&e->unfinished, ty_str(job->uid)))
        ty_engine_event(e, &ty_kind_trainjob, job->name, "Warning", "Stopped", e->why);
}

const char *ty_engine_stopped(const struct ty_engine *e)
{
    return e->stopping ? e->why : NULL;
}

void ty_engine_stop(struct ty_engine *e, bool at_once, const char *why)
{
    if (!e->stopping) {
        e->stopping = true;
        snprintf(e->why, sizeof(e->why), "%s", why);
        ty_local_each(e->store, &ty_kind_trainjob, notify_stopped, e);
    }
    ty_zygote_continue(e->o.zygote);
    ty_pods_stop_all(e, at_once);
}

void ty_engine_hold_logs(struct ty_engine *e, bool hold)
{
    e->logs_held = hold;
    for (struct ty_pod_runtime *p = e->pods.first; p && !hold; p = p->next)
        for (size_t c = 0; c < p->plan.n; c++)
            ty_container_log_continue(p->logs[c]);
}

static void on_closed(uv_handle_t *h)
{
    struct ty_engine *e = h->data;
    e->handles--;
}

static void close_one(struct ty_engine *e, uv_handle_t *h)
{
    e->handles++;
    uv_close(h, on_closed);
}

static void forget_jobs(struct ty_engine *e)
{
    const struct ty_map_slot *s = NULL;

    for (size_t at = 0; (s = ty_map_next(&e->unfinished, &at));)
        forget_job(e, s->value);
    ty_map_done(&e->unfinished);
}

void ty_engine_free(struct ty_engine *e)
{
    if (!e)
        return;
    ty_pods_done(e);
    ty_tree_remover_done(&e->remover);
    if (!e->o.keep)
        ty_volume_files_remove(e->pass, ty_arena_printf(e->pass, "%s/pods", e->o.dir));
    forget_jobs(e);
    ty_mount_points_done(&e->mount_points);
    ty_rsh_close(e);
    ty_pod_probes_done(&e->probes);
    close_one(e, (uv_handle_t *)&e->prepare);
    close_one(e, (uv_handle_t *)&e->idle);
    close_one(e, (uv_handle_t *)&e->gpus.retry);
    while (e->handles + e->rsh.handles > 0)
        uv_run(e->o.loop, UV_RUN_NOWAIT);
    ty_queue_free(e->queue);
    ty_net_done(&e->net);
    ty_gpus_done(&e->gpus);
    ty_pod_summary_cache_done(&e->pod_summaries);
    ty_job_reports_done(&e->job_reports);
    ty_limits_close(&e->limits);
    ty_local_free(e->store);
    ty_arena_free(e->pass);
    ty_arena_free(e->scratch);
    ty_arena_free(e->lasting);
    free(e->log_chunk);
    free(e);
}
