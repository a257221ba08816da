/* One request at a time, without pods: answers, refusals, and being dropped. */
#include "base/port_testing.h"
#include "base/wait_testing.h"
#include "engine/engine_testing.h"

#include <time.h>

#include "engine/pod/pod_plan.h"
#include "engine/pod/probe_https.h"
#include "net/http_server.h"

struct seen {
    int calls, asked, code;
    bool ok, hold;
    char text[256], path[64];
};

static void answered(void *ctx, bool ok, const char *text)
{
    struct seen *s = ctx;
    s->calls++;
    s->ok = ok;
    snprintf(s->text, sizeof(s->text), "%s", text);
}

static void on_request(void *ctx, struct ty_http_request *q)
{
    struct seen *s = ctx;
    s->asked++;
    snprintf(s->path, sizeof(s->path), "%.*s", TY_ARG(q->path));
    ty_http_request_respond(q, s->code, "text/plain", TY_LIT("body"));
}

static struct ty_http_server *serve(struct engine_fixture *w, struct seen *s)
{
    const struct ty_http_server_tls tls = { 0 };
    struct ty_http_server_opts o = {
        .loop = &w->loop, .address = "127.0.0.1", .tls = &tls, .handle = on_request, .ctx = s
    };
    struct ty_certs_request ask = { .name = "nobody", .until_s = time(NULL) + 3600 };
    struct ty_http_server *server = NULL;
    struct ty_err err = { 0 };
    struct ty_pem pem;

    if (ty_http_server_new(&o, &server, &err) < 0 || ty_certs_ca(w->a, &ask, &pem, &err) < 0 ||
        ty_http_server_set_cert(server, &pem, &err) < 0)
        fail_msg("%s", err.text);
    return server;
}

static void turn_until_called(struct engine_fixture *w, const struct seen *s)
{
    int waited = 0;

    while (s->calls == 0 && wait_a_moment(&waited))
        uv_run(&w->loop, UV_RUN_NOWAIT);
    assert_int_equal(s->calls, 1);
}

static void the_status_decides(void **state)
{
    static const struct {
        int code;
        bool ok;
    } rows[] = { { 200, true }, { 204, true }, { 301, true }, { 400, false }, { 500, false } };
    struct engine_fixture *w = *state;
    struct seen s = { 0 };
    const char *why = NULL;

    fixture_open(w);
    struct ty_http_server *server = serve(w, &s);
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        const struct ty_probe probe = { .port = ty_http_server_port(server),
                                        .http_path = "/health" };
        s = (struct seen){ .code = rows[i].code };
        assert_non_null(ty_probe_https_start(w->e, &probe, "127.0.0.1", answered, &s, &why));
        turn_until_called(w, &s);
        assert_int_equal(s.ok, rows[i].ok);
        assert_string_equal(s.path, "/health");
        assert_true(rows[i].ok ? !s.text[0] : strstr(s.text, "statuscode: ") != NULL);
    }
    ty_http_server_free(server);
}

static void nobody_is_there(void **state)
{
    struct engine_fixture *w = *state;
    struct seen s = { 0 };
    const char *why = NULL;
    int port = 0, fd = port_take(PORT_DEAF, &port);

    fixture_open(w);
    const struct ty_probe probe = { .port = port, .host = "127.0.0.1" };
    assert_non_null(ty_probe_https_start(w->e, &probe, "127.9.9.9", answered, &s, &why));
    turn_until_called(w, &s);
    assert_false(s.ok);
    assert_true(s.text[0]);
    close(fd);
}

static void a_path_of_three_megabytes(void **state)
{
    struct engine_fixture *w = *state;
    struct seen s = { 0 };
    const char *why = NULL;
    size_t n = (size_t)3 << 20;
    char *path = ty_arena_alloc(w->a, n + 1, 1);
    int port = 0, fd = port_take(PORT_DEAF, &port);

    memset(path, '/', n);
    fixture_open(w);
    const struct ty_probe probe = { .port = port, .host = "127.0.0.1", .http_path = path };
    struct ty_probe_https *h = ty_probe_https_start(w->e, &probe, "127.9.9.9", answered, &s, &why);
    assert_non_null(h);
    ty_probe_https_cancel(h);
    close(fd);
}

static void dropped_before_the_answer(void **state)
{
    struct engine_fixture *w = *state;
    struct seen s = { .code = 200 }, later = { 0 };
    const char *why = NULL;

    fixture_open(w);
    struct ty_http_server *server = serve(w, &s);
    const struct ty_probe probe = { .port = ty_http_server_port(server) };
    struct ty_probe_https *h = ty_probe_https_start(w->e, &probe, "127.0.0.1", answered, &s, &why);
    assert_non_null(h);
    uv_run(&w->loop, UV_RUN_NOWAIT);
    ty_probe_https_cancel(h);
    assert_non_null(ty_probe_https_start(w->e, &probe, "127.0.0.1", answered, &later, &why));
    turn_until_called(w, &later);
    assert_int_equal(s.calls, 0);
    ty_http_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ENGINE_TEST(the_status_decides),
        ENGINE_TEST(nobody_is_there),
        ENGINE_TEST(a_path_of_three_megabytes),
        ENGINE_TEST(dropped_before_the_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
