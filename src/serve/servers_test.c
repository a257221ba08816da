/* Opening and closing of the ports. Over TLS, with a real API server: tests/operator. */
#include "controller/trainjob_controller_testing.h"
#include "serve/servers_inner.h"

struct fixture {
    struct controller_fixture *w;
    struct ty_config config;
    struct ty_webhook_cert_manager *certs;
    struct ty_servers_settings s;
    struct ty_servers *servers;
    struct ty_talk talk;
    int done;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    void *w = NULL;

    assert_non_null(f);
    controller_setup(&w);
    f->w = w;
    f->w->controller = ty_trainjob_controller_new(&f->w->s);
    f->certs = ty_webhook_cert_manager_new(
        &(struct ty_webhook_cert_manager_settings){ .loop = &f->w->loop, .dir = "/nowhere" });
    f->config = ty_config_default;
    f->config.webhook_host = "127.0.0.1";
    f->config.webhook_port = 0; /* any free port */
    f->config.health_address = "127.0.0.1:0";
    f->config.metrics_address = "127.0.0.1:0";
    f->config.metrics_secure = false;
    f->w->settings.status_port = 0;
    f->s = (struct ty_servers_settings){ .loop = &f->w->loop,
                                         .kube = f->w->api.kube,
                                         .status_kube = f->w->api.kube,
                                         .config = &f->config,
                                         .settings = &f->w->settings,
                                         .pipeline = &f->w->pipeline,
                                         .log = &f->w->log,
                                         .controller = f->w->controller,
                                         .certs = f->certs,
                                         .version = "1" };
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    void *w = f->w;

    ty_servers_free(f->servers);
    ty_webhook_cert_manager_free(f->certs);
    controller_teardown(&w);
    free(f);
    return 0;
}

static void open_all(struct fixture *f)
{
    struct ty_err err = { 0 };

    if (ty_servers_new(&f->s, &f->servers, &err) < 0)
        fail_msg("%s", err.text);
}

static const char *get(struct fixture *f, int which, const char *path)
{
    char *text =
        ty_arena_printf(f->w->a, "GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", path);

    return talk(&f->talk, &f->w->loop, ty_http_server_port(f->servers->port[which]), text);
}

static void test_health(void **state)
{
    struct fixture *f = *state;

    open_all(f);
    assert_has(get(f, PORT_HEALTH, "/healthz"), "HTTP/1.1 200 ");
    const char *got = get(f, PORT_HEALTH, "/readyz?verbose"); /* no certificate yet */
    assert_has(got, "HTTP/1.1 500 ");
    assert_has(got, "certificates");
    assert_has(controller_log(f->w), "a health check fails");
    assert_has(get(f, PORT_HEALTH, "/metrics"), "HTTP/1.1 404 ");
}

/* A refusal by the API server is shown and has a metric; webhooks stay in service. */
static void test_refused_by_the_api_server(void **state)
{
    static const struct api_row never[] = { { "GET " CONTROLLER_GROUP "/trainjobs?limit", 0, NULL },
                                            { 0 } };
    struct fixture *f = *state;
    struct ty_apiserver_health *t = ty_apiserver_health_new(&(struct ty_apiserver_health_settings){
        .loop = &f->w->loop, .config = &f->w->api.config, .log = &f->w->log });
    struct ty_kube_request_result seen = { .method = "PATCH", .code = 401, .whole = true };

    f->w->api.rows = never; /* so the cache is not synced */
    f->s.apiserver_health = t;
    open_all(f);
    assert_has(get(f, PORT_HEALTH, "/readyz/api-server"), "HTTP/1.1 200 ");
    assert_has(get(f, PORT_METRICS, "/metrics"), "\ntrainyard_api_server_available 1\n");
    assert_has(get(f, PORT_HEALTH, "/readyz/cache"), "HTTP/1.1 500 ");
    assert_has(controller_log(f->w), "are the CRDs installed?");
    ty_apiserver_health_observe(t, &seen);
    assert_has(get(f, PORT_HEALTH, "/readyz/cache"), "HTTP/1.1 500 ");
    assert_has(controller_log(f->w), "has been listed yet: Unauthorized");
    assert_has(get(f, PORT_HEALTH, "/readyz/api-server"), "HTTP/1.1 500 ");
    assert_has(get(f, PORT_HEALTH, "/readyz?exclude=certificates&exclude=cache"), "HTTP/1.1 200 ");
    const char *got = get(f, PORT_METRICS, "/metrics");
    assert_has(got, "\ntrainyard_api_server_available 0\n");
    ty_apiserver_health_free(t);
}

/* SIGHUP may change the paths. */
static void test_other_names(void **state)
{
    struct fixture *f = *state;

    open_all(f);
    assert_has(get(f, PORT_HEALTH, "/alive"), "HTTP/1.1 404 ");
    f->config.liveness = "alive";
    f->config.readiness = "/ready";
    ty_servers_set_health_paths(f->servers);
    assert_has(get(f, PORT_HEALTH, "/alive"), "HTTP/1.1 200 ");
    assert_has(get(f, PORT_HEALTH, "/ready"), "HTTP/1.1 500 ");
    assert_has(get(f, PORT_HEALTH, "/healthz"), "HTTP/1.1 200 "); /* the default paths stay */
    assert_has(get(f, PORT_HEALTH, "/readyz"), "HTTP/1.1 500 ");
    f->config.liveness = "readyz";
    ty_servers_set_health_paths(f->servers);
    assert_has(get(f, PORT_HEALTH, "/readyz"),
               "HTTP/1.1 200 "); /* a configured path comes before a default one */
    assert_has(get(f, PORT_HEALTH, "/alive"), "HTTP/1.1 404 ");
}

static void test_metrics_in_the_clear(void **state)
{
    struct fixture *f = *state;

    open_all(f);
    assert_has(get(f, PORT_METRICS, "/metrics"), "trainyard_build_info{version=\"1\"} 1\n");
    assert_has(get(f, PORT_METRICS, "/other"), "HTTP/1.1 404 ");
    assert_has(get(f, PORT_METRICS, "/healthz"), "HTTP/1.1 404 ");
}

static void test_what_is_off(void **state)
{
    struct fixture *f = *state;

    f->config.health_address = f->config.metrics_address = "0";
    open_all(f);
    assert_null(f->servers->port[PORT_HEALTH]);
    assert_null(f->servers->port[PORT_METRICS]);
    assert_null(f->servers->port[PORT_STATUS]); /* its gate is off */
    assert_non_null(f->servers->port[PORT_WEBHOOK]);
    ty_servers_free(f->servers);
    f->servers = NULL;
    f->w->settings.status_gate = true;
    open_all(f);
    assert_non_null(f->servers->port[PORT_STATUS]);
}

/* The error names the setting; ports that were open are closed. */
static void test_addresses_that_are_wrong(void **state)
{
    struct fixture *f = *state;
    struct ty_err err = { 0 };

    f->config.health_address = "nonsense";
    assert_true(ty_servers_new(&f->s, &f->servers, &err) < 0);
    assert_has(err.text, "health.healthProbeBindAddress");
    f->config.health_address = "127.0.0.1:0";
    f->config.metrics_address = "127.0.0.1:70000";
    assert_true(ty_servers_new(&f->s, &f->servers, &err) < 0);
    assert_has(err.text, "metrics.bindAddress");
    assert_null(f->servers);
}

static void test_a_port_in_use(void **state)
{
    struct fixture *f = *state;
    struct ty_err err = { 0 };
    int port = 0, fd = port_take(1, &port);

    f->config.webhook_port = port;
    assert_true(ty_servers_new(&f->s, &f->servers, &err) < 0);
    assert_has(err.text, "webhook.port: ");
    close(fd);
}

static void on_done(void *ctx)
{
    struct fixture *f = ctx;

    f->done++;
    uv_stop(&f->w->loop);
}

static void test_stop(void **state)
{
    struct fixture *f = *state;

    open_all(f);
    int port = ty_http_server_port(f->servers->port[PORT_HEALTH]);
    ty_servers_stop(f->servers, 1000, on_done, f);
    if (!f->done)
        uv_run(&f->w->loop, UV_RUN_DEFAULT);
    assert_int_equal(f->done, 1);
    assert_string_equal(
        talk(&f->talk, &f->w->loop, port, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"), "");
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_health),        T(test_refused_by_the_api_server),
        T(test_other_names),   T(test_metrics_in_the_clear),
        T(test_what_is_off),   T(test_addresses_that_are_wrong),
        T(test_a_port_in_use), T(test_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
