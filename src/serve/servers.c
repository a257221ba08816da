/* Opens and closes all ports of the operator. */
#include "serve/servers.h"

#include <errno.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "net/bind_address.h"
#include "net/tls_options.h"
#include "serve/respond.h"
#include "serve/servers_inner.h"
#include "serve/webhook.h"

#define HEALTH_CONNECTIONS 128 /* the kubelet opens one for each probe */

/* ---- health ---- */

static const char *check_certs(void *ctx, struct ty_arena *a)
{
    const struct ty_servers *s = ctx;

    if (ty_webhook_cert_manager_ready(s->s.certs))
        return NULL;
    return ty_arena_printf(a, "certificates are not ready: %s",
                           ty_webhook_cert_manager_reason(s->s.certs));
}

/* Advice only: without the API server, webhooks still answer from the cache. An unready pod would
 * take them out of service, and TrainJobs could not be created. */
static const char *check_apiserver(void *ctx, struct ty_arena *a)
{
    const struct ty_servers *s = ctx;

    return s->s.apiserver_health ? ty_apiserver_health_reason(s->s.apiserver_health, a) : NULL;
}

static const char *check_cache(void *ctx, struct ty_arena *a)
{
    const struct ty_servers *s = ctx;
    const char *why = check_apiserver(ctx, a);

    if (ty_trainjob_controller_synced(s->s.controller))
        return NULL;
    return ty_arena_printf(a, "not everything that is watched has been listed yet%s%s",
                           why ? ": " : "; are the CRDs installed?", why ? why : "");
}

static void check_failed(void *ctx, const char *path, const char *check, const char *why)
{
    const struct ty_servers *s = ctx;

    ty_error(s->s.log, why, "a health check fails", TY_S("path", path), TY_S("check", check));
}

/* v2.3.0 accepts other names and serves these all the same, so the probes of existing Deployments
 * use these. */
static bool handle_common(const struct ty_servers *s, struct ty_http_request *q)
{
    struct ty_health alive = s->alive, ready = s->ready;

    alive.path = "/healthz";
    ready.path = "/readyz";
    return ty_health_handle(&alive, q) || ty_health_handle(&ready, q);
}

static void handle_health(void *ctx, struct ty_http_request *q)
{
    const struct ty_servers *s = ctx;

    if (!ty_health_handle(&s->alive, q) && !ty_health_handle(&s->ready, q) && !handle_common(s, q))
        ty_respond_text(q, 404, TY_LIT("404 page not found\n"));
}

/* With or without a slash: controller-runtime's own names have one. */
static char *path_of(const char *name)
{
    name += strspn(name, "/");
    size_t n = strlen(name) + 2;
    char *path = ty_xalloc(malloc(n));
    snprintf(path, n, "/%s", name);
    return path;
}

void ty_servers_set_health_paths(struct ty_servers *s)
{
    free(s->alive_path);
    free(s->ready_path);
    s->alive.path = s->alive_path = path_of(s->s.config->liveness);
    s->ready.path = s->ready_path = path_of(s->s.config->readiness);
}

static void init_health(struct ty_servers *s)
{
    s->ready_checks[0] = (struct ty_health_check){ "certificates", check_certs, s, false };
    s->ready_checks[1] = (struct ty_health_check){ "cache", check_cache, s, false };
    s->ready_checks[2] = (struct ty_health_check){ "api-server", check_apiserver, s, true };
    s->alive = (struct ty_health){ .failed = check_failed, .ctx = s };
    s->ready = (struct ty_health){ .checks = s->ready_checks, .failed = check_failed, .ctx = s };
    ty_servers_set_health_paths(s);
}

/* ---- open ---- */

static void init_tls(struct ty_servers *s, struct ty_http_server_tls *ret)
{
    const struct ty_config *c = s->s.config;
    struct ty_tls_options_notes notes = { 0 };

    *ret = (struct ty_http_server_tls){ .priority = ty_tls_options_priority(s->arena, c->tls_min,
                                                                            c->ciphers.v, &notes) };
    for (size_t i = 0; i < notes.n; i++)
        ty_warn(s->s.log, "tls settings", TY_S("note", notes.v[i]));
    /* A protocol that is not supported must not be offered: the client would use it. */
    for (size_t i = 0; i < c->protos.n; i++)
        if (strcmp(c->protos.v[i], "http/1.1") != 0)
            ty_warn(s->s.log, "tls settings",
                    TY_S("note", ty_arena_printf(s->arena,
                                                 "tls.nextProtos: \"%s\" is not spoken here: "
                                                 "http/1.1 is",
                                                 c->protos.v[i])));
}

static int open_port(struct ty_servers *s, int which, const char *field,
                     struct ty_http_server_opts *opts, struct ty_err *err)
{
    opts->loop = s->s.loop;
    /* Probes must be answered when the budget is used up: a limit of connections is enough. */
    opts->budget = which == PORT_HEALTH ? NULL : s->s.budget;
    if (ty_http_server_new(opts, &s->port[which], err) < 0)
        return ty_wrap(err, "%s", field);
    ty_info(s->s.log, "serving", TY_S("what", field),
            TY_I("port", ty_http_server_port(s->port[which])), TY_B("tls", opts->tls != NULL));
    return 0;
}

/* Returns 0, with port -1 if it is off. */
static int read_address(struct ty_servers *s, const char *field, const char *text,
                        struct ty_http_server_opts *o, struct ty_err *err)
{
    const char *wrong = ty_bind_address_parse(s->arena, text, &o->address, &o->port);

    return wrong ? ty_fail(err, -EINVAL, "%s: \"%s\": %s", field, text, wrong) : 0;
}

static int open_health(struct ty_servers *s, struct ty_err *err)
{
    struct ty_http_server_opts o = { .connections = HEALTH_CONNECTIONS,
                                     .handle = handle_health,
                                     .ctx = s };
    int r = read_address(s, "health.healthProbeBindAddress", s->s.config->health_address, &o, err);

    if (r < 0 || o.port < 0)
        return r;
    return open_port(s, PORT_HEALTH, "health.healthProbeBindAddress", &o, err);
}

static int open_metrics(struct ty_servers *s, const struct ty_http_server_tls *tls,
                        struct ty_err *err)
{
    struct ty_http_server_opts o = { .tls = s->s.config->metrics_secure ? tls : NULL,
                                     .handle = ty_servers_handle_metrics,
                                     .ctx = s };
    int r = read_address(s, "metrics.bindAddress", s->s.config->metrics_address, &o, err);

    if (r < 0 || o.port < 0)
        return r;
    return open_port(s, PORT_METRICS, "metrics.bindAddress", &o, err);
}

static int open_all(struct ty_servers *s, struct ty_err *err)
{
    const struct ty_config *c = s->s.config;
    struct ty_http_server_tls tls;
    struct ty_http_server_opts hook = { .address = c->webhook_host,
                                        .port = c->webhook_port,
                                        .tls = &tls,
                                        .body_bytes = TY_WEBHOOK_BODY_MAX,
                                        .handle = ty_webhook_handler_serve,
                                        .ctx = &s->hooks };
    struct ty_http_server_opts status = { .port = s->s.settings->status_port,
                                          .tls = &tls,
                                          .body_bytes = TY_STATUS_BODY_MAX,
                                          .handle = ty_servers_handle_status,
                                          .ctx = s };

    init_tls(s, &tls);
    int r = open_health(s, err);
    if (r == 0)
        r = open_port(s, PORT_WEBHOOK, "webhook.port", &hook, err);
    if (r == 0)
        r = open_metrics(s, &tls, err);
    if (r == 0 && s->s.settings->status_gate)
        r = open_port(s, PORT_STATUS, "statusServer.port", &status, err);
    return r;
}

int ty_servers_new(const struct ty_servers_settings *settings, struct ty_servers **ret,
                   struct ty_err *err)
{
    struct ty_servers *s = ty_xalloc(calloc(1, sizeof(*s)));
    s->s = *settings;
    s->arena = ty_arena_new((size_t)128 << 20);
    s->metrics = ty_servers_metrics_new();
    s->hooks = (struct ty_webhook_handler){ .controller = settings->controller,
                                            .budget = settings->budget,
                                            .pipeline = settings->pipeline,
                                            .settings = settings->settings,
                                            .log = settings->log,
                                            .begun = ty_servers_metrics_review_started,
                                            .answered = ty_servers_metrics_review_done,
                                            .ctx = s };
    init_health(s);
    ty_servers_status_init(s);
    int r = open_all(s, err);
    if (r < 0) {
        ty_servers_free(s);
        return r;
    }
    *ret = s;
    return 0;
}

int ty_servers_set_certificate(struct ty_servers *s, const struct ty_pem *pem, struct ty_err *err)
{
    int r = 0;

    for (int i = 0; i < PORTS && r == 0; i++)
        if (s->port[i] && i != PORT_HEALTH && (i != PORT_METRICS || s->s.config->metrics_secure))
            r = ty_http_server_set_cert(s->port[i], pem, err);
    return r;
}

/* ---- close ---- */

static void on_port_stopped(void *ctx)
{
    struct ty_servers *s = ctx;

    if (--s->stopping == 0)
        s->done(s->done_ctx);
}

void ty_servers_stop(struct ty_servers *s, int64_t grace_ms, void (*done)(void *ctx), void *ctx)
{
    s->done = done;
    s->done_ctx = ctx;
    s->stopping = 1;
    for (int i = 0; i < PORTS; i++)
        if (s->port[i]) {
            s->stopping++;
            ty_http_server_stop(s->port[i], grace_ms, on_port_stopped, s);
        }
    on_port_stopped(s);
}

void ty_servers_free(struct ty_servers *s)
{
    if (!s)
        return;
    for (int i = 0; i < PORTS; i++)
        ty_http_server_free(s->port[i]);
    ty_servers_request_cancel_all(s);
    ty_metrics_free(s->metrics);
    free(s->alive_path);
    free(s->ready_path);
    ty_arena_free(s->arena);
    free(s);
}
