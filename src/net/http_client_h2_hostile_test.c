/* Calls to servers that close, violate the protocol, refuse or stop reading. */
#include "net/http_client_h2_testing.h"

#include <sys/resource.h>

#define STALL_BYTES ((size_t)32 << 20) /* more than kernels keep for a connection */

/* Requests that the server has not processed are sent again, over the same or a new connection. */
static void asked_again(void **state)
{
    struct call_world w;
    struct call_heard refused = { 0 }, goaway = { 0 };
    (void)state;
    call_begin(&w, "h2");
    call_start(&w, &refused, "/refused");
    call_run(&w);
    assert_true(refused.whole);
    assert_int_equal(w.far.connections, 1);
    call_start(&w, &goaway, "/goaway");
    call_run(&w);
    assert_true(goaway.whole);
    assert_int_equal(goaway.status, 200);
    assert_int_equal(w.far.connections, 2);
    ty_buf_done(&refused.body);
    ty_buf_done(&goaway.body);
    call_finish(&w);
}

/* Requests that the server may have processed are not sent again, except a GET without a response,
 * up to three times. */
static void not_asked_again(void **state)
{
    struct call_world w;
    struct call_heard cut = { 0 }, reset = { 0 }, post = { 0 }, get = { 0 };
    (void)state;
    call_begin(&w, "h2");
    call_start(&w, &reset, "/reset");
    call_start(&w, &cut, "/cut");
    call_run(&w);
    assert_false(cut.whole);
    assert_int_equal(cut.status, 200);
    assert_has(cut.text, "the server closed the connection");
    assert_false(reset.whole);
    assert_int_equal(w.far.requests, 2);
    call_order(&w, &post, "POST", "/close");
    call_run(&w);
    assert_int_equal(post.ends, 1);
    assert_false(post.whole);
    assert_int_equal(post.status, 0);
    assert_int_equal(w.far.requests, 3);
    call_start(&w, &get, "/close");
    call_run(&w);
    assert_int_equal(get.ends, 1);
    assert_false(get.whole);
    assert_int_equal(w.far.requests, 6);
    assert_works(&w);
    ty_buf_done(&cut.body);
    ty_buf_done(&reset.body);
    call_finish(&w);
}

/* A connection whose server violates the protocol is abandoned with its requests. */
static void breaks_the_protocol(void **state)
{
    struct call_world w;
    struct call_heard silent = { 0 }, breaks = { 0 };
    (void)state;
    call_begin(&w, "h2");
    call_order(&w, &silent, "DELETE", "/silent"); /* a GET would be asked again */
    while (w.far.requests == 0)
        uv_run(&w.loop, UV_RUN_NOWAIT);
    call_start(&w, &breaks, "/break");
    call_run(&w);
    assert_has(silent.text, "does not keep to HTTP/2");
    assert_has(breaks.text, "does not keep to HTTP/2");
    assert_int_equal(w.far.requests, 4);
    assert_works(&w);
    call_finish(&w);
}

/* A close-notify in the middle of a response does not make it whole. */
static void bye_in_an_answer(void **state)
{
    struct call_world w;
    struct call_heard h = { 0 };
    (void)state;
    call_begin(&w, "h2");
    call_start(&w, &h, "/bye");
    call_run(&w);
    assert_int_equal(h.status, 200);
    assert_true(h.body.n > 0);
    assert_false(h.whole);
    assert_has(h.text, "closed the connection");
    ty_buf_done(&h.body);
    call_finish(&w);
}

/* The connection ends before HTTP begins: a GET is retried a few times; a POST is not, because the
 * server may have processed it. */
static void hangs_up(void **state)
{
    struct call_world w;
    struct call_heard get = { 0 }, post = { 0 };
    (void)state;
    call_begin(&w, "h2");
    w.far.hangs_up = true;
    call_start(&w, &get, "/ok");
    call_run(&w);
    assert_int_equal(get.ends, 1);
    assert_false(get.whole);
    assert_int_equal(w.far.connections, 3);
    call_order(&w, &post, "POST", "/ok");
    call_run(&w);
    assert_int_equal(post.ends, 1);
    assert_false(post.whole);
    assert_int_equal(w.far.connections, 4);
    w.far.hangs_up = false;
    assert_works(&w);
    call_finish(&w);
}

/* A server that stops reading, with a window that allows everything: unsent bytes stay in the
 * kernel and in one record, not in more memory of ours, until the timeout. */
static void stops_reading(void **state)
{
    struct call_world w;
    struct call_heard stalled = { 0 }, waits = { 0 };
    char *body = calloc(1, STALL_BYTES);
    (void)state;
    call_begin(&w, "h2");
    w.far.window = INT32_MAX;
    char *url = call_url(&w, "/stall");
    struct ty_http_client_request ask = call_ask(&w, &stalled, url);
    ask.method = "POST";
    ask.body = (struct ty_str){ body, STALL_BYTES };
    ask.total_ms = 3000;
    ty_http_client_start(w.client, &ask);
    ask.ctx = &waits;
    ty_http_client_start(w.client, &ask);
    free(url);
    free(body);
    call_run(&w);
    assert_has(stalled.text, "timed out");
    assert_has(waits.text, "timed out");
    assert_works(&w);
    assert_int_equal(w.far.connections, 2);
    call_finish(&w);
}

/* No file descriptor is left for a connection: the call fails, and a later one works. */
static void no_descriptors(void **state)
{
    struct call_world w;
    struct call_heard h = { 0 };
    struct rlimit before, now;
    (void)state;
    call_begin(&w, "h2");
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    int least = dup(0); /* the lowest that is free */
    close(least);
    now = (struct rlimit){ (rlim_t)least, before.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &now), 0);
    call_start(&w, &h, "/ok");
    call_run(&w);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(h.ends, 1);
    assert_has(h.text, "Too many open files");
    assert_works(&w);
    call_finish(&w);
}

/* An `end` callback cancels other calls: one with a response in progress, and one of the same lost
 * connection. */
static void ends_that_cancel(void **state)
{
    struct call_world w;
    struct call_heard h[6] = { 0 };
    (void)state;
    call_begin(&w, "h2");
    h[0].drops[0] = call_start(&w, &h[1], "/big");
    h[0].drops[1] = call_start(&w, &h[2], "/silent");
    call_start(&w, &h[0], "/ok");
    call_run(&w);
    assert_true(h[0].whole);
    call_start(&w, &h[3], "/cut"); /* ends first, as the oldest */
    h[3].drops[0] = call_start(&w, &h[4], "/silent");
    h[3].drops[1] = call_start(&w, &h[5], "/silent");
    call_run(&w);
    assert_int_equal(h[3].ends, 1);
    assert_false(h[3].whole);
    assert_int_equal(h[1].ends + h[2].ends + h[4].ends + h[5].ends, 0);
    for (size_t i = 0; i < 6; i++)
        ty_buf_done(&h[i].body);
    call_finish(&w);
}

/* A server that limits concurrent streams. Calls wait for short calls, but use another connection
 * if watches take all streams. */
static void few_streams(void **state)
{
    struct call_world w;
    struct call_heard watches[2] = { 0 }, after = { 0 }, many[9] = { 0 };
    struct ty_http_client_call *calls[2];
    (void)state;
    call_begin(&w, "h2");
    w.far.streams = 2;
    for (size_t i = 0; i < 9; i++)
        call_start(&w, &many[i], "/ok");
    call_run(&w);
    for (size_t i = 0; i < 9; i++) {
        assert_true(many[i].whole);
        ty_buf_done(&many[i].body);
    }
    assert_int_equal(w.far.connections, 1);
    char *url = call_url(&w, "/silent");
    for (size_t i = 0; i < 2; i++) {
        struct ty_http_client_request ask = call_ask(&w, &watches[i], url);
        ask.total_ms = 0;
        ask.idle_ms = 600000;
        calls[i] = ty_http_client_start(w.client, &ask);
    }
    free(url);
    while (w.far.requests < 11)
        uv_run(&w.loop, UV_RUN_NOWAIT);
    call_start(&w, &after, "/ok");
    while (after.ends == 0)
        uv_run(&w.loop, UV_RUN_ONCE);
    assert_true(after.whole);
    assert_int_equal(w.far.connections, 2);
    assert_int_equal(watches[0].ends + watches[1].ends, 0);
    ty_http_client_cancel(calls[0]);
    ty_http_client_cancel(calls[1]);
    call_run(&w);
    ty_buf_done(&after.body);
    call_finish(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asked_again),
        cmocka_unit_test(not_asked_again),
        cmocka_unit_test(breaks_the_protocol),
        cmocka_unit_test(bye_in_an_answer),
        cmocka_unit_test(hangs_up),
        cmocka_unit_test(stops_reading),
        cmocka_unit_test(no_descriptors),
        cmocka_unit_test(ends_that_cancel),
        cmocka_unit_test(few_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
