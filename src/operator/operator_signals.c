/* SIGTERM and SIGINT: the shutdown. SIGHUP: the configuration is read again. */
#include <signal.h>

#include "operator/operator_inner.h"

#define STOP_GRACE_MS 10000

/* ---- shutdown ---- */

static void on_released(void *ctx)
{
    struct ty_operator *o = ctx;
    o->released = true;
}

static void on_served(void *ctx)
{
    struct ty_operator *o = ctx;
    o->served = true;
}

/* Releases the lease when no write is in flight. */
static void on_shutdown_timer(uv_timer_t *t)
{
    struct ty_operator *o = t->data;
    bool late = uv_now(&o->loop) >= o->end_by;

    if (!ty_trainjob_controller_idle(o->controller) && !late)
        return;
    if (o->lease && !o->releasing) {
        o->releasing = true;
        ty_lease_client_release(o->lease, on_released, o);
    }
    bool released = !o->lease || o->released;
    if (late || (released && o->served && ty_events_idle(o->events)))
        uv_stop(&o->loop);
}

void ty_operator_stop(struct ty_operator *o)
{
    if (o->stopping)
        return;
    o->stopping = true;
    o->end_by = uv_now(&o->loop) + STOP_GRACE_MS;
    if (o->failures)
        ty_failure_watch_stop(o->failures);
    ty_trainjob_controller_drain(o->controller);
    ty_events_flush(o->events);
    ty_servers_stop(o->servers, STOP_GRACE_MS / 2, on_served, o);
    uv_timer_start(&o->shutdown_timer, on_shutdown_timer, 0, 10);
}

static void on_signal(uv_signal_t *h, int sig)
{
    struct ty_operator *o = h->data;

    if (o->stopping) { /* the second signal: exit at once */
        uv_stop(&o->loop);
        return;
    }
    ty_info(o->s->log, "shutting down", TY_S("signal", sig == SIGINT ? "SIGINT" : "SIGTERM"));
    ty_operator_stop(o);
}

/* ---- SIGHUP ---- */

static void log_changes(const struct ty_log *log, const char *text, const struct ty_strlist *w)
{
    for (size_t i = 0; i < w->n; i++)
        ty_info(log, text, TY_S("field", w->v[i]));
}

int ty_operator_workers(const struct ty_operator *o)
{
    return ty_config_workers(&o->config, "TrainJob.trainer.kubeflow.org");
}

enum ty_runtime_protection ty_operator_protection(const struct ty_operator *o)
{
    return o->config.finalizer ? TY_PROTECT_FINALIZER : TY_PROTECT_SNAPSHOT;
}

/* Applies the fields that config_fields.c marks live, and no others. takes the arena. */
static void apply_config(struct ty_operator *o, const struct ty_config *now, struct ty_arena *a)
{
    o->config.metrics_auth = now->metrics_auth;
    o->config.readiness = now->readiness;
    o->config.liveness = now->liveness;
    o->config.workers = now->workers;
    o->config.n_workers = now->n_workers;
    o->config.finalizer = now->finalizer;
    ty_servers_set_health_paths(o->servers);
    ty_trainjob_controller_configure(o->controller, ty_operator_workers(o),
                                     ty_operator_protection(o));
    ty_arena_free(o->reload_arena);
    o->reload_arena = a;
}

static void on_sighup(uv_signal_t *h, int sig TY_UNUSED)
{
    struct ty_operator *o = h->data;
    struct ty_arena *a = ty_arena_new_input((size_t)64 << 20, &o->budget);
    struct ty_config_change change = { 0 };
    struct ty_config now;
    struct ty_err err = { 0 };

    if (ty_config_read(a, o->s->file, o->s->gates, &now, &err) < 0) {
        ty_error(o->s->log, err.text,
                 "configuration not reloaded: the previous one stays in effect",
                 TY_S("file", o->s->file ? o->s->file : ""));
        ty_arena_free(a);
        return;
    }
    ty_config_compare(a, &o->config, &now, &change);
    log_changes(o->s->log, "configuration changed", &change.live);
    log_changes(o->s->log, "configuration changed; takes effect at the next start",
                &change.restart);
    if (!change.live.n && !change.restart.n)
        ty_info(o->s->log, "configuration reloaded: no change",
                TY_S("file", o->s->file ? o->s->file : ""));
    apply_config(o, &now, a);
}

/* ---- handles ---- */

void ty_operator_watch_signals(struct ty_operator *o)
{
    uv_signal_t *const handles[] = { &o->sigterm, &o->sigint, &o->sighup };
    static const int signals[] = { SIGTERM, SIGINT, SIGHUP };

    for (size_t i = 0; i < 3; i++) {
        uv_signal_init(&o->loop, handles[i]);
        handles[i]->data = o;
        uv_signal_start(handles[i], signals[i] == SIGHUP ? on_sighup : on_signal, signals[i]);
    }
    uv_timer_init(&o->loop, &o->shutdown_timer);
    uv_timer_init(&o->loop, &o->trim);
    o->shutdown_timer.data = o;
}
