/* Calls and their time, whatever they go over. */
#include "net/http_client_testing.h"

static void nobody_there(void **state)
{
    static const char *const answers[] = { NULL };
    struct web_world w;
    struct web_heard h = { 0 };
    (void)state;
    web_begin(&w, answers);
    struct ty_http_client_request ask = web_ask_of(&w, &h);
    ask.url = "http://127.0.0.1:1/";
    ty_http_client_start(w.client, &ask);
    uv_run(&w.loop, UV_RUN_DEFAULT);
    assert_int_equal(h.ends, 1);
    assert_int_equal(h.status, 0);
    assert_has(h.text, "127.0.0.1");
    web_finish(&w);
}

/* The peer answers the first line, then waits for us to go away: that is silence. */
static void silence(void **state)
{
    static const char *const answers[] = { "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhe", NULL };
    struct web_world w;
    struct web_heard h = { 0 };
    int port = 0, fd = port_take(16, &port); /* accepts in the kernel, says nothing */
    char url[64];
    (void)state;
    web_begin(&w, answers);
    snprintf(url, sizeof(url), "http://127.0.0.1:%d", port);
    struct ty_http_client_request ask = web_ask_of(&w, &h);
    ask.url = url;
    ask.total_ms = 0;
    ask.idle_ms = 50;
    ty_http_client_start(w.client, &ask);
    uv_run(&w.loop, UV_RUN_DEFAULT);
    assert_int_equal(h.ends, 1);
    assert_false(h.whole);
    assert_has(h.text, "said nothing");
    ask.idle_ms = 0;
    ask.total_ms = 50;
    ty_http_client_start(w.client, &ask);
    uv_run(&w.loop, UV_RUN_DEFAULT);
    assert_int_equal(h.ends, 2);
    assert_has(h.text, "timed out");
    close(fd);
    web_finish(&w);
}

/* The time that a call waits for its turn is part of its own. */
static void waiting_counts(void **state)
{
    static const char *const answers[] = { NULL };
    struct web_world w;
    struct web_heard first = { 0 }, second = { 0 }, last = { 0 };
    struct ty_err err = { 0 };
    int port = 0, fd = port_take(16, &port); /* accepts in the kernel, says nothing */
    char url[64];
    (void)state;
    web_begin(&w, answers);
    ty_http_client_free(w.client);
    struct ty_http_client_settings s = { .loop = &w.loop,
                                         .agent = "tester",
                                         .connect_ms = 60000,
                                         .dead_ms = 60000,
                                         .http1 = true,
                                         .connections = 1 };
    assert_int_equal(ty_http_client_new(&w.client, &s, &err), 0);
    snprintf(url, sizeof(url), "http://127.0.0.1:%d", port);
    struct ty_http_client_request ask = web_ask_of(&w, &first);
    ask.url = url;
    ask.total_ms = 300;
    ty_http_client_start(w.client, &ask);
    ask.ctx = &second;
    ty_http_client_start(w.client, &ask);
    ask.ctx = &last;
    ask.total_ms = 1; /* over long before its turn comes */
    ty_http_client_start(w.client, &ask);
    uv_run(&w.loop, UV_RUN_DEFAULT);
    assert_int_equal(first.ends + second.ends + last.ends, 3);
    assert_has(first.text, "timed out");
    assert_has(second.text, "timed out");
    assert_has(last.text, "timed out");
    close(fd);
    web_finish(&w);
}

static void freed_with_calls_under_way(void **state)
{
    static const char *const answers[] = { NULL };
    struct web_world w;
    struct web_heard h = { 0 };
    (void)state;
    web_begin(&w, answers);
    struct ty_http_client_request ask = web_ask_of(&w, &h);
    ask.idle_ms = 5000;
    ty_http_client_start(w.client, &ask);
    ty_http_client_cancel(ty_http_client_start(w.client, &ask));
    uv_run(&w.loop, UV_RUN_NOWAIT);
    ty_http_client_renew(w.client);
    ty_http_client_start(w.client, &ask);
    uv_run(&w.loop, UV_RUN_NOWAIT);
    web_finish(&w);
    assert_int_equal(h.ends, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_there),
        cmocka_unit_test(silence),
        cmocka_unit_test(waiting_counts),
        cmocka_unit_test(freed_with_calls_under_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
