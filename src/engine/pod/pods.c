/* Runs pods: reports the events of a pod's shim to its lifecycle (pod_lifecycle.h) and executes the
 * actions that the lifecycle returns. */
#include "engine/pod/pods.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "engine/engine_inner.h"
#include "engine/job/job_report.h"
#include "engine/pod/container_log.h"
#include "engine/pod/gpus.h"
#include "engine/pod/limits.h"
#include "engine/pod/pod_files.h"
#include "engine/pod/pod_lifecycle.h"
#include "engine/pod/pod_probes.h"
#include "engine/pod/pod_restart.h"
#include "engine/rsh.h"
#include "proc/shim.h"

static void on_timer(uv_timer_t *timer)
{
    ty_pods_advance(timer->data);
}

struct ty_pod_runtime *ty_pods_by_host(struct ty_engine *e, struct ty_str host)
{
    for (struct ty_pod_runtime *p = e->pods.first; p; p = p->next)
        if (!p->over && p->host &&
            (ty_str_is(host, p->host) ||
             (ty_str_starts(host, ty_str(p->host)) && host.p[strlen(p->host)] == '.') ||
             (p->address && ty_str_is(host, p->address))))
            return p;
    return NULL;
}

static struct ty_pod_update update_of(const struct ty_pod_runtime *p)
{
    return (struct ty_pod_update){ .job = p->job,
                                   .pod = p->host,
                                   .rjob = p->rjob,
                                   .index = p->index,
                                   .attempt = p->attempt,
                                   .phase = ty_pod_lifecycle_phase(p->run),
                                   .ready = ty_pod_lifecycle_ready(p->run),
                                   .stopping =
                                       ty_pod_lifecycle_stop_reason(p->run) == TY_STOP_DELETED,
                                   .exit_code = -1,
                                   .time_ms = ty_engine_wall_ms() };
}

static void notify_pod(struct ty_pod_runtime *p)
{
    struct ty_pod_update news = update_of(p);

    ty_engine_notify(p->e, pod, &news);
}

static const struct ty_json *status_of(const struct ty_json *pod_status, const char *container)
{
    const struct ty_json *cs = ty_json_find_item(ty_json_get(pod_status, "containerStatuses"),
                                                 "name", ty_str(container), NULL);

    return cs ? cs
              : ty_json_find_item(ty_json_get(pod_status, "initContainerStatuses"), "name",
                                  ty_str(container), NULL);
}

/* How a container ended, for observers and for the failure summary. wstatus -1: it could not start.
 */
static void notify_end(struct ty_pod_runtime *p, size_t c, int wstatus)
{
    ty_auto_arena *a = ty_arena_new(TY_OBJECT_CEILING);
    struct ty_pod_update news = update_of(p);
    const char *name = p->plan.containers[c].name;
    const struct ty_json *cs = status_of(ty_pod_lifecycle_status(p->run, a, p->address), name);
    const struct ty_json *ended = ty_json_at(cs, "state.terminated");
    int64_t n = 0;

    if (!ended)
        ended = ty_json_at(cs, "lastState.terminated");
    news.container = name;
    news.restarts = ty_json_int_at(cs, "restartCount", &n) ? (int)n : 0;
    if (ty_json_int_at(ended, "exitCode", &n))
        news.exit_code = (int)n;
    news.exit_signal = n > 128 && n < 128 + 65 ? (int)n - 128 : 0;
    struct ty_str reason = ty_json_str_at(ended, "reason"), text = ty_json_str_at(ended, "message");
    news.reason = reason.n ? ty_arena_cstr(a, reason) : NULL;
    news.message = text.n ? ty_arena_cstr(a, text) : NULL;
    news.by_us = p->by_us[c];
    ty_pod_restart_update(p, c, &news);
    news.stop_ms = p->stop_ms[c];
    news.sidecar = p->plan.containers[c].sidecar;
    ty_job_report_container_ended(p, c, wstatus, &news);
    ty_engine_notify(p->e, pod, &news);
}

void ty_pods_put_status(struct ty_pod_runtime *p, struct ty_arena *a, struct ty_json *status)
{
    struct ty_json *obj = ty_json_object(a), *meta = ty_json_object(a);
    struct ty_err err = { 0 };

    ty_json_set(a, meta, "name", ty_json_cstr(a, p->name));
    ty_json_set(a, meta, "namespace", ty_json_cstr(a, p->ns));
    ty_json_set(a, obj, "apiVersion", ty_json_cstr(a, "v1"));
    ty_json_set(a, obj, "kind", ty_json_cstr(a, "Pod"));
    ty_json_set(a, obj, "metadata", meta);
    ty_json_set(a, obj, "status", status);
    ty_local_status(p->e->store, a, obj, &err);
}

static void write_status(struct ty_pod_runtime *p)
{
    ty_auto_arena *a = ty_arena_new(TY_OBJECT_CEILING);

    ty_pods_put_status(p, a, ty_pod_lifecycle_status(p->run, a, p->address));
}

/* ---- starting containers ---- */

static void try_start(struct ty_pod_runtime *p, size_t c)
{
    struct ty_err err = { 0 };

    if (ty_pods_start_container(p, c, &err) == 0)
        return;
    ty_container_log_close(p->logs[c]);
    ty_pod_lifecycle_start_failed(p->run, c, err.text, ty_engine_now_ms(p->e));
    notify_end(p, c, -1);
}

/* ---- the end of a pod ---- */

static void handle_closed(uv_handle_t *h)
{
    struct ty_pod_runtime *p = h->data;

    if (--p->handles > 0)
        return;
    ty_pod_lifecycle_free(p->run);
    ty_shim_free(p->shim);
    ty_arena_free(p->arena);
    free(p);
}

void ty_pods_free(struct ty_pod_runtime *p)
{
    ty_pod_probes_close(p);
    ty_rsh_pod_ended(p);
    for (size_t c = 0; p->logs && c < p->plan.n; c++)
        ty_container_log_close(p->logs[c]);
    ty_mount_points_release(&p->e->mount_points, &p->mount_points);
    ty_pod_files_remove(p);
    ty_map_del(&p->e->pods.by_uid, ty_str(p->uid));
    uv_close((uv_handle_t *)&p->timer, handle_closed);
    if (p->handles > 1)
        uv_close((uv_handle_t *)&p->poll, handle_closed);
}

void ty_pods_done(struct ty_engine *e)
{
    while (e->pods.first) {
        struct ty_pod_runtime *p = e->pods.first;
        e->pods.first = p->next;
        ty_pods_free(p);
    }
    ty_map_done(&e->pods.by_uid);
}

static void finish_pod(struct ty_pod_runtime *p)
{
    struct ty_engine *e = p->e;

    if (p->over)
        return;
    p->over = true;
    write_status(p);
    notify_pod(p);
    e->pods.n_live--;
    ty_job_report_pod_over(e, p->ns, p->job);
    ty_gpus_release(p);
    const struct ty_stored *obj =
        ty_local_find(e->store, &ty_kind_pod, ty_str(p->ns), ty_str(p->name));
    if (obj && obj->deleting)
        ty_local_finalize(e->store, &ty_kind_pod, ty_str(p->ns), ty_str(p->name));
    for (struct ty_pod_runtime **it = &e->pods.first; *it; it = &(*it)->next)
        if (*it == p) {
            *it = p->next;
            break;
        }
    ty_pods_free(p);
}

/* ---- carrying out ---- */

static void signal_container(struct ty_pod_runtime *p, size_t c, int sig)
{
    p->by_us[c] = true;
    if (!p->stop_ms[c])
        p->stop_ms[c] = ty_engine_wall_ms();
    if (p->shim)
        ty_shim_signal(p->shim, (uint32_t)c + 1, sig, sig == SIGKILL);
}

/* True if the pod is over, and gone. */
static bool run_action(struct ty_pod_runtime *p, const struct ty_pod_action *d)
{
    switch (d->kind) {
    case TY_POD_ACTION_START:
        try_start(p, d->c);
        return false;
    case TY_POD_ACTION_SIGNAL:
        signal_container(p, d->c, d->n);
        return false;
    case TY_POD_ACTION_PROBE:
        ty_pod_probes_run(p, d->c, (enum ty_probe_use)d->n);
        return false;
    case TY_POD_ACTION_HOOK:
        ty_pod_probes_run_hook(p, d->c, d->n == 1);
        return false;
    case TY_POD_ACTION_STATUS:
        write_status(p);
        notify_pod(p);
        return false;
    case TY_POD_ACTION_EVENT:
        ty_engine_event(p->e, &ty_kind_pod, p->host, d->event.type, d->event.reason,
                        d->event.message);
        return false;
    case TY_POD_ACTION_OVER:
        finish_pod(p);
        return true;
    default:
        return false;
    }
}

void ty_pods_advance(struct ty_pod_runtime *p)
{
    struct ty_pod_actions actions;
    int64_t now = ty_engine_now_ms(p->e);

    do {
        ty_pod_lifecycle_next_actions(p->run, now, &actions);
        for (size_t i = 0; i < actions.n; i++)
            if (run_action(p, &actions.v[i]))
                return;
    } while (actions.n);
    if (actions.wake_ms >= 0)
        uv_timer_start(&p->timer, on_timer,
                       actions.wake_ms > now ? (uint64_t)(actions.wake_ms - now) : 0, 0);
    else
        uv_timer_stop(&p->timer);
}

void ty_pods_exited(struct ty_pod_runtime *p, size_t c, int wstatus)
{
    ty_auto_arena *a = ty_arena_new(TY_OBJECT_CEILING);
    char *message = ty_pod_files_termination_message(a, p, c);

    if (!message && p->plan.containers[c].message_from_log && wstatus != 0) {
        struct ty_str tail = ty_container_log_tail(a, p, c, 2048, 80);
        message = tail.n ? ty_arena_cstr(a, tail) : NULL;
    }
    bool oom = ty_limits_end(p, c) && wstatus != 0;
    ty_pod_lifecycle_exited(p->run, c, wstatus, oom, message, ty_engine_now_ms(p->e));
    notify_end(p, c, wstatus);
    ty_pods_advance(p);
}

static void start_refused(struct ty_pod_runtime *p, const struct ty_shim_event *n)
{
    size_t c = n->id - 1;

    ty_limits_end(p, c);
    ty_container_log_close(p->logs[c]);
    ty_pod_lifecycle_start_failed(p->run, c, n->text, ty_engine_now_ms(p->e));
    notify_end(p, c, -1);
}

/* The shim died, or could not set up the pod: whatever ran in it is dead. */
static void shim_gone(struct ty_pod_runtime *p, const struct ty_shim_event *n)
{
    uv_poll_stop(&p->poll);
    for (size_t c = 0; c < p->plan.n; c++) {
        if (!p->logs[c])
            continue;
        if (n->text[0]) {
            ty_container_log_close(p->logs[c]);
            ty_pod_lifecycle_start_failed(p->run, c, n->text, ty_engine_now_ms(p->e));
            notify_end(p, c, -1);
        } else {
            ty_container_log_exited(p->logs[c], SIGKILL);
        }
    }
}

void ty_pods_on_shim(uv_poll_t *poll, int status TY_UNUSED, int events TY_UNUSED)
{
    struct ty_pod_runtime *p = poll->data;
    struct ty_engine *e = p->e;
    char *uid = ty_xalloc(strdup(p->uid)); /* any event may end the pod */
    struct ty_shim_event n;

    while (ty_map_get(&e->pods.by_uid, ty_str(uid)) == p) {
        ty_shim_next(p->shim, &n);
        if (n.what == TY_SHIM_NOTHING)
            break;
        if (ty_pod_probes_on_shim_event(p, &n) || ty_rsh_on_shim_event(p, &n))
            continue;
        if (n.what == TY_SHIM_STARTED) {
            p->began_ms[n.id - 1] = ty_engine_wall_ms();
            ty_pod_lifecycle_started(p->run, n.id - 1, ty_engine_now_ms(e));
        } else if (n.what == TY_SHIM_START_FAILED) {
            start_refused(p, &n);
        } else if (n.what == TY_SHIM_EXITED && p->logs[n.id - 1]) {
            ty_container_log_exited(p->logs[n.id - 1], n.wstatus);
            continue; /* the pod has been advanced already, and may be freed */
        } else if (n.what == TY_SHIM_GONE) {
            shim_gone(p, &n);
            if (ty_map_get(&e->pods.by_uid, ty_str(uid)) == p)
                ty_pods_advance(p);
            break;
        }
        ty_pods_advance(p);
    }
    free(uid);
}
