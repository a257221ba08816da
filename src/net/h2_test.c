#include "net/h2_near_testing.h"

#include <errno.h>

static void request_and_answer(void **state)
{
    static const char *const headers[] = {
        "X-A:  1 ", "Host: other", "Expect: 100-continue", "Connection: close", ": nothing", NULL
    };
    struct near_world w;
    struct near_heard h = { 0 };
    (void)state;
    near_begin(&w);
    struct ty_h2_request ask = near_ask(&w, &h, "/ok");
    ask.method = "PATCH";
    ask.headers = headers;
    ask.body = TY_LIT("12345");
    assert_true(ty_h2_start(w.h2, &ask) > 0);
    assert_int_equal(h.sent, 0);
    near_there(&w);
    assert_int_equal(h.sent, 1);
    near_back(&w, true);
    assert_int_equal(h.ends, 1);
    assert_int_equal(h.how, TY_H2_WHOLE);
    assert_string_equal(h.status, "200");
    assert_string_equal(h.type, "text/x");
    assert_true(ty_str_is(ty_buf_str(&h.body), "PATCH /ok 5 1 other"));
    ty_buf_done(&h.body);
    near_finish(&w);
}

/* Bodies larger than the initial windows, in both directions. */
static void long_bodies(void **state)
{
    struct near_world w;
    struct near_heard up = { 0 }, down = { 0 };
    char *body = calloc(1, BIG_BYTES);
    (void)state;
    near_begin(&w);
    struct ty_h2_request ask = near_ask(&w, &up, "/ok");
    ask.method = "POST";
    ask.body = (struct ty_str){ body, BIG_BYTES };
    assert_true(ty_h2_start(w.h2, &ask) > 0);
    near_start(&w, &down, "/big");
    near_carry(&w);
    assert_int_equal(up.how, TY_H2_WHOLE);
    assert_true(ty_str_is(ty_buf_str(&up.body), "POST /ok 3145728  far:1"));
    assert_int_equal(down.how, TY_H2_WHOLE);
    assert_int_equal(down.body.n, BIG_BYTES);
    ty_buf_done(&up.body);
    ty_buf_done(&down.body);
    near_finish(&w);
    free(body);
}

/* A response ends the stream, although the request's body is not sent completely. */
static void refused_unread(void **state)
{
    struct near_world w;
    struct near_heard h = { 0 }, after = { 0 };
    char *body = calloc(1, BIG_BYTES);
    (void)state;
    near_begin(&w);
    struct ty_h2_request ask = near_ask(&w, &h, "/early");
    ask.method = "POST";
    ask.body = (struct ty_str){ body, BIG_BYTES };
    assert_true(ty_h2_start(w.h2, &ask) > 0);
    struct ty_str s = ty_h2_take(w.h2); /* the preface, the settings, the head: not the body */
    for (int i = 0; i < 4 && h.sent == 0; i++, s = ty_h2_take(w.h2))
        nghttp2_session_mem_recv(w.link.h2, (const uint8_t *)s.p, s.n);
    if (s.n)
        nghttp2_session_mem_recv(w.link.h2, (const uint8_t *)s.p, s.n);
    near_back(&w, false);
    assert_int_equal(h.ends, 1);
    assert_int_equal(h.how, TY_H2_WHOLE);
    assert_string_equal(h.status, "401");
    assert_true(h.body.n > 0);
    free(body); /* it lives until the end, not longer */
    near_start(&w, &after, "/ok");
    near_carry(&w);
    assert_int_equal(after.how, TY_H2_WHOLE);
    ty_buf_done(&h.body);
    ty_buf_done(&after.body);
    near_finish(&w);
}

static void broken_off(void **state)
{
    struct near_world w;
    struct near_heard reset = { 0 }, refused = { 0 }, hint = { 0 };
    (void)state;
    near_begin(&w);
    near_start(&w, &reset, "/reset");
    near_start(&w, &refused, "/refused");
    near_carry(&w);
    assert_int_equal(reset.how, TY_H2_TRUNCATED);
    assert_has(reset.why, "INTERNAL_ERROR");
    assert_int_equal(refused.how, TY_H2_REFUSED);
    assert_true(ty_h2_open(w.h2)); /* of one stream, not of the connection */
    near_start(&w, &hint, "/ok");
    near_carry(&w);
    assert_int_equal(hint.how, TY_H2_WHOLE);
    ty_buf_done(&reset.body);
    ty_buf_done(&hint.body);
    near_finish(&w);
}

/* After GOAWAY, earlier streams are answered, later ones are unprocessed, and new ones are refused.
 */
static void goodbye(void **state)
{
    struct near_world w;
    struct near_heard before = { 0 }, at = { 0 }, after = { 0 }, waits = { 0 }, late = { 0 };
    (void)state;
    near_begin(&w);
    near_start(&w, &before, "/ok");
    near_start(&w, &at, "/goaway");
    near_start(&w, &after, "/silent");
    near_there(&w);
    near_start(&w, &waits, "/ok"); /* not sent when the goodbye comes */
    near_carry(&w);
    assert_int_equal(before.how, TY_H2_WHOLE);
    assert_int_equal(before.ends, 1);
    assert_int_equal(at.how, TY_H2_REFUSED);
    assert_int_equal(after.how, TY_H2_REFUSED);
    assert_int_equal(waits.ends, 1);
    assert_int_equal(waits.how, TY_H2_REFUSED);
    assert_false(ty_h2_open(w.h2));
    struct ty_h2_request ask = near_ask(&w, &late, "/ok");
    assert_int_equal(ty_h2_start(w.h2, &ask), -EPIPE);
    ty_buf_done(&before.body);
    near_finish(&w);
}

static void cancelled(void **state)
{
    struct near_world w;
    struct near_heard unsent = { 0 }, silent = { 0 }, piece = { .cancel_at = 1 }, last = { 0 };
    (void)state;
    near_begin(&w);
    near_start(&w, &unsent, "/ok");
    ty_h2_cancel(w.h2, unsent.id);
    ty_h2_cancel(w.h2, 99); /* no such stream */
    near_start(&w, &silent, "/silent");
    near_start(&w, &piece, "/big");
    near_carry(&w);
    ty_h2_cancel(w.h2, silent.id);
    near_start(&w, &last, "/ok");
    near_carry(&w);
    assert_int_equal(unsent.ends + silent.ends + piece.ends, 0);
    assert_int_equal(unsent.sent, 0);
    assert_true(piece.body.n < BIG_BYTES);
    assert_int_equal(last.how, TY_H2_WHOLE);
    ty_buf_done(&piece.body);
    ty_buf_done(&last.body);
    near_finish(&w);
}

static void begun_at_an_end(void **state)
{
    struct near_world w;
    struct near_heard first = { 0 }, second = { 0 };
    (void)state;
    near_begin(&w);
    struct ty_h2_request then = near_ask(&w, &second, "/ok");
    first.then = &then;
    near_start(&w, &first, "/ok");
    near_carry(&w);
    assert_int_equal(first.ends, 1);
    assert_int_equal(second.ends, 1);
    assert_int_equal(second.how, TY_H2_WHOLE);
    ty_buf_done(&first.body);
    ty_buf_done(&second.body);
    near_finish(&w);
}

/* 1xx is not the final response. */
static void informational(void **state)
{
    struct near_world w;
    struct near_heard h = { 0 };
    (void)state;
    near_begin(&w);
    near_start(&w, &h, "/hint");
    near_carry(&w);
    assert_int_equal(h.how, TY_H2_WHOLE);
    assert_string_equal(h.status, "200");
    assert_int_equal(h.headers, 3);
    ty_buf_done(&h.body);
    near_finish(&w);
}

static void garbage(void **state)
{
    struct near_world w;
    struct near_heard h = { 0 };
    struct ty_err err = { 0 };
    (void)state;
    near_begin(&w);
    near_start(&w, &h, "/ok");
    ty_h2_take(w.h2);
    int r = ty_h2_feed(w.h2, TY_LIT("HTTP/1.1 400 Bad Request\r\n\r\n"), &err);
    while (r == 0 && ty_h2_take(w.h2).n) /* it says why, and then it is over */
        ;
    if (r == 0)
        r = ty_h2_feed(w.h2, TY_LIT("x"), &err);
    assert_true(r < 0);
    assert_true(err.text[0]);
    near_finish(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(request_and_answer),
        cmocka_unit_test(long_bodies),
        cmocka_unit_test(refused_unread),
        cmocka_unit_test(broken_off),
        cmocka_unit_test(goodbye),
        cmocka_unit_test(cancelled),
        cmocka_unit_test(begun_at_an_end),
        cmocka_unit_test(informational),
        cmocka_unit_test(garbage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
