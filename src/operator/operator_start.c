/* Starts the parts of the operator in order, and tells them of each other. */
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/xalloc.h"
#include "leader/leader_election.h"
#include "operator/operator_inner.h"

#define AGENT      "trainyard/" TY_VERSION
#define TRIM_MS    1000
#define UNACKED_MS 500 /* a healthy connection may need as much to retransmit a lost packet */

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
    ty_operator_stop(o);
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
                                                 .in_flight = ty_operator_workers(o),
                                                 .budget = &o->budget,
                                                 .protection = ty_operator_protection(o),
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

int ty_operator_start(struct ty_operator *o, struct ty_err *err)
{
    ty_operator_watch_signals(o);
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
