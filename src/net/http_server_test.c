#include "net/http_server_testing.h"

#include <errno.h>
#include <fcntl.h>

#define GET "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

struct kept {
    struct ty_http_request *q[8];
    size_t n;
    bool stopped;
};

static void keep_request(void *ctx, struct ty_http_request *q)
{
    struct kept *k = ctx;
    k->q[k->n++] = q;
}

static void say_ok(void *ctx TY_UNUSED, struct ty_http_request *q)
{
    ty_http_request_respond(q, 200, NULL, TY_LIT("ok"));
}

static void on_stopped(void *ctx)
{
    struct kept *k = ctx;
    k->stopped = true;
}

static void addresses(void **state TY_UNUSED)
{
    uv_loop_t loop;
    struct ty_http_server_opts o = { .loop = &loop, .address = "example.org", .handle = say_ok };
    struct ty_http_server *s = NULL, *t = NULL;
    struct ty_err err = { 0 };

    uv_loop_init(&loop);
    assert_int_equal(ty_http_server_new(&o, &s, &err), -EINVAL);
    assert_string_equal(err.text, "\"example.org\" is not an IP address to listen on");
    assert_null(s);
    o.address = "127.0.0.1";
    assert_int_equal(ty_http_server_new(&o, &s, &err), 0);
    assert_true(ty_http_server_port(s) > 0);
    o.port = ty_http_server_port(s);
    assert_int_equal(ty_http_server_new(&o, &t, &err), -EADDRINUSE);
    assert_has(err.text, "cannot listen on 127.0.0.1 port ");
    ty_http_server_free(s);
    ty_http_server_free(NULL);
    loop_end(&loop);
}

static void every_address(void **state TY_UNUSED)
{
    uv_loop_t loop;
    struct ty_http_server_opts o = { .loop = &loop, .handle = say_ok };
    struct ty_http_server *s = NULL;
    struct ty_talk t;

    uv_loop_init(&loop);
    assert_int_equal(ty_http_server_new(&o, &s, NULL), 0);
    assert_has(talk(&t, &loop, ty_http_server_port(s), GET), "\r\n\r\nok");
    ty_http_server_free(s);
    loop_end(&loop);
}

static void a_socket_that_listens_already(void **state TY_UNUSED)
{
    uv_loop_t loop;
    int port = 0, fd = port_take(8, &port);
    struct ty_http_server *s = NULL;
    struct ty_talk t;

    assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    talk_start(&t, port, GET); /* before there is a server */
    uv_loop_init(&loop);
    struct ty_http_server_opts o = { .loop = &loop, .fd = fd, .handle = say_ok };
    assert_int_equal(ty_http_server_new(&o, &s, NULL), 0);
    assert_int_equal(ty_http_server_port(s), port);
    assert_has(talk_end(&t, &loop), "HTTP/1.1 200 OK");
    ty_http_server_free(s);
    loop_end(&loop);
}

/* What the handler still owes when the server goes must stay valid until it is answered. */
static void freed_with_requests_under_way(void **state TY_UNUSED)
{
    struct serve_world w;
    struct kept kept = { 0 };

    serve_begin(&w, (struct ty_http_server_opts){ .handle = keep_request, .ctx = &kept });
    talk_start(&w.t, ty_http_server_port(w.s), GET);
    while (!kept.n)
        uv_run(&w.loop, UV_RUN_ONCE);
    assert_int_equal(ty_http_server_connections(w.s), 1);
    ty_http_server_free(w.s);
    talk_end(&w.t, &w.loop);
    loop_end(&w.loop);
    assert_int_equal(kept.q[0]->path.n, 1);
    assert_string_equal(ty_http_request_header(kept.q[0], "Host"), "x");
    ty_http_request_respond(kept.q[0], 200, NULL, TY_LIT("late"));
}

static void stops_when_the_last_is_answered(void **state TY_UNUSED)
{
    struct serve_world w;
    struct kept kept = { 0 };

    serve_begin(&w, (struct ty_http_server_opts){ .handle = keep_request, .ctx = &kept });
    talk_start(&w.t, ty_http_server_port(w.s), "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    while (!kept.n)
        uv_run(&w.loop, UV_RUN_ONCE);
    ty_http_server_stop(w.s, 60000, on_stopped, &kept);
    for (int i = 0; i < 5; i++)
        uv_run(&w.loop, UV_RUN_NOWAIT);
    assert_false(kept.stopped);
    ty_http_request_respond(kept.q[0], 200, NULL, TY_LIT("last"));
    assert_has(talk_end(&w.t, &w.loop), "last");
    while (!kept.stopped)
        uv_run(&w.loop, UV_RUN_NOWAIT);
    serve_finish(&w);
}

static void stops_at_once_when_idle(void **state TY_UNUSED)
{
    struct serve_world w;
    struct kept kept = { 0 };

    serve_begin(&w, (struct ty_http_server_opts){ .handle = keep_request, .ctx = &kept });
    ty_http_server_stop(w.s, 60000, on_stopped, &kept);
    assert_false(kept.stopped); /* from the loop, never from within the call */
    while (!kept.stopped)
        uv_run(&w.loop, UV_RUN_NOWAIT);
    serve_finish(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses),
        cmocka_unit_test(every_address),
        cmocka_unit_test(a_socket_that_listens_already),
        cmocka_unit_test(freed_with_requests_under_way),
        cmocka_unit_test(stops_when_the_last_is_answered),
        cmocka_unit_test(stops_at_once_when_idle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
