/* Probes and hooks against real peers: a server on this loop, with TLS and without, ports where
 * nobody listens, commands in the pod. */
#include "base/port_testing.h"
#include "engine/engine_testing.h"

#include <time.h>

#include "net/http_server.h"

struct peer {
    struct ty_http_server *server;
    int code;
    int asked;
    char header[64];
};

static void on_request(void *ctx, struct ty_http_request *q)
{
    struct peer *p = ctx;
    const char *value = ty_http_request_header(q, "X-Probe");

    p->asked++;
    snprintf(p->header, sizeof(p->header), "%s", value ? value : "");
    ty_http_request_respond(q, p->code, "text/plain", TY_LIT("hello"));
}

/* A server with a certificate that nobody has reason to trust. */
static void listen_at(struct engine_fixture *w, struct peer *p, bool tls)
{
    const struct ty_http_server_tls how = { 0 };
    struct ty_http_server_opts o = { .loop = &w->loop,
                                     .address = "127.0.0.1",
                                     .tls = tls ? &how : NULL,
                                     .handle = on_request,
                                     .ctx = p };
    struct ty_err err = { 0 };
    struct ty_certs_request ask = { .name = "nobody", .until_s = time(NULL) + 3600 };
    struct ty_pem pem;

    if (ty_http_server_new(&o, &p->server, &err) < 0)
        fail_msg("%s", err.text);
    if (!tls)
        return;
    if (ty_certs_ca(w->a, &ask, &pem, &err) < 0 ||
        ty_http_server_set_cert(p->server, &pem, &err) < 0)
        fail_msg("%s", err.text);
}

static void close_peer(struct peer *p)
{
    ty_http_server_free(p->server);
}

/* A container that lives until its probe makes it end: liveness kills it (137), startup lets it
 * write a file. */
static char *pod_with(struct engine_fixture *w, const char *probes, const char *script)
{
    return ty_arena_printf(
        w->a,
        "{restartPolicy: Never, terminationGracePeriodSeconds: 1, containers: [{name: main, image: "
        "x, %s, command: [sh, -c, \"%s\"]}]}",
        probes, script);
}

static bool is_ready(struct engine_fixture *w)
{
    const struct ty_json *pod = fixture_stored(w, "j-node-0-0");
    const struct ty_json *all = ty_json_at(pod, "status.containerStatuses");
    return ty_json_true_at(ty_json_find_item(all, "name", TY_LIT("main"), NULL), "ready");
}

static void until_ready(struct engine_fixture *w, const char *probe)
{
    fixture_submit(w, "j", 1, pod_with(w, probe, "exec sleep 60"));
    w->enough = is_ready;
    fixture_run(w);
    w->enough = NULL;
    ty_engine_stop(w->e, true, "seen");
    fixture_run(w);
}

static void until_killed(struct engine_fixture *w, const char *probe, const char *why)
{
    fixture_submit(w, "j", 1, pod_with(w, probe, "exec sleep 60"));
    fixture_run(w);
    assert_observed(w, "E Warning Unhealthy j-node-0-0: ");
    assert_observed(w, why);
    assert_observed(w, "J j Failed");
}

/* Asked, with the header that the probe names, until it is well. */
static void until_asked(struct engine_fixture *w, struct peer *p, const char *probe)
{
    until_ready(w,
                ty_arena_printf(w->a,
                                "readinessProbe: {periodSeconds: 1, timeoutSeconds: 30, httpGet: "
                                "{%s, host: 127.0.0.1, port: %d, httpHeaders: [{name: X-Probe, "
                                "value: me}]}}",
                                probe, ty_http_server_port(p->server)));
    assert_true(p->asked > 0);
    assert_string_equal(p->header, "me");
    close_peer(p);
}

/* One failure of this kind is enough. */
static void until_killed_by(struct engine_fixture *w, const char *probe, int port, const char *why)
{
    until_killed(w,
                 ty_arena_printf(w->a,
                                 "livenessProbe: {periodSeconds: 1, failureThreshold: 1, %shost: "
                                 "127.0.0.1, port: %d}}",
                                 probe, port),
                 why);
}

static void http_is_asked(void **state)
{
    struct engine_fixture *w = *state;
    struct peer p = { .code = 204 };

    listen_at(w, &p, false);
    until_asked(w, &p, "path: /x");
}

static void https_believes_any_certificate(void **state)
{
    struct engine_fixture *w = *state;
    struct peer p = { .code = 302 }; /* anything from 200 to 399 is well */

    listen_at(w, &p, true);
    until_asked(w, &p, "scheme: HTTPS");
}

#define HTTPS(seconds) "timeoutSeconds: " seconds ", httpGet: {scheme: HTTPS, "

static void https_that_says_no(void **state)
{
    struct engine_fixture *w = *state;
    struct peer p = { .code = 503 };

    listen_at(w, &p, true);
    until_killed_by(w, HTTPS("30"), ty_http_server_port(p.server),
                    "HTTP probe failed with statuscode: 503");
    close_peer(&p);
}

/* TLS spoken to who does not know it. */
static void https_to_a_plain_server(void **state)
{
    struct engine_fixture *w = *state;
    struct peer p = { .code = 200 };

    listen_at(w, &p, false);
    until_killed_by(w, HTTPS("30"), ty_http_server_port(p.server),
                    "E Warning Unhealthy j-node-0-0: ");
    assert_int_equal(p.asked, 0);
    close_peer(&p);
}

static void nobody_listens(void **state)
{
    struct engine_fixture *w = *state;
    int port = 0, fd = port_take(PORT_DEAF, &port);

    until_killed_by(w, "timeoutSeconds: 30, tcpSocket: {", port, "Connection refused");
    close(fd);
}

static void a_peer_that_is_silent(void **state)
{
    struct engine_fixture *w = *state;
    int port = 0, fd = port_take(PORT_DEAF, &port);

    assert_int_equal(listen(fd, 16), 0);
    until_killed_by(w, HTTPS("1"), port, "no answer within 1 s");
    close(fd);
}

static void a_command_in_the_pod(void **state)
{
    struct engine_fixture *w = *state;

    until_killed(w,
                 "livenessProbe: {periodSeconds: 1, timeoutSeconds: 30, failureThreshold: 1, exec: "
                 "{command: "
                 "[sh, -c, 'echo not at $HOSTNAME; exit 1']}}",
                 "not at j-node-0-0");
}

static void a_command_that_is_not_there(void **state)
{
    struct engine_fixture *w = *state;

    until_killed(w,
                 "livenessProbe: {periodSeconds: 1, timeoutSeconds: 30, failureThreshold: 1, exec: "
                 "{command: "
                 "[no-such-program]}}",
                 "no-such-program");
}

static void hooks_run(void **state)
{
    struct engine_fixture *w = *state;
    char *file = ty_arena_printf(w->a, "%s/claims/hook", w->dir);

    fixture_submit(w, "j", 1,
                   pod_with(w,
                            ty_arena_printf(w->a,
                                            "lifecycle: {postStart: {exec: {command: [sh, -c, "
                                            "'echo started > %s']}}}",
                                            file),
                            ty_arena_printf(w->a, "until test -s %s; do sleep 0.05; done", file)));
    fixture_run(w);
    assert_observed(w, "J j Complete");
    assert_string_equal(fixture_file(w, "claims/hook"), "started\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ENGINE_TEST(http_is_asked),
        ENGINE_TEST(https_believes_any_certificate),
        ENGINE_TEST(https_that_says_no),
        ENGINE_TEST(https_to_a_plain_server),
        ENGINE_TEST(nobody_listens),
        ENGINE_TEST(a_peer_that_is_silent),
        ENGINE_TEST(a_command_in_the_pod),
        ENGINE_TEST(a_command_that_is_not_there),
        ENGINE_TEST(hooks_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
