/* Calls over libcurl. */
#include "net/h2_testing.h"
#include "net/http_client_testing.h"

static void request_and_answer(void **state)
{
    static const char *const answers[] = {
        "HTTP/1.1 201 Created\r\nContent-Type: text/x\r\nContent-Length: 5\r\n\r\nhello", NULL
    };
    static const char *const headers[] = { "X-Mine: 1", "Content-Type: application/json", NULL };
    struct web_world w;
    struct web_heard h = { 0 };
    (void)state;
    web_begin(&w, answers);
    struct ty_http_client_request ask = web_ask_of(&w, &h);
    ask.method = "PATCH";
    ask.headers = headers;
    ask.body = TY_LIT("{}");
    ty_http_client_start(w.client, &ask);
    assert_int_equal(h.ends, 0); /* never from within the start */
    uv_run(&w.loop, UV_RUN_DEFAULT);
    assert_int_equal(h.ends, 1);
    assert_int_equal(h.status, 201);
    assert_true(h.whole);
    assert_string_equal(h.type, "text/x");
    assert_true(ty_str_is(ty_buf_str(&h.body), "hello"));
    ty_buf_done(&h.body);
    web_finish(&w);
    assert_has(w.peer.asked[0], "PATCH / HTTP/1.1\r\n");
    assert_has(w.peer.asked[0], "User-Agent: tester\r\n");
    assert_has(w.peer.asked[0], "X-Mine: 1\r\n");
    assert_has(w.peer.asked[0], "Content-Type: application/json\r\n");
    assert_has(w.peer.asked[0], "Content-Length: 2\r\n");
}

static void cut_and_unwanted(void **state)
{
    static const char *const answers[] = {
        "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        "garbage\r\n\r\n",
        NULL,
    };
    struct web_world w;
    (void)state;
    web_begin(&w, answers);
    for (int i = 0; i < 3; i++) {
        struct web_heard h = { .stop_at = i == 1 ? 1 : 0 };
        struct ty_http_client_request ask = web_ask_of(&w, &h);
        ty_http_client_start(w.client, &ask);
        uv_run(&w.loop, UV_RUN_DEFAULT);
        assert_int_equal(h.ends, 1);
        assert_false(h.whole);
        assert_true(h.text[0]);
        if (i == 1)
            assert_string_equal(h.text, "unwanted");
        ty_buf_done(&h.body);
    }
    web_finish(&w);
}

static void from_callbacks(void **state)
{
    static const char *const answers[] = { "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none",
                                           "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\ntwo",
                                           "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nthree",
                                           NULL };
    struct web_world w;
    struct web_heard first = { 0 }, second = { 0 }, third = { 0 };
    (void)state;
    web_begin(&w, answers);
    struct ty_http_client_request a = web_ask_of(&w, &first), b = web_ask_of(&w, &second),
                                  c = web_ask_of(&w, &third);
    first.then = &b; /* started while libcurl is on the stack */
    first.then_in_piece = true;
    first.cancel = true; /* and cancelled there */
    second.then = &c;    /* started from an end */
    ty_http_client_start(w.client, &a);
    uv_run(&w.loop, UV_RUN_DEFAULT);
    assert_int_equal(first.ends, 0);
    assert_int_equal(second.ends, 1);
    assert_int_equal(third.ends, 1);
    assert_true(ty_str_is(ty_buf_str(&third.body), "three"));
    ty_buf_done(&first.body);
    ty_buf_done(&second.body);
    ty_buf_done(&third.body);
    web_finish(&w);
}

/* One connection: calls wait for it in their order, and may be cancelled while they do. */
static void more_calls_than_connections(void **state)
{
    static const char *const answers[] = { "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none",
                                           "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\ntwo",
                                           "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nthree",
                                           NULL };
    struct web_world w;
    struct web_heard h[4] = { 0 };
    struct ty_http_client_call *calls[4];
    struct ty_err err = { 0 };
    (void)state;
    web_begin(&w, answers);
    ty_http_client_free(w.client);
    struct ty_http_client_settings s = { .loop = &w.loop,
                                         .agent = "tester",
                                         .connect_ms = 2000,
                                         .dead_ms = 2000,
                                         .http1 = true,
                                         .connections = 1 };
    assert_int_equal(ty_http_client_new(&w.client, &s, &err), 0);
    for (int i = 0; i < 4; i++) {
        struct ty_http_client_request ask = web_ask_of(&w, &h[i]);
        calls[i] = ty_http_client_start(w.client, &ask);
    }
    ty_http_client_cancel(calls[1]);
    uv_run(&w.loop, UV_RUN_DEFAULT);
    assert_int_equal(h[1].ends, 0);
    assert_true(ty_str_is(ty_buf_str(&h[0].body), "one"));
    assert_true(ty_str_is(ty_buf_str(&h[2].body), "two"));
    assert_true(ty_str_is(ty_buf_str(&h[3].body), "three"));
    for (int i = 0; i < 4; i++)
        ty_buf_done(&h[i].body);
    web_finish(&w);
}

/* TLS 1.2 and later, as on our own connections. */
static void versions(void **state)
{
    static const char *const none[] = { NULL };
    struct web_world w;
    struct ty_far far = { 0 };
    (void)state;
    web_begin(&w, none);
    far_start(&far, "http/1.1");
    struct ty_http_client_peer peer = { .proxy = "", .ca_file = far.ca };
    for (size_t i = 0; i < FAR_VERSIONS; i++) {
        struct web_heard h = { 0 };
        struct ty_http_client_request ask = web_ask_of(&w, &h);
        far.priority = far_versions[i].priority;
        ask.url = far.url;
        ask.peer = &peer;
        ty_http_client_start(w.client, &ask);
        uv_run(&w.loop, UV_RUN_DEFAULT);
        assert_int_equal(h.ends, 1);
        assert_int_equal(h.whole, far_versions[i].good);
        ty_http_client_renew(w.client); /* the next call opens a new connection */
        ty_buf_done(&h.body);
    }
    web_finish(&w);
    far_stop(&far);
}

/* As with HTTP/2: a client certificate of the same CA must not be accepted as the server's, and no
 * request is sent. */
static void a_client_is_no_server(void **state)
{
    static const char *const none[] = { NULL };
    static const char *const token[] = { "Authorization: Bearer secret", NULL };
    struct web_world w;
    struct ty_far far = { 0 };
    (void)state;
    web_begin(&w, none);
    far_start(&far, "http/1.1");
    struct ty_http_client_peer peer = { .proxy = "", .ca_file = far.ca };
    for (int i = 0; i < 3; i++) {
        struct web_heard h = { 0 };
        struct ty_http_client_request ask = web_ask_of(&w, &h);
        bool server = i == 1;
        far_certify_for(&far, server ? GNUTLS_KP_TLS_WWW_SERVER : GNUTLS_KP_TLS_WWW_CLIENT);
        peer.insecure = i == 2; /* accepts any certificate */
        ask.url = far.url;
        ask.peer = &peer;
        ask.headers = token;
        ty_http_client_start(w.client, &ask);
        uv_run(&w.loop, UV_RUN_DEFAULT);
        assert_int_equal(h.ends, 1);
        assert_int_equal(h.whole, i > 0);
        assert_int_equal(far.requests, i);
        if (i == 0)
            assert_has(h.text, "purpose");
        ty_http_client_renew(w.client); /* the next call opens a new connection */
        ty_buf_done(&h.body);
    }
    web_finish(&w);
    far_stop(&far);
}

/* Nor if a redirect from plain HTTP leads to it. */
static void nor_after_a_redirect(void **state)
{
    static const char *answers[] = { NULL, NULL };
    char answer[256];
    struct web_world w;
    struct web_heard h = { 0 };
    struct ty_far far = { 0 };
    (void)state;
    far_start(&far, "http/1.1");
    far_certify_for(&far, GNUTLS_KP_TLS_WWW_CLIENT);
    snprintf(answer, sizeof(answer),
             "HTTP/1.1 302 Found\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n", far.url);
    answers[0] = answer;
    web_begin(&w, answers);
    struct ty_http_client_peer peer = { .proxy = "", .ca_file = far.ca };
    struct ty_http_client_request ask = web_ask_of(&w, &h);
    ask.peer = &peer;
    ask.redirects = true;
    ty_http_client_start(w.client, &ask);
    uv_run(&w.loop, UV_RUN_DEFAULT);
    assert_int_equal(h.ends, 1);
    assert_false(h.whole);
    assert_has(h.text, "purpose");
    assert_int_equal(far.requests, 0);
    ty_buf_done(&h.body);
    web_finish(&w);
    far_stop(&far);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(request_and_answer),
        cmocka_unit_test(cut_and_unwanted),
        cmocka_unit_test(from_callbacks),
        cmocka_unit_test(more_calls_than_connections),
        cmocka_unit_test(versions),
        cmocka_unit_test(a_client_is_no_server),
        cmocka_unit_test(nor_after_a_redirect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
