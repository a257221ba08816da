/* Both ends in memory: bytes are carried by hand, so that a test can stop them where it likes. */
#include "net/h2.h"

#include <errno.h>

#include "base/buf.h"
#include "net/h2_testing.h"

struct heard {
    struct ty_buf body;
    char status[8], type[32];
    int sent, headers, ends, cancel_at;
    enum ty_h2_how how;
    char why[128];
    struct ty_h2 *h2; /* to cancel with */
    int32_t id;
    const struct ty_h2_ask *then; /* started from its end */
};

static void on_sent(void *stream)
{
    ((struct heard *)stream)->sent++;
}

static void on_header(void *stream, struct ty_str name, struct ty_str value)
{
    struct heard *h = stream;
    h->headers++;
    if (ty_str_is(name, ":status"))
        snprintf(h->status, sizeof(h->status), "%.*s", TY_ARG(value));
    if (ty_str_is(name, "content-type"))
        snprintf(h->type, sizeof(h->type), "%.*s", TY_ARG(value));
}

static void on_piece(void *stream, struct ty_str piece)
{
    struct heard *h = stream;
    ty_buf_add(&h->body, piece);
    if (h->cancel_at && h->body.n >= (size_t)h->cancel_at)
        ty_h2_cancel(h->h2, h->id);
}

static void on_end(void *stream, enum ty_h2_how how, const char *why)
{
    struct heard *h = stream;
    h->ends++;
    h->how = how;
    snprintf(h->why, sizeof(h->why), "%s", why);
    if (h->then)
        assert_true(ty_h2_start(h->h2, h->then) > 0);
}

struct world {
    struct ty_nghttp2 lib;
    struct ty_h2 *h2;
    struct ty_far far;
    struct far_link link;
};

static void begin(struct world *w)
{
    static const struct ty_h2_events events = { on_sent, on_header, on_piece, on_end };
    struct ty_err err = { 0 };
    memset(w, 0, sizeof(*w));
    assert_int_equal(ty_nghttp2_load(&w->lib, &err), 0);
    w->h2 = ty_h2_new(&w->lib, &events);
    w->link.far = &w->far;
    w->far.connections = 1;
    w->link.h2 = far_session(&w->link, false);
}

static void finish(struct world *w)
{
    ty_h2_free(w->h2);
    far_end(w->link.h2);
    ty_nghttp2_done(&w->lib);
}

/* To the server; bytes. */
static size_t carry_there(struct world *w)
{
    size_t all = 0;
    for (struct ty_str s; (s = ty_h2_take(w->h2)).n; all += s.n)
        assert_true(nghttp2_session_mem_recv(w->link.h2, (const uint8_t *)s.p, s.n) >= 0);
    return all;
}

/* And back, byte for byte if so wished: frames may be cut anywhere. */
static size_t carry_back(struct world *w, bool slowly)
{
    struct ty_err err = { 0 };
    const uint8_t *p;
    size_t all = 0;
    for (ssize_t n; (n = nghttp2_session_mem_send(w->link.h2, &p)) > 0; all += (size_t)n) {
        size_t step = slowly ? 1 : (size_t)n;
        for (size_t i = 0; i < (size_t)n; i += step)
            assert_int_equal(ty_h2_feed(w->h2, (struct ty_str){ (const char *)p + i, step }, &err),
                             0);
    }
    return all;
}

static void carry(struct world *w)
{
    while (carry_there(w) + carry_back(w, false))
        ;
}

static struct ty_h2_ask ask_of(struct world *w, struct heard *h, const char *path)
{
    h->h2 = w->h2;
    return (struct ty_h2_ask){
        .method = "GET", .authority = "far:1", .path = path, .agent = "tester", .stream = h
    };
}

static void start(struct world *w, struct heard *h, const char *path)
{
    struct ty_h2_ask ask = ask_of(w, h, path);
    h->id = ty_h2_start(w->h2, &ask);
    assert_true(h->id > 0);
}

static void request_and_answer(void **state)
{
    static const char *const headers[] = {
        "X-A:  1 ", "Host: other", "Expect: 100-continue", "Connection: close", ": nothing", NULL
    };
    struct world w;
    struct heard h = { 0 };
    (void)state;
    begin(&w);
    struct ty_h2_ask ask = ask_of(&w, &h, "/ok");
    ask.method = "PATCH";
    ask.headers = headers;
    ask.body = TY_LIT("12345");
    assert_true(ty_h2_start(w.h2, &ask) > 0);
    assert_int_equal(h.sent, 0);
    carry_there(&w);
    assert_int_equal(h.sent, 1);
    carry_back(&w, true);
    assert_int_equal(h.ends, 1);
    assert_int_equal(h.how, TY_H2_WHOLE);
    assert_string_equal(h.status, "200");
    assert_string_equal(h.type, "text/x");
    assert_true(ty_str_is(ty_buf_str(&h.body), "PATCH /ok 5 1 other"));
    ty_buf_done(&h.body);
    finish(&w);
}

/* More than the windows that HTTP/2 begins with, both ways. */
static void long_bodies(void **state)
{
    struct world w;
    struct heard up = { 0 }, down = { 0 };
    char *body = calloc(1, BIG_BYTES);
    (void)state;
    begin(&w);
    struct ty_h2_ask ask = ask_of(&w, &up, "/ok");
    ask.method = "POST";
    ask.body = (struct ty_str){ body, BIG_BYTES };
    assert_true(ty_h2_start(w.h2, &ask) > 0);
    start(&w, &down, "/big");
    carry(&w);
    assert_int_equal(up.how, TY_H2_WHOLE);
    assert_true(ty_str_is(ty_buf_str(&up.body), "POST /ok 3145728  far:1"));
    assert_int_equal(down.how, TY_H2_WHOLE);
    assert_int_equal(down.body.n, BIG_BYTES);
    ty_buf_done(&up.body);
    ty_buf_done(&down.body);
    finish(&w);
    free(body);
}

/* The end of the answer is the end, though the request has not been sent whole. */
static void refused_unread(void **state)
{
    struct world w;
    struct heard h = { 0 }, after = { 0 };
    char *body = calloc(1, BIG_BYTES);
    (void)state;
    begin(&w);
    struct ty_h2_ask ask = ask_of(&w, &h, "/early");
    ask.method = "POST";
    ask.body = (struct ty_str){ body, BIG_BYTES };
    assert_true(ty_h2_start(w.h2, &ask) > 0);
    struct ty_str s = ty_h2_take(w.h2); /* the preface, the settings, the head: not the body */
    for (int i = 0; i < 4 && h.sent == 0; i++, s = ty_h2_take(w.h2))
        nghttp2_session_mem_recv(w.link.h2, (const uint8_t *)s.p, s.n);
    if (s.n)
        nghttp2_session_mem_recv(w.link.h2, (const uint8_t *)s.p, s.n);
    carry_back(&w, false);
    assert_int_equal(h.ends, 1);
    assert_int_equal(h.how, TY_H2_WHOLE);
    assert_string_equal(h.status, "401");
    assert_true(h.body.n > 0);
    free(body); /* it lives until the end, not longer */
    start(&w, &after, "/ok");
    carry(&w);
    assert_int_equal(after.how, TY_H2_WHOLE);
    ty_buf_done(&h.body);
    ty_buf_done(&after.body);
    finish(&w);
}

static void broken_off(void **state)
{
    struct world w;
    struct heard reset = { 0 }, refused = { 0 }, hint = { 0 };
    (void)state;
    begin(&w);
    start(&w, &reset, "/reset");
    start(&w, &refused, "/refused");
    carry(&w);
    assert_int_equal(reset.how, TY_H2_CUT);
    assert_has(reset.why, "INTERNAL_ERROR");
    assert_int_equal(refused.how, TY_H2_UNHEARD);
    assert_true(ty_h2_open(w.h2)); /* of one stream, not of the connection */
    start(&w, &hint, "/ok");
    carry(&w);
    assert_int_equal(hint.how, TY_H2_WHOLE);
    ty_buf_done(&reset.body);
    ty_buf_done(&hint.body);
    finish(&w);
}

/* Those before it are answered, those after it have not been looked at, nobody may come. */
static void goodbye(void **state)
{
    struct world w;
    struct heard before = { 0 }, at = { 0 }, after = { 0 }, waits = { 0 }, late = { 0 };
    (void)state;
    begin(&w);
    start(&w, &before, "/ok");
    start(&w, &at, "/goaway");
    start(&w, &after, "/silent");
    carry_there(&w);
    start(&w, &waits, "/ok"); /* not sent when the goodbye comes */
    carry(&w);
    assert_int_equal(before.how, TY_H2_WHOLE);
    assert_int_equal(before.ends, 1);
    assert_int_equal(at.how, TY_H2_UNHEARD);
    assert_int_equal(after.how, TY_H2_UNHEARD);
    assert_int_equal(waits.ends, 1);
    assert_int_equal(waits.how, TY_H2_UNHEARD);
    assert_false(ty_h2_open(w.h2));
    struct ty_h2_ask ask = ask_of(&w, &late, "/ok");
    assert_int_equal(ty_h2_start(w.h2, &ask), -EPIPE);
    ty_buf_done(&before.body);
    finish(&w);
}

static void cancelled(void **state)
{
    struct world w;
    struct heard unsent = { 0 }, silent = { 0 }, piece = { .cancel_at = 1 }, last = { 0 };
    (void)state;
    begin(&w);
    start(&w, &unsent, "/ok");
    ty_h2_cancel(w.h2, unsent.id);
    ty_h2_cancel(w.h2, 99); /* nobody */
    start(&w, &silent, "/silent");
    start(&w, &piece, "/big");
    carry(&w);
    ty_h2_cancel(w.h2, silent.id);
    start(&w, &last, "/ok");
    carry(&w);
    assert_int_equal(unsent.ends + silent.ends + piece.ends, 0);
    assert_int_equal(unsent.sent, 0);
    assert_true(piece.body.n < BIG_BYTES);
    assert_int_equal(last.how, TY_H2_WHOLE);
    ty_buf_done(&piece.body);
    ty_buf_done(&last.body);
    finish(&w);
}

static void begun_at_an_end(void **state)
{
    struct world w;
    struct heard first = { 0 }, second = { 0 };
    (void)state;
    begin(&w);
    struct ty_h2_ask then = ask_of(&w, &second, "/ok");
    first.then = &then;
    start(&w, &first, "/ok");
    carry(&w);
    assert_int_equal(first.ends, 1);
    assert_int_equal(second.ends, 1);
    assert_int_equal(second.how, TY_H2_WHOLE);
    ty_buf_done(&first.body);
    ty_buf_done(&second.body);
    finish(&w);
}

/* 1xx is not the answer. */
static void informational(void **state)
{
    struct world w;
    struct heard h = { 0 };
    (void)state;
    begin(&w);
    start(&w, &h, "/hint");
    carry(&w);
    assert_int_equal(h.how, TY_H2_WHOLE);
    assert_string_equal(h.status, "200");
    assert_int_equal(h.headers, 3);
    ty_buf_done(&h.body);
    finish(&w);
}

static void garbage(void **state)
{
    struct world w;
    struct heard h = { 0 };
    struct ty_err err = { 0 };
    (void)state;
    begin(&w);
    start(&w, &h, "/ok");
    ty_h2_take(w.h2);
    int r = ty_h2_feed(w.h2, TY_LIT("HTTP/1.1 400 Bad Request\r\n\r\n"), &err);
    while (r == 0 && ty_h2_take(w.h2).n) /* it says why, and then it is over */
        ;
    if (r == 0)
        r = ty_h2_feed(w.h2, TY_LIT("x"), &err);
    assert_true(r < 0);
    assert_true(err.text[0]);
    finish(&w);
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
