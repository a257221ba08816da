/* Starts the parts of the operator in order, and shuts them down. */
#include "operator/operator.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <uv.h>

#include "base/base64.h"
#include "base/budget.h"
#include "base/xalloc.h"
#include "failure/failure_watch.h"
#include "leader/leader_election.h"
#include "proc/memory.h"
#include "serve/servers.h"

#define AGENT         "trainyard/" TY_VERSION
#define STOP_GRACE_MS 10000
#define TRIM_MS       1000
/* Reserved of a memory limit: what the program itself takes, measured (libraries, TLS, sockets,
 * fragmentation of the heap), and what is allocated before a full budget is noticed. */
#define RESERVE_BYTES ((size_t)32 << 20)
#define BUDGET_BYTES                                                                               \
    ((size_t)512 << 20) /* without a memory limit: still bounds what input can use */
#define UNACKED_MS 500  /* a healthy connection may need as much to retransmit a lost packet */

struct ty_operator {
    const struct ty_operator_settings *s;
    struct ty_config config; /* as of the last SIGHUP */
    struct ty_settings settings;
    struct ty_budget budget; /* of all memory that input can use */
    struct ty_arena *arena;
    struct ty_arena
        *reload_arena; /* holds the values that SIGHUP changed in config; NULL: none yet */
    uv_loop_t loop;
    struct ty_apiserver_health *apiserver_health;
    struct ty_kube *kube;
    struct ty_kube *status_kube; /* writes of the status API, with limits of their own */
    struct ty_kube
        *review_kube; /* TokenReviews of the status API and of metrics, with limits of their own */
    struct ty_events *events;
    struct ty_trainjob_controller *controller;
    struct ty_failure_watch *failures; /* NULL: failureSummary is off */
    struct ty_webhook_cert_manager *certs;
    struct ty_lease_client *lease;
    struct ty_servers *servers;
    uv_signal_t sigterm, sigint, sighup;
    uv_timer_t trim;
    uv_timer_t shutdown_timer; /* during the shutdown: checks whether everything is idle */
    uint64_t end_by;           /* loop time */
    char *ca;      /* the CA that clients of the status API should trust; NULL: not known yet */
    bool wants_ca; /* no job is reconciled before ca is known */
    bool leading, stopping, releasing, released, served;
    int code;
};

/* ---- callbacks of the parts ---- */

static void lead_controllers(struct ty_operator *o)
{
    ty_trainjob_controller_lead(o->controller);
    if (o->failures)
        ty_failure_watch_lead(o->failures);
}

static void on_leading(void *ctx)
{
    struct ty_operator *o = ctx;

    o->leading = true;
    ty_info(o->s->log, "this process leads", TY_S("version", o->s->version));
    if (!o->wants_ca || o->ca)
        lead_controllers(o);
}

static void start_shutdown(struct ty_operator *o);

/* The fence: called for every piece of a write that is passed to the kernel, so it reads the clock
 * itself: after a SIGSTOP the loop may send before it runs the timer that detects the loss. */
static bool may_write(void *ctx)
{
    const struct ty_operator *o = ctx;

    return o->leading && (!o->lease || ty_lease_client_held(o->lease));
}

static void cancel_writes(struct ty_operator *o)
{
    size_t n = ty_kube_cancel_fenced(o->kube);

    ty_info(o->s->log, "lease lost, canceling writes", TY_I("pending", (int64_t)n));
}

static void on_lost(void *ctx, const char *why)
{
    struct ty_operator *o = ctx;

    ty_error(o->s->log, why, "leader election lost: shutting down",
             TY_S("lease", o->config.lease_name));
    cancel_writes(o);
    o->code = 1;
    start_shutdown(o);
}

/* The CA that pods trust when they report their status; empty: the Secret has none. */
static void on_ca(void *ctx, struct ty_str ca)
{
    struct ty_operator *o = ctx;
    bool first = !o->ca, other = first || !ty_str_is(ca, o->ca);

    free(o->ca);
    o->ca = ty_xalloc_cstr(ca);
    if (first && o->leading && o->wants_ca)
        lead_controllers(o);
    else if (other && o->settings.status_gate)
        ty_trainjob_controller_resync(o->controller);
}

static int on_certificate(void *ctx, const struct ty_pem *pem, struct ty_str ca, struct ty_err *err)
{
    struct ty_operator *o = ctx;
    int r = ty_servers_set_certificate(o->servers, pem, err);

    if (r < 0)
        return r;
    if (!o->wants_ca)
        on_ca(o, ca);
    return 0;
}

/* After the start, and after a burst of reconciles, returns unused memory to the kernel. */
static void on_trim(uv_timer_t *t TY_UNUSED)
{
    malloc_trim(0);
}

static void on_idle(void *ctx)
{
    struct ty_operator *o = ctx;

    if (!uv_is_active((const uv_handle_t *)&o->trim))
        uv_timer_start(&o->trim, on_trim, TRIM_MS, 0);
}

static void on_synced(void *ctx)
{
    const struct ty_operator *o = ctx;

    if (o->failures)
        ty_failure_watch_synced(o->failures);
}

/* Only with failureSummary. */
static struct ty_str failure_note(void *ctx, const struct ty_cached *job)
{
    const struct ty_operator *o = ctx;

    return o->failures ? ty_failure_watch_note(o->failures, job) : (struct ty_str){ "", 0 };
}

static void on_reconciled(void *ctx, const struct ty_cached *job, const struct ty_cached *jobset,
                          bool initial)
{
    const struct ty_operator *o = ctx;

    if (o->failures)
        ty_failure_watch_reconciled(o->failures, job, jobset, initial);
}

static void on_deleted(void *ctx, struct ty_str ns, struct ty_str name)
{
    const struct ty_operator *o = ctx;

    if (o->failures)
        ty_failure_watch_deleted(o->failures, ns, name);
}

static void on_apiserver_healthy(void *ctx)
{
    struct ty_operator *o = ctx;

    ty_trainjob_controller_retry_now(o->controller);
}

/* The webhook's Secret as the status plugin reads it: only its CA. */
static const struct ty_json *hook_secret(void *ctx, struct ty_arena *a)
{
    struct ty_operator *o = ctx;

    if (!o->ca || !o->ca[0])
        return NULL;
    struct ty_json *secret = ty_json_object(a), *data = ty_json_object(a);
    ty_json_set(a, data, "ca.crt", ty_json_str(a, ty_base64_encode(a, ty_str(o->ca))));
    ty_json_set(a, secret, "data", data);
    return secret;
}

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

static void start_shutdown(struct ty_operator *o)
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
    start_shutdown(o);
}

/* ---- SIGHUP ---- */

static void log_changes(const struct ty_log *log, const char *text, const struct ty_strlist *w)
{
    for (size_t i = 0; i < w->n; i++)
        ty_info(log, text, TY_S("field", w->v[i]));
}

static int worker_count(const struct ty_operator *o)
{
    return ty_config_workers(&o->config, "TrainJob.trainer.kubeflow.org");
}

static enum ty_runtime_protection runtime_protection(const struct ty_operator *o)
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
    ty_trainjob_controller_configure(o->controller, worker_count(o), runtime_protection(o));
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

/* ---- start ---- */

static void start_apiserver_health(struct ty_operator *o)
{
    struct ty_apiserver_health_settings s = { .loop = &o->loop,
                                              .config = o->s->kubeconfig,
                                              .log = o->s->log,
                                              .well = on_apiserver_healthy,
                                              .ctx = o };

    o->apiserver_health = ty_apiserver_health_new(&s);
}

/* A fence only with leader election: without it there is no other writer. */
static struct ty_fence write_fence(struct ty_operator *o)
{
    const struct ty_config *c = &o->config;
    int64_t grace = ty_leader_election_grace(c->lease_ms, c->renew_ms);

    return (struct ty_fence){ .open = c->elect ? may_write : NULL,
                              .ctx = o,
                              .unacked_ms = grace > UNACKED_MS ? grace : UNACKED_MS };
}

static int start_client(struct ty_operator *o, struct ty_err *err)
{
    struct ty_kube_settings k = { .loop = &o->loop,
                                  .config = o->s->kubeconfig,
                                  .agent = AGENT,
                                  .qps = o->config.client_qps,
                                  .burst = o->config.client_burst,
                                  .budget = &o->budget,
                                  .fence = write_fence(o),
                                  .seen = ty_apiserver_health_observe,
                                  .ctx = o->apiserver_health };
    char host[256] = "unknown";

    if (ty_kube_new(&o->kube, &k, err) < 0)
        return err->code;
    ty_apiserver_health_set_client(o->apiserver_health, o->kube);
    k.fence = (struct ty_fence){ 0 }; /* every replica answers the status API: no fence */
    k.qps = o->config.status_qps;
    k.burst = o->config.status_burst;
    if (o->settings.status_gate && ty_kube_new(&o->status_kube, &k, err) < 0)
        return err->code;
    k.qps = TY_REVIEW_QPS;
    k.burst = TY_REVIEW_BURST;
    if (ty_kube_new(&o->review_kube, &k, err) < 0)
        return err->code;
    gethostname(host, sizeof(host) - 1);
    struct ty_events_settings e = {
        .loop = &o->loop, .kube = o->kube, .log = o->s->log, .host = host
    };
    o->events = ty_events_new(&e);
    return 0;
}

static void start_controllers(struct ty_operator *o)
{
    struct ty_trainjob_controller_settings j = { .loop = &o->loop,
                                                 .kube = o->kube,
                                                 .events = o->events,
                                                 .log = o->s->log,
                                                 .pipeline = o->s->pipeline,
                                                 .settings = &o->settings,
                                                 .in_flight = worker_count(o),
                                                 .budget = &o->budget,
                                                 .protection = runtime_protection(o),
                                                 .hook_secret = hook_secret,
                                                 .idle = on_idle,
                                                 .ctx = o };

    if (o->config.failure_summary) {
        j.synced = on_synced;
        j.failure_note = failure_note;
        j.reconciled = on_reconciled;
        j.deleted = on_deleted;
    }
    o->controller = ty_trainjob_controller_new(&j);
    if (o->config.failure_summary)
        o->failures = ty_failure_watch_new(
            &(struct ty_failure_watch_settings){ .loop = &o->loop,
                                                 .kube = o->kube,
                                                 .log = o->s->log,
                                                 .budget = &o->budget,
                                                 .controller = o->controller });
}

static void start_certs(struct ty_operator *o)
{
    const struct ty_config *c = &o->config;
    struct ty_webhook_cert_manager_settings h = { .loop = &o->loop,
                                                  .log = o->s->log,
                                                  .kube = o->kube,
                                                  .ns = o->s->ns,
                                                  .secret = c->settings.webhook_secret,
                                                  .service = c->settings.webhook_service,
                                                  .ready = on_certificate,
                                                  .ctx = o };

    if (!c->certs)
        h.dir = c->cert_dir ? c->cert_dir : TY_WEBHOOK_CERT_DIR;
    if (o->wants_ca)
        h.trusted = on_ca;
    o->certs = ty_webhook_cert_manager_new(&h);
}

static void start_lease(struct ty_operator *o)
{
    const struct ty_config *c = &o->config;
    struct ty_lease_client_settings l = { .loop = &o->loop,
                                          .kube = o->kube,
                                          .log = o->s->log,
                                          .ns = c->lease_ns ? c->lease_ns : o->s->ns,
                                          .name = c->lease_name,
                                          .identity = ty_lease_client_identity(o->arena),
                                          .lease_ms = c->lease_ms,
                                          .renew_ms = c->renew_ms,
                                          .retry_ms = c->retry_ms,
                                          .leading = on_leading,
                                          .lost = on_lost,
                                          .ctx = o };

    if (c->elect)
        o->lease = ty_lease_client_new(&l);
    else
        on_leading(o);
}

static int start_servers(struct ty_operator *o, struct ty_err *err)
{
    struct ty_servers_settings s = { .loop = &o->loop,
                                     .kube = o->kube,
                                     .status_kube = o->status_kube,
                                     .review_kube = o->review_kube,
                                     .budget = &o->budget,
                                     .config = &o->config,
                                     .settings = &o->settings,
                                     .pipeline = o->s->pipeline,
                                     .log = o->s->log,
                                     .controller = o->controller,
                                     .certs = o->certs,
                                     .lease = o->lease,
                                     .events = o->events,
                                     .failures = o->failures,
                                     .apiserver_health = o->apiserver_health,
                                     .version = o->s->version };

    return ty_servers_new(&s, &o->servers, err);
}

static void watch_signals(struct ty_operator *o)
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

static int start_all(struct ty_operator *o, struct ty_err *err)
{
    watch_signals(o);
    start_apiserver_health(o);
    int r = start_client(o, err);
    if (r < 0)
        return r;
    o->wants_ca = o->settings.status_gate && !o->config.certs;
    start_controllers(o);
    start_certs(o);
    start_lease(o);
    return start_servers(o, err);
}

/* Closes our own handles first, so that none of our callbacks runs while the parts are freed. The
 * parts close their own. */
static void free_all(struct ty_operator *o)
{
    uv_handle_t *const own[] = { (uv_handle_t *)&o->sigterm, (uv_handle_t *)&o->sigint,
                                 (uv_handle_t *)&o->sighup, (uv_handle_t *)&o->shutdown_timer,
                                 (uv_handle_t *)&o->trim };

    for (size_t i = 0; i < TY_COUNT(own); i++)
        uv_close(own[i], NULL);
    o->leading =
        false; /* the client calls the fence until it is freed, and the lease is freed first */
    ty_servers_free(o->servers);
    ty_lease_client_free(o->lease);
    ty_webhook_cert_manager_free(o->certs);
    ty_failure_watch_free(o->failures);
    o->failures = NULL;
    ty_trainjob_controller_free(o->controller);
    ty_events_free(o->events);
    ty_apiserver_health_free(o->apiserver_health);
    ty_kube_free(o->status_kube);
    ty_kube_free(o->review_kube);
    ty_kube_free(o->kube);
    uv_run(&o->loop, UV_RUN_DEFAULT);
    uv_loop_close(&o->loop);
    free(o->ca);
    ty_arena_free(o->reload_arena);
    ty_arena_free(o->arena);
}

static void set_budget(struct ty_operator *o)
{
    struct ty_memory_limit limit;

    ty_memory_limit("/proc/self", "/sys/fs/cgroup", &limit);
    ty_memory_return_large();
    size_t most = limit.bytes > 2 * RESERVE_BYTES ? limit.bytes - RESERVE_BYTES : limit.bytes / 2;
    o->budget.ceiling = limit.bytes && most < BUDGET_BYTES ? most : BUDGET_BYTES;
    ty_info(o->s->log, "memory budget for objects and requests", TY_I("bytes", o->budget.ceiling),
            TY_I("limit", limit.bytes),
            TY_S("from", limit.from[0] ? limit.from : "no limit found"));
}

int ty_operator_run(const struct ty_operator_settings *s)
{
    struct ty_operator o = { .s = s, .config = *s->config, .settings = s->config->settings };
    struct ty_err err = { 0 };

    o.settings.operator_ns = s->ns;
    o.arena = ty_arena_new((size_t)64 << 20);
    uv_loop_init(&o.loop);
    ty_info(s->log, "starting", TY_S("version", s->version), TY_S("server", s->kubeconfig->server),
            TY_S("namespace", s->ns));
    set_budget(&o);
    if (start_all(&o, &err) < 0) {
        ty_error(s->log, err.text, "cannot start", TY_S("version", s->version));
        o.code = 1;
    } else {
        uv_run(&o.loop, UV_RUN_DEFAULT);
    }
    free_all(&o);
    ty_info(s->log, "stopped", TY_I("code", o.code));
    return o.code;
}
