#include "net/http_client_h2_testing.h"

static void request_and_answer(void **state)
{
    static const char *const headers[] = { "X-A: 1", NULL };
    struct call_world w;
    struct call_heard h = { 0 };
    (void)state;
    call_begin(&w, "h2");
    char *url = call_url(&w, "/ok?x=1");
    struct ty_http_client_request ask = call_ask(&w, &h, url);
    ask.method = "PATCH";
    ask.headers = headers;
    ask.body = TY_LIT("{}");
    ty_http_client_start(w.client, &ask);
    free(url);
    call_run(&w); /* ends: an idle connection does not keep the loop going */
    assert_int_equal(h.ends, 1);
    assert_true(h.whole);
    assert_int_equal(h.status, 200);
    assert_string_equal(h.retry, "7");
    ty_buf_chr(&h.body, '\0');
    assert_has(h.body.p, "PATCH /ok?x=1 2 1 127.0.0.1:");
    ty_buf_done(&h.body);
    call_finish(&w);
}

static void over_tls_1_2(void **state)
{
    struct call_world w;
    struct call_heard h = { 0 };
    (void)state;
    call_begin(&w, "h2");
    w.far.priority = "NORMAL:-VERS-ALL:+VERS-TLS1.2";
    call_start(&w, &h, "/big");
    call_run(&w);
    assert_true(h.whole);
    assert_int_equal(h.body.n, BIG_BYTES);
    ty_buf_done(&h.body);
    call_finish(&w);
}

/* Concurrent and consecutive calls use one connection. */
static void one_connection(void **state)
{
    struct call_world w;
    struct call_heard h[120] = { 0 };
    (void)state;
    call_begin(&w, "h2");
    for (size_t i = 0; i < 100; i++)
        call_start(&w, &h[i], "/ok");
    call_run(&w);
    for (size_t i = 100; i < 120; i++) {
        call_start(&w, &h[i], i % 2 ? "/ok" : "/big");
        call_run(&w);
    }
    for (size_t i = 0; i < 120; i++) {
        assert_true(h[i].whole);
        assert_int_equal(h[i].ends, 1);
        ty_buf_done(&h[i].body);
    }
    assert_int_equal(w.far.connections, 1);
    assert_int_equal(w.far.requests, 120);
    call_finish(&w);
}

/* Calls that wait for the connection are sent in the order of their start. */
static void in_order(void **state)
{
    struct call_world w;
    struct call_heard h[20] = { 0 };
    int turns = 0;
    (void)state;
    call_begin(&w, "h2");
    for (size_t i = 0; i < 20; i++) {
        h[i].turns = &turns;
        call_start(&w, &h[i],
                   "/none"); /* its answer is one frame: no body, whose turn is the server's */
    }
    call_run(&w);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(h[i].status, 204);
        assert_int_equal(h[i].turn, i);
    }
    call_finish(&w);
}

/* Calls with another peer or another address do not share the connection. */
static void peers_apart(void **state)
{
    struct call_world w;
    struct call_heard first = { 0 }, second = { 0 }, named = { 0 };
    (void)state;
    call_begin(&w, "h2");
    call_start(&w, &first, "/ok");
    call_run(&w);
    struct ty_http_client_peer other = { .proxy = "", .insecure = true }, elsewhere = w.peer;
    char *url = call_url(&w, "/ok"), to[32], name[64];
    struct ty_http_client_request ask = call_ask(&w, &second, url);
    ask.peer = &other;
    ty_http_client_start(w.client, &ask);
    snprintf(to, sizeof(to), "127.0.0.1:%d", w.far.port);
    elsewhere.to = to;
    snprintf(name, sizeof(name), "https://far.test/ok");
    ask = call_ask(&w, &named, name);
    ask.peer = &elsewhere;
    ty_http_client_start(w.client, &ask);
    call_run(&w);
    assert_true(first.whole && second.whole && named.whole);
    assert_int_equal(w.far.connections, 3);
    ty_buf_chr(&named.body, '\0');
    assert_has(named.body.p, "far.test");
    free(url);
    ty_buf_done(&first.body);
    ty_buf_done(&second.body);
    ty_buf_done(&named.body);
    call_finish(&w);
}

/* The response to a request whose body the server did not read. */
static void refused_unread(void **state)
{
    struct call_world w;
    struct call_heard h = { 0 };
    char *body = calloc(1, BIG_BYTES);
    (void)state;
    call_begin(&w, "h2");
    char *url = call_url(&w, "/early");
    struct ty_http_client_request ask = call_ask(&w, &h, url);
    ask.method = "POST";
    ask.body = (struct ty_str){ body, BIG_BYTES };
    ty_http_client_start(w.client, &ask);
    free(url);
    free(body);
    call_run(&w);
    assert_true(h.whole);
    assert_int_equal(h.status, 401);
    assert_true(h.body.n > 0);
    ty_buf_done(&h.body);
    call_finish(&w);
}

static void from_callbacks(void **state)
{
    struct call_world w;
    struct call_heard cancelled = { .cancel = true }, unwanted = { .stop_at = 1 }, first = { 0 },
                      second = { 0 }, renews = { .renew = true };
    (void)state;
    call_begin(&w, "h2");
    char *url = call_url(&w, "/ok");
    struct ty_http_client_request then = call_ask(&w, &second, url);
    first.then = &then;
    call_start(&w, &cancelled, "/big");
    call_start(&w, &unwanted, "/big");
    call_start(&w, &first, "/ok");
    call_start(&w, &renews, "/big"); /* of which more comes */
    call_run(&w);
    free(url);
    assert_int_equal(cancelled.ends, 0);
    assert_int_equal(unwanted.ends, 1);
    assert_string_equal(unwanted.text, "unwanted");
    assert_true(first.whole && second.whole && renews.whole);
    assert_int_equal(renews.body.n, BIG_BYTES);
    ty_buf_done(&cancelled.body);
    ty_buf_done(&unwanted.body);
    ty_buf_done(&first.body);
    ty_buf_done(&second.body);
    ty_buf_done(&renews.body);
    call_finish(&w);
}

/* A timeout ends a call, and the next call uses a new connection. */
static void silence(void **state)
{
    struct call_world w;
    struct call_heard idle = { 0 }, total = { 0 };
    (void)state;
    call_begin(&w, "h2");
    char *url = call_url(&w, "/silent");
    struct ty_http_client_request ask = call_ask(&w, &idle, url);
    ask.total_ms = 0;
    ask.idle_ms = 50;
    ty_http_client_start(w.client, &ask);
    call_run(&w);
    assert_has(idle.text, "said nothing");
    ask.ctx = &total;
    ask.idle_ms = 0;
    ask.total_ms = 50;
    ty_http_client_start(w.client, &ask);
    call_run(&w);
    assert_has(total.text, "timed out");
    free(url);
    assert_works(&w);
    assert_true(w.far.connections >= 2);
    call_finish(&w);
}

/* A response without data goes on while the peer answers pings. A peer that does not, although its
 * kernel acknowledges every byte, is gone. */
static void silence_of_a_living_peer(void **state)
{
    struct call_world w;
    struct call_heard h = { 0 };
    (void)state;
    call_begin(&w, "h2");
    char *url = call_url(&w, "/silent");
    struct ty_http_client_request ask = call_ask(&w, &h, url);
    ask.total_ms = 0;
    ask.idle_ms = 6000;
    ask.pings = true;
    ty_http_client_start(w.client, &ask);
    while (h.ends == 0 && w.far.pings < 3) /* the third comes after idle_ms */
        uv_run(&w.loop, UV_RUN_ONCE);
    assert_int_equal(h.ends, 0);
    w.far.holds = true;
    call_run(&w);
    assert_int_equal(h.ends, 1);
    assert_has(h.text, "said nothing for 6 s");
    w.far.holds = false;
    free(url);
    assert_works(&w);
    assert_int_equal(w.far.connections, 2);
    call_finish(&w);
}

/* A server without HTTP/2: libcurl is used for these calls and for later ones. */
static void old_server(void **state)
{
    struct call_world w;
    struct call_heard h[3] = { 0 };
    (void)state;
    call_begin(&w, "http/1.1");
    call_start(&w, &h[0], "/");
    call_start(&w, &h[1], "/");
    call_run(&w);
    int before = w.far.connections;
    call_start(&w, &h[2], "/");
    call_run(&w);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(h[i].ends, 1);
        assert_true(h[i].whole);
        assert_true(ty_str_is(ty_buf_str(&h[i].body), "old"));
        ty_buf_done(&h[i].body);
    }
    assert_true(w.far.connections <= before + 1);
    call_finish(&w);
}

/* A server that supports HTTP/2 when a call starts, and no longer when its connection is lost. */
static void no_longer(void **state)
{
    struct call_world w;
    struct call_heard under_way = { 0 }, next = { 0 };
    (void)state;
    call_begin(&w, "h2");
    call_start(&w, &under_way, "/silent");
    while (w.far.requests == 0)
        uv_run(&w.loop, UV_RUN_NOWAIT);
    w.far.alpn = NULL;
    ty_http_client_renew(w.client);
    call_start(&w, &next, "/");
    while (next.ends == 0)
        uv_run(&w.loop, UV_RUN_ONCE);
    assert_true(next.whole);
    assert_int_equal(under_way.ends, 0);
    w.far.stop = true; /* ends connections; new ones are answered as ever */
    call_run(&w);
    assert_int_equal(under_way.ends, 1);
    ty_buf_done(&under_way.body);
    ty_buf_done(&next.body);
    call_finish(&w);
}

static void nobody_there(void **state)
{
    struct call_world w;
    struct call_heard h[2] = { 0 };
    (void)state;
    call_begin(&w, "h2");
    for (size_t i = 0; i < 2; i++) {
        struct ty_http_client_request ask = call_ask(&w, &h[i], "https://127.0.0.1:1/x");
        ty_http_client_start(w.client, &ask);
    }
    call_run(&w);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(h[i].ends, 1);
        assert_int_equal(h[i].status, 0);
        assert_has(h[i].text, "Connection refused");
    }
    call_finish(&w);
}

/* Several calls end with their connection, and each renews the client. */
static void renewed_when_lost(void **state)
{
    struct call_world w;
    struct call_heard h[4] = { 0 };
    (void)state;
    call_begin(&w, "h2");
    char *url = call_url(&w, "/ok");
    struct ty_http_client_request then = call_ask(&w, &h[3], url);
    h[1].then = &then;
    for (size_t i = 0; i < 2; i++) {
        h[i].renew = true;
        call_order(&w, &h[i], "DELETE", "/silent"); /* a GET would be asked again */
    }
    while (w.far.requests < 2)
        uv_run(&w.loop, UV_RUN_NOWAIT);
    call_start(&w, &h[2], "/cut");
    call_run(&w);
    free(url);
    assert_false(h[2].whole);
    assert_true(h[0].ends == 1 && h[1].ends == 1 && h[2].ends == 1 && h[3].ends == 1);
    assert_true(h[3].whole);
    for (size_t i = 0; i < 4; i++)
        ty_buf_done(&h[i].body);
    call_finish(&w);
}

static void freed_with_calls_under_way(void **state)
{
    struct call_world w;
    struct call_heard h = { 0 };
    (void)state;
    call_begin(&w, "h2");
    call_start(&w, &h, "/silent");
    ty_http_client_cancel(call_start(&w, &h, "/silent"));
    uv_run(&w.loop, UV_RUN_NOWAIT);
    ty_http_client_renew(w.client);
    call_start(&w, &h, "/silent");
    uv_run(&w.loop, UV_RUN_NOWAIT);
    call_finish(&w);
    assert_int_equal(h.ends, 0);
    ty_buf_done(&h.body);
}

/* Renewed while calls are running: they stay on the old connection, which is closed with its last
 * call; later calls use a new one. */
static void renewed(void **state)
{
    struct call_world w;
    struct call_heard silent = { 0 }, after = { 0 };
    (void)state;
    call_begin(&w, "h2");
    struct ty_http_client_call *call = call_start(&w, &silent, "/silent");
    while (w.far.requests == 0)
        uv_run(&w.loop, UV_RUN_NOWAIT);
    ty_http_client_renew(w.client);
    call_start(&w, &after, "/ok");
    while (after.ends == 0)
        uv_run(&w.loop, UV_RUN_ONCE);
    assert_int_equal(w.far.connections, 2);
    assert_int_equal(silent.ends, 0);
    ty_http_client_cancel(call);
    call_run(&w);
    ty_buf_done(&after.body);
    call_finish(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(request_and_answer),
        cmocka_unit_test(over_tls_1_2),
        cmocka_unit_test(one_connection),
        cmocka_unit_test(in_order),
        cmocka_unit_test(peers_apart),
        cmocka_unit_test(refused_unread),
        cmocka_unit_test(from_callbacks),
        cmocka_unit_test(silence),
        cmocka_unit_test(silence_of_a_living_peer),
        cmocka_unit_test(old_server),
        cmocka_unit_test(no_longer),
        cmocka_unit_test(nobody_there),
        cmocka_unit_test(renewed_when_lost),
        cmocka_unit_test(freed_with_calls_under_way),
        cmocka_unit_test(renewed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
