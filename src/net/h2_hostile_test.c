/* Servers that are old, overloaded, shutting down, or hostile. */
#include "net/h2_near_testing.h"

#include <errno.h>

/* A frame that the far end would not send. */
static int raw(struct near_world *w, uint8_t type, uint8_t flags, uint32_t id,
               struct ty_str payload)
{
    ty_auto_buf b = { 0 };
    struct ty_err err = { 0 };
    const unsigned char head[] = {
        (unsigned char)(payload.n >> 16),
        (unsigned char)(payload.n >> 8),
        (unsigned char)payload.n,
        type,
        flags,
        (unsigned char)(id >> 24),
        (unsigned char)(id >> 16),
        (unsigned char)(id >> 8),
        (unsigned char)id,
    };
    ty_buf_put(&b, (const char *)head, sizeof(head));
    ty_buf_add(&b, payload);
    return ty_h2_feed(w->h2, ty_buf_str(&b), &err);
}

static void limit(struct near_world *w, int32_t what, uint32_t value)
{
    nghttp2_settings_entry e = { what, value };
    assert_int_equal(nghttp2_submit_settings(w->link.h2, NGHTTP2_FLAG_NONE, &e, 1), 0);
    near_carry(w);
}

/* A connection whose server violates the protocol is abandoned at once, with all its requests. */
static void breaks_the_protocol(void **state)
{
    static const struct {
        const char *what;
        uint8_t type, flags;
        uint32_t id;
        struct ty_str payload;
    } cases[] = {
        { "data of no stream", NGHTTP2_DATA, 0, 0, { "x", 1 } },
        { "data of a stream that nobody asked for", NGHTTP2_DATA, 0, 99, { "x", 1 } },
        { "a stream of its own", NGHTTP2_HEADERS, 4, 2, { "\x88", 1 } },
        { "a promise", NGHTTP2_PUSH_PROMISE, 4, 1, { "\0\0\0\2\x88", 5 } },
        { "settings of half an entry", NGHTTP2_SETTINGS, 0, 0, { "\0\1\0", 3 } },
        { "a window of more than all", NGHTTP2_SETTINGS, 0, 0, { "\0\4\xff\xff\xff\xff", 6 } },
        { "headers that are no HPACK", NGHTTP2_HEADERS, 4, 1, { "\xff\xff\xff\xff\xff\xff", 6 } },
        { "no window at all", NGHTTP2_WINDOW_UPDATE, 0, 0, { "\0\0\0\0", 4 } },
        { "a continuation of nothing", NGHTTP2_CONTINUATION, 4, 1, { "\x88", 1 } },
    };
    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct near_world w;
        struct near_heard h = { 0 };
        near_begin(&w);
        near_start(&w, &h, "/silent");
        near_carry(&w);
        assert_false(ty_h2_over(w.h2));
        int r = raw(&w, cases[i].type, cases[i].flags, cases[i].id, cases[i].payload);
        while (r == 0 && ty_h2_take(w.h2).n) /* the error is sent to the server */
            ;
        if (r == 0 && !ty_h2_over(w.h2))
            fail_msg("%s: it goes on", cases[i].what);
        assert_false(ty_h2_open(w.h2));
        near_finish(&w);
    }
}

/* Every PING and SETTINGS needs an acknowledgment: a server that does not read them must not fill
 * our memory. */
static void floods(void **state)
{
    static const struct {
        uint8_t type;
        struct ty_str payload;
    } cases[] = { { NGHTTP2_PING, { "12345678", 8 } }, { NGHTTP2_SETTINGS, { "", 0 } } };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct near_world w;
        struct near_heard h = { 0 };
        int n = 0;
        near_begin(&w);
        near_start(&w, &h, "/silent");
        near_carry(&w);
        while (n < 100000 && raw(&w, cases[i].type, 0, 0, cases[i].payload) == 0)
            n++;
        assert_true(n < 100000);
        near_finish(&w);
    }
}

/* Endless CONTINUATION frames. */
static void continuations(void **state)
{
    struct near_world w;
    struct near_heard h = { 0 };
    int n = 0;
    (void)state;
    near_begin(&w);
    near_start(&w, &h, "/silent");
    near_carry(&w);
    int r = raw(&w, NGHTTP2_HEADERS, 0, (uint32_t)h.id, TY_LIT("\x88"));
    for (; n < 100000 && r == 0 && !ty_h2_over(w.h2); n++) {
        r = raw(&w, NGHTTP2_CONTINUATION, 0, (uint32_t)h.id, TY_LIT("\x0f\x01\x01x"));
        while (r == 0 && ty_h2_take(w.h2).n)
            ;
    }
    assert_true(n < 100000);
    near_finish(&w);
}

/* A header of 4 kB in the HPACK table, referenced 12000 times: 16 kB are decoded to 48 MB. */
static void a_head_that_swells(void **state)
{
    struct near_world w;
    struct near_heard h = { 0 };
    ty_auto_buf b = { 0 };
    (void)state;
    near_begin(&w);
    near_start(&w, &h, "/silent");
    near_carry(&w);
    ty_buf_cstr(&b, "\x88\x40\x01x\x7f\xa1\x1e"); /* :status 200; x: 4000 bytes */
    for (size_t i = 0; i < 4000; i++)
        ty_buf_chr(&b, 'v');
    for (size_t i = 0; i < 12000; i++)
        ty_buf_chr(&b, '\xbe');
    assert_int_equal(raw(&w, NGHTTP2_HEADERS, 5, (uint32_t)h.id, ty_buf_str(&b)), 0);
    assert_int_equal(h.how, TY_H2_WHOLE);
    assert_int_equal(h.headers, 12002);
    near_finish(&w);
}

/* Streams are reset: only one error code means that the request was not processed. */
static void codes(void **state)
{
    struct near_world w;
    (void)state;
    near_begin(&w);
    for (int code = NGHTTP2_NO_ERROR; code <= NGHTTP2_HTTP_1_1_REQUIRED; code++) {
        struct near_heard h = { 0 };
        char path[16];
        snprintf(path, sizeof(path), "/rst=%d", code);
        near_start(&w, &h, path);
        near_carry(&w);
        assert_int_equal(h.ends, 1);
        assert_int_equal(h.how, code == NGHTTP2_REFUSED_STREAM ? TY_H2_REFUSED : TY_H2_TRUNCATED);
    }
    assert_true(ty_h2_open(w.h2));
    near_finish(&w);
}

/* As an API server shuts down: a GOAWAY for new streams first; running streams are completed. */
static void a_goodbye_in_two_steps(void **state)
{
    struct near_world w;
    struct near_heard watch = { 0 }, late = { 0 };
    (void)state;
    near_begin(&w);
    near_start(&w, &watch, "/big");
    near_there(&w);
    assert_int_equal(nghttp2_submit_shutdown_notice(w.link.h2), 0);
    near_carry(&w);
    assert_int_equal(watch.how, TY_H2_WHOLE);
    assert_int_equal(watch.body.n, BIG_BYTES);
    assert_false(ty_h2_open(w.h2));
    struct ty_h2_request ask = near_ask(&w, &late, "/ok");
    assert_int_equal(ty_h2_start(w.h2, &ask), -EPIPE);
    ty_buf_done(&watch.body);
    near_finish(&w);
}

/* The stream limit drops below the number of open streams, and to 0: waiting requests can be
 * canceled, and are sent when the limit rises. */
static void fewer_streams(void **state)
{
    struct near_world w;
    struct near_heard open = { 0 }, waits = { 0 }, cancelled = { 0 };
    (void)state;
    near_begin(&w);
    near_start(&w, &open, "/silent");
    near_carry(&w);
    limit(&w, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, 1);
    near_start(&w, &waits, "/ok");
    near_start(&w, &cancelled, "/ok");
    near_carry(&w);
    assert_int_equal(waits.sent + waits.ends, 0);
    limit(&w, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, 0);
    ty_h2_cancel(w.h2, cancelled.id);
    ty_h2_cancel(w.h2, open.id);
    near_carry(&w);
    assert_int_equal(waits.sent + waits.ends + open.ends, 0);
    limit(&w, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, 1);
    assert_int_equal(waits.how, TY_H2_WHOLE);
    assert_int_equal(waits.ends, 1);
    assert_int_equal(cancelled.sent + cancelled.ends, 0);
    ty_buf_done(&waits.body);
    near_finish(&w);
}

/* A window of 0 bytes, then of 7: the body is sent in small pieces. */
static void small_windows(void **state)
{
    struct near_world w;
    struct near_heard h = { 0 }, cancelled = { 0 };
    char body[5000] = "";
    (void)state;
    near_begin(&w);
    near_start(&w, &h, "/none");
    limit(&w, NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 0);
    h = (struct near_heard){ 0 };
    struct ty_h2_request ask = near_ask(&w, &h, "/ok"), other = near_ask(&w, &cancelled, "/ok");
    ask.method = other.method = "PATCH";
    ask.body = other.body = (struct ty_str){ body, sizeof(body) };
    assert_true(ty_h2_start(w.h2, &ask) > 0);
    cancelled.id = ty_h2_start(w.h2, &other);
    near_carry(&w);
    assert_int_equal(h.sent, 1);
    assert_int_equal(h.ends, 0);
    ty_h2_cancel(w.h2, cancelled.id);
    limit(&w, NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 7);
    assert_int_equal(h.ends, 1);
    assert_true(ty_str_is(ty_buf_str(&h.body), "PATCH /ok 5000  far:1"));
    ty_buf_done(&h.body);
    near_finish(&w);
}

/* A body whose length differs from Content-Length is not whole; HEAD and 204 have none. */
static void lengths(void **state)
{
    static const struct {
        const char *method, *path, *status;
        enum ty_h2_outcome how;
    } cases[] = {
        { "GET", "/length=3", "200", TY_H2_TRUNCATED },
        { "GET", "/length=3000", "200", TY_H2_TRUNCATED },
        { "HEAD", "/length=7", "200", TY_H2_WHOLE },
        { "GET", "/none", "204", TY_H2_WHOLE },
        { "GET", "/trailers", "200", TY_H2_WHOLE },
    };
    struct near_world w;
    (void)state;
    near_begin(&w);
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct near_heard h = { 0 };
        struct ty_h2_request ask = near_ask(&w, &h, cases[i].path);
        ask.method = cases[i].method;
        assert_true(ty_h2_start(w.h2, &ask) > 0);
        near_carry(&w);
        assert_int_equal(h.ends, 1);
        assert_string_equal(h.status, cases[i].status);
        assert_int_equal(h.how, cases[i].how);
        ty_buf_done(&h.body);
    }
    near_finish(&w);
}

/* Frames for a canceled stream are ignored. */
static void too_late(void **state)
{
    struct near_world w;
    struct near_heard given_up = { 0 }, next = { 0 };
    (void)state;
    near_begin(&w);
    near_start(&w, &given_up, "/big");
    near_there(&w); /* the answer is made */
    ty_h2_cancel(w.h2, given_up.id);
    near_start(&w, &next, "/ok");
    assert_true(next.id > given_up.id);
    near_back(&w, false); /* the whole window of it */
    near_carry(&w);
    assert_int_equal(given_up.ends + given_up.headers, 0);
    assert_int_equal(given_up.body.n, 0);
    assert_int_equal(next.how, TY_H2_WHOLE);
    ty_buf_done(&next.body);
    near_finish(&w);
}

/* `sent` is called with the ty_h2_take that returns the headers, not with the next one. */
static void sent_when_taken(void **state)
{
    struct near_world w;
    struct near_heard first = { 0 }, second = { 0 };
    int before, taken = 0;
    (void)state;
    near_begin(&w);
    near_start(&w, &first, "/silent");
    near_carry(&w);
    before = w.far.requests;
    near_start(&w, &second, "/silent");
    while (w.far.requests == before) {
        struct ty_str s = ty_h2_take(w.h2);
        assert_true(s.n > 0);
        assert_true(nghttp2_session_mem_recv(w.link.h2, (const uint8_t *)s.p, s.n) >= 0);
        taken++;
    }
    assert_int_equal(taken, 1);
    assert_int_equal(second.sent, 1);
    near_finish(&w);
}

static int32_t first_stream = 1;

/* Called by h2.c in place of nghttp2's function. */
int nghttp2_session_client_new(nghttp2_session **ret, const nghttp2_session_callbacks *calls,
                               void *ctx)
{
    int r = nghttp2_session_client_new2(ret, calls, ctx, NULL);
    return r ? r : nghttp2_session_set_next_stream_id(*ret, first_stream);
}

/* The stream ids of a connection run out after 2^30 requests. */
static void numbers_run_out(void **state)
{
    struct near_world w;
    struct near_heard h[3] = { 0 };
    (void)state;
    near_begin(&w);
    ty_h2_free(w.h2);
    first_stream = INT32_MAX - 2;
    w.h2 = ty_h2_new(&near_events);
    first_stream = 1;
    near_start(&w, &h[0], "/ok");
    near_start(&w, &h[1], "/ok");
    struct ty_h2_request ask = near_ask(&w, &h[2], "/ok");
    assert_int_equal(ty_h2_start(w.h2, &ask), -EPIPE);
    assert_false(ty_h2_open(w.h2));
    near_carry(&w);
    assert_int_equal(h[0].how, TY_H2_WHOLE);
    assert_int_equal(h[1].how, TY_H2_WHOLE);
    assert_int_equal(h[1].id, INT32_MAX);
    ty_buf_done(&h[0].body);
    ty_buf_done(&h[1].body);
    near_finish(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(breaks_the_protocol),
        cmocka_unit_test(floods),
        cmocka_unit_test(continuations),
        cmocka_unit_test(a_head_that_swells),
        cmocka_unit_test(codes),
        cmocka_unit_test(a_goodbye_in_two_steps),
        cmocka_unit_test(fewer_streams),
        cmocka_unit_test(small_windows),
        cmocka_unit_test(lengths),
        cmocka_unit_test(too_late),
        cmocka_unit_test(sent_when_taken),
        cmocka_unit_test(numbers_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
