/* Drives parts of the operator on a real API server, for test_parts.py. Events are
 * JSON lines on stdout; log lines go to stderr. SIGTERM ends it in order.
 *
 *   parts lease KUBECONFIG NS NAME IDENTITY LEASE_MS RENEW_MS RETRY_MS
 *   parts events KUBECONFIG NS NAME UID COUNT     the same event so often, then all is written
 *   parts certs KUBECONFIG NS SECRET SERVICE VALIDATING MUTATING    SIGUSR1: 300 days pass
 */
#include <errno.h>
#include <signal.h>
#include <uv.h>

#include "controller/events.h"
#include "leader/lease_client.h"
#include "store/kube/kube.h"
#include "webhook_cert/webhook_cert_manager.h"

struct driver {
    uv_loop_t loop;
    uv_signal_t term;
    uv_timer_t ending;
    struct ty_arena *arena;
    struct ty_kubeconfig config;
    struct ty_kube *kube;
    struct ty_log log;
    struct ty_lease_client *lease;
    struct ty_events *events;
    struct ty_webhook_cert_manager *certs;
    uv_signal_t usr;
    uv_timer_t poll;
    int64_t later_s;
    bool was_ready;
    int code;
};

static void say(const char *event, struct ty_str detail)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *v = ty_json_object(a);
    ty_json_set(a, v, "event", ty_json_cstr(a, event));
    ty_json_set(a, v, "detail", ty_json_str(a, detail));
    printf("%s\n", ty_json_text(a, v).p);
    fflush(stdout);
}

/* From a timer: a callback of the client must not free the client. */
static void on_end(uv_timer_t *t)
{
    struct driver *d = t->data;
    uv_close((uv_handle_t *)t, NULL);
    uv_close((uv_handle_t *)&d->term, NULL);
    uv_close((uv_handle_t *)&d->usr, NULL);
    uv_close((uv_handle_t *)&d->poll, NULL);
    ty_lease_client_free(d->lease);
    ty_events_free(d->events);
    ty_webhook_cert_manager_free(d->certs);
    ty_kube_free(d->kube);
}

static void end(void *ctx)
{
    struct driver *d = ctx;
    uv_timer_start(&d->ending, on_end, 0, 0);
}

/* ---- lease ---- */

static void on_leading(void *ctx)
{
    struct driver *d = ctx;
    say("leading", ty_str(ty_lease_client_held(d->lease) ? "held" : "not held"));
}

static void on_lost(void *ctx, const char *why)
{
    struct driver *d = ctx;
    say("lost", ty_str(why));
    d->code = 1;
    end(d);
}

static void on_holder(void *ctx, const char *who)
{
    (void)ctx;
    say("holder", ty_str(who));
}

static int64_t number(const char *text)
{
    int64_t v = 0;
    ty_str_parse_i64(ty_str(text), &v);
    return v;
}

static void start_lease(struct driver *d, char **argv)
{
    d->lease = ty_lease_client_new(&(struct ty_lease_client_settings){
        .loop = &d->loop,
        .kube = d->kube,
        .log = &d->log,
        .ns = argv[3],
        .name = argv[4],
        .identity = argv[5],
        .lease_ms = number(argv[6]),
        .renew_ms = number(argv[7]),
        .retry_ms = number(argv[8]),
        .leading = on_leading,
        .lost = on_lost,
        .holder = on_holder,
        .ctx = d,
    });
}

/* ---- events ---- */

static void on_events_poll(uv_timer_t *t)
{
    struct driver *d = t->data;
    struct ty_events_counts c;
    char text[128];
    if (!ty_events_idle(d->events))
        return;
    ty_events_count(d->events, &c);
    snprintf(text, sizeof(text), "%llu %llu %llu %llu", (unsigned long long)c.written,
             (unsigned long long)c.series, (unsigned long long)c.dropped,
             (unsigned long long)c.failed);
    say("idle", ty_str(text));
    uv_timer_stop(t);
    end(d);
}

static void start_events(struct driver *d, char **argv)
{
    d->events = ty_events_new(&(struct ty_events_settings){
        .loop = &d->loop, .kube = d->kube, .log = &d->log, .host = "host" });
    struct ty_event e = { .controller = "trainer-trainjob-controller",
                          .kind = &ty_kind_trainjob,
                          .ns = ty_str(argv[3]),
                          .name = ty_str(argv[4]),
                          .uid = ty_str(argv[5]),
                          .type = "Warning",
                          .reason = "TrainJobResourcesCreationFailed",
                          .action = "Reconciling",
                          .note = ty_events_failed_note(d->arena, TY_LIT("no such 100% thing")) };
    for (int64_t i = number(argv[6]); i > 0; i--)
        ty_events_record(d->events, &e);
    ty_events_flush(d->events);
    uv_timer_start(&d->poll, on_events_poll, 20, 20);
}

/* ---- certificates ---- */

static int64_t now_s(void *ctx)
{
    return (int64_t)time(NULL) + ((struct driver *)ctx)->later_s;
}

static int on_cert(void *ctx, const struct ty_pem *pem, struct ty_str ca, struct ty_err *err)
{
    (void)ctx;
    (void)err;
    say("ca", ca);
    say("cert", pem->cert);
    return 0;
}

static void on_certs_poll(uv_timer_t *t)
{
    struct driver *d = t->data;
    bool ready = ty_webhook_cert_manager_ready(d->certs);
    if (ready != d->was_ready)
        say(ready ? "ready" : "not ready", ty_str(ty_webhook_cert_manager_reason(d->certs)));
    d->was_ready = ready;
}

static void on_usr(uv_signal_t *s, int signal)
{
    struct driver *d = s->data;
    (void)signal;
    d->later_s += (int64_t)300 * 24 * 3600;
    say("later", ty_str(""));
    ty_webhook_cert_manager_check(d->certs);
}

static void start_certs(struct driver *d, char **argv)
{
    d->certs = ty_webhook_cert_manager_new(
        &(struct ty_webhook_cert_manager_settings){ .loop = &d->loop,
                                                    .log = &d->log,
                                                    .kube = d->kube,
                                                    .ns = argv[3],
                                                    .secret = argv[4],
                                                    .service = argv[5],
                                                    .validating = argv[6],
                                                    .mutating = argv[7],
                                                    .settle_s = 4,
                                                    .now_s = now_s,
                                                    .ready = on_cert,
                                                    .ctx = d });
    uv_timer_start(&d->poll, on_certs_poll, 20, 20);
    uv_signal_start(&d->usr, on_usr, SIGUSR1);
}

/* ---- all ---- */

static void on_term(uv_signal_t *s, int signal)
{
    struct driver *d = s->data;
    (void)signal;
    uv_signal_stop(s);
    if (d->lease)
        ty_lease_client_release(d->lease, end, d);
    else
        end(d);
}

static int start(struct driver *d, int argc, char **argv, struct ty_err *err)
{
    struct ty_kubeconfig_sources where = { .kubeconfig = argv[2] };
    struct ty_kube_settings set = { .loop = &d->loop, .config = &d->config, .agent = "parts" };
    struct ty_str what = ty_str(argv[1]);
    int r = ty_kubeconfig_load(d->arena, &where, &d->config, err);
    if (r == 0)
        r = ty_kube_new(&d->kube, &set, err);
    if (r < 0)
        return r;
    if (ty_str_is(what, "lease") && argc == 9)
        start_lease(d, argv);
    else if (ty_str_is(what, "events") && argc == 7)
        start_events(d, argv);
    else if (ty_str_is(what, "certs") && argc == 8)
        start_certs(d, argv);
    else
        return ty_fail(err, -EINVAL, "see the top of parts.c");
    return 0;
}

int main(int argc, char **argv)
{
    struct driver *d = calloc(1, sizeof(*d));
    struct ty_err err = { 0 };
    if (!d || argc < 3)
        return 2;
    d->arena = ty_arena_new((size_t)64 << 20);
    d->log.out = ty_log_open(&(struct ty_log_settings){ .fd = 2, .level = TY_DEBUG });
    uv_loop_init(&d->loop);
    uv_signal_init(&d->loop, &d->term);
    uv_timer_init(&d->loop, &d->ending);
    uv_signal_init(&d->loop, &d->usr);
    uv_timer_init(&d->loop, &d->poll);
    d->term.data = d->ending.data = d->usr.data = d->poll.data = d;
    uv_signal_start(&d->term, on_term, SIGTERM);
    int r = start(d, argc, argv, &err);
    if (r < 0) {
        fprintf(stderr, "parts: %s\n", err.text);
        end(d);
    }
    while (uv_run(&d->loop, UV_RUN_DEFAULT))
        ;
    int left = uv_loop_close(&d->loop), code = r < 0 || left < 0 ? 3 : d->code;
    if (left < 0)
        fprintf(stderr, "parts: handles are left open\n");
    ty_log_close(d->log.out);
    ty_arena_free(d->arena);
    free(d);
    return code;
}
