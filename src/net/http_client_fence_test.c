/* Fenced calls, with a fence that closes at every point where they can wait: no more bytes reach
 * the server, and each call ends once with `fenced`. */
#include "net/http_client_h2_testing.h"

#define CALLS 12

struct fence_world {
    struct call_world c;
    bool closed;
    int asked;         /* how often the fence was */
    int until_heard;   /* closed when the server has heard of so many requests; 0: not by itself */
    bool blinks;       /* closed for who asks next, and open again after that */
    uint64_t until_ms; /* closed at this time of the loop; 0: not by itself */
    int received;      /* by the server, when the fence was found closed first */
    int64_t total_ms;  /* of calls; 0: long enough */
    struct call_heard h[CALLS];
};

static bool is_open(void *ctx)
{
    struct fence_world *w = ctx;
    bool blinks = w->blinks;
    w->asked++;
    w->blinks = false;
    if (w->until_ms && uv_now(&w->c.loop) >= w->until_ms && !w->closed) {
        w->closed = true;
        w->received = far_received(&w->c.far);
    }
    return !blinks && !w->closed && (!w->until_heard || w->c.far.requests < w->until_heard);
}

static void on_end(void *ctx, struct ty_http_client_call *call,
                   const struct ty_http_client_result *end)
{
    call_on_end(ctx, call, end);
    if (end->fenced)
        snprintf(((struct call_heard *)ctx)->retry, 16, "fenced");
}

static void start_far(struct fence_world *w, const char *alpn, uint32_t window)
{
    struct ty_http_client_settings s = {
        .loop = &w->c.loop,
        .agent = "tester",
        .connect_ms = 20000,
        .dead_ms = 20000,
        .fence = { .open = is_open, .ctx = w, .unacked_ms = 20000 },
        .h2 = strcmp(alpn, "h2") == 0,
        .http1 = true,
        .connections = 2
    };
    struct ty_err err = { 0 };

    memset(w, 0, sizeof(*w));
    call_begin(&w->c, alpn);
    ty_http_client_free(w->c.client);
    w->c.far.window = window;
    assert_int_equal(ty_http_client_new(&w->c.client, &s, &err), 0);
}

static void finish(struct fence_world *w)
{
    for (size_t i = 0; i < CALLS; i++)
        ty_buf_done(&w->h[i].body);
    call_finish(&w->c);
}

static struct ty_http_client_call *write_to(struct fence_world *w, int i, const char *path,
                                            size_t bytes)
{
    char *url = call_url(&w->c, path), *body = calloc(1, bytes);
    struct ty_http_client_request ask = call_ask(&w->c, &w->h[i], url);
    assert_non_null(body);
    ask.method = "PATCH";
    ask.end = on_end;
    ask.body = (struct ty_str){ body, bytes };
    if (w->total_ms)
        ask.total_ms = w->total_ms;
    struct ty_http_client_call *call = ty_http_client_start(w->c.client, &ask);
    free(url);
    free(body);
    return call;
}

static void greet(struct fence_world *w)
{
    struct call_heard hello = { 0 };
    call_start(&w->c, &hello, "/ok");
    call_run(&w->c);
    assert_true(hello.whole);
    ty_buf_done(&hello.body);
    w->c.far.requests = 0;
}

/* Runs until no more bytes are passed to the kernel, although there are more to send. */
static void until_it_waits(struct fence_world *w)
{
    for (int quiet = 0, before = w->asked; quiet < 20; before = w->asked) {
        uv_run(&w->c.loop, UV_RUN_NOWAIT);
        poll(NULL, 0, 2);
        quiet = w->asked == before && before > 0 ? quiet + 1 : 0;
    }
}

/* The server reads again; n calls must have ended with `fenced`, because the fence is or was
 * closed. */
static void check_told(struct fence_world *w, int n)
{
    w->c.far.holds = false;
    call_run(&w->c);
    for (int i = 0; i < n; i++) {
        assert_int_equal(w->h[i].ends, 1);
        assert_false(w->h[i].whole);
        assert_string_equal(w->h[i].retry, "fenced");
        assert_string_equal(w->h[i].text, TY_FENCE_CLOSED);
    }
    w->closed = false;
    w->until_heard = 0;
    assert_works(&w->c); /* it may open again */
}

static void check_fenced(struct fence_world *w, int n)
{
    w->closed = true;
    check_told(w, n);
}

static void waiting_for_the_handshake(void **state)
{
    static const char *const ways[] = { "h2", "http/1.1" };
    (void)state;
    for (int way = 0; way < 2; way++) {
        struct fence_world w;
        start_far(&w, ways[way], 0);
        w.c.far.holds = true;
        for (int i = 0; i < CALLS; i++) /* over HTTP/1.1 most of them wait for a connection */
            write_to(&w, i, "/ok", 100);
        until_it_waits(&w);
        check_fenced(&w, CALLS);
        assert_int_equal(w.c.far.requests, 1); /* the one that works */
        finish(&w);
    }
}

/* The server's window or the kernel's buffers are full: a part of one write is sent, the others
 * wait. */
static void waiting_for_room(void **state)
{
    static const struct {
        const char *way;
        uint32_t window;
    } cases[] = { { "h2", 0 }, { "h2", 1 << 30 }, { "http/1.1", 0 } };
    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct fence_world w;
        start_far(&w, cases[i].way, cases[i].window);
        greet(&w);
        w.c.far.holds = true;
        w.asked = 0;
        for (int k = 0; k < 3; k++)
            write_to(&w, k, "/ok", (size_t)16 << 20);
        until_it_waits(&w);
        check_fenced(&w, 3);
        if (strcmp(cases[i].way, "h2") == 0) /* over HTTP/1.1 every piece is counted */
            assert_int_equal(w.c.far.requests, 1);
        far_wait_for_reset(&w.c.far);
        finish(&w);
    }
}

/* A request that the server did not process is sent again, but not when the fence is closed. */
static void sent_again(void **state)
{
    static const char *const paths[] = { "/goaway", "/refused" };
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct fence_world w;
        start_far(&w, "h2", 0);
        w.until_heard = 1;
        write_to(&w, 0, paths[i], 100);
        while (w.h[0].ends == 0)
            uv_run(&w.c.loop, UV_RUN_ONCE);
        assert_int_equal(w.c.far.requests, 1);
        assert_int_equal(w.c.far.connections, 1);
        check_fenced(&w, 1);
        finish(&w);
    }
}

/* By ty_http_client_reset: no callbacks, and the server sees a reset. */
static void reset(void **state)
{
    static const char *const ways[] = { "h2", "http/1.1" };
    (void)state;
    for (int way = 0; way < 2; way++) {
        struct fence_world w;
        start_far(&w, ways[way], 0);
        greet(&w);
        w.c.far.holds = true;
        for (int i = 0; i < CALLS; i++)
            write_to(&w, i, "/silent", 100);
        until_it_waits(&w);
        ty_http_client_reset(w.c.client);
        w.c.far.holds = false;
        call_run(&w.c); /* nothing keeps it going */
        for (int i = 0; i < CALLS; i++)
            assert_int_equal(w.h[i].ends, 0);
        assert_works(&w.c);
        far_wait_for_reset(&w.c.far);
        finish(&w);
    }
}

static int ends(const struct fence_world *w)
{
    int n = 0;
    for (int i = 0; i < CALLS; i++)
        n += w->h[i].ends;
    return n;
}

/* ty_http_client_reset from the `end` of a call, after a response or a timeout. */
static void reset_from_an_end(void **state)
{
    static const char *const ways[] = { "h2", "http/1.1" };
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct fence_world w;
        start_far(&w, ways[i / 2], 0);
        greet(&w);
        w.c.far.holds = i % 2;
        w.total_ms = i % 2 ? 50 : 0;
        for (int k = 0; k < CALLS; k++) {
            w.h[k].reset = true;
            write_to(&w, k, "/ok", 100);
        }
        call_run(&w.c);
        assert_int_equal(ends(&w), 1); /* no callbacks for the others */
        w.c.far.holds = false;
        assert_works(&w.c);
        far_wait_for_reset(&w.c.far);
        finish(&w);
    }
}

/* The fence was closed when it was checked, and is open again when the calls end. */
static void open_again_at_once(void **state)
{
    struct fence_world w;
    (void)state;
    start_far(&w, "http/1.1", 0);
    greet(&w);
    w.c.far.holds = true;
    for (int i = 0; i < CALLS; i++)
        write_to(&w, i, "/ok", 100);
    until_it_waits(&w);
    w.blinks = true;
    check_told(&w, CALLS);
    finish(&w);
}

enum how { FREED, CANCELLED, RENEWED, OUT_OF_TIME, HOWS };

/* A call that the server has and does not answer; then the fence is closed. */
static struct ty_http_client_call *begin_one(struct fence_world *w, enum how how)
{
    if (how == OUT_OF_TIME) { /* both at once */
        w->total_ms = 300;
        w->until_ms = uv_now(&w->c.loop) + 300;
    }
    struct ty_http_client_call *call = write_to(w, 0, "/ok", 100);
    if (how == OUT_OF_TIME) {
        while (!w->h[0].ends)
            uv_run(&w->c.loop, UV_RUN_ONCE);
        return NULL;
    }
    until_it_waits(w);
    w->closed = true;
    w->received = far_received(&w->c.far);
    return call;
}

/* A call or connection that is dropped while the fence is closed sends nothing more, not even
 * close-notify. Over HTTP/1.1 one connection has a call, another has none. */
static void nothing_is_sent_when_it_is_dropped(void **state)
{
    static const char *const ways[] = { "h2", "http/1.1" };
    (void)state;
    for (int i = 0; i < 2 * HOWS; i++) {
        struct fence_world w;
        enum how how = i % HOWS;
        start_far(&w, ways[i / HOWS], 0);
        write_to(&w, 1, "/ok", 100);
        greet(&w);
        w.c.far.holds = true;
        struct ty_http_client_call *call = begin_one(&w, how);
        if (how == CANCELLED || how == RENEWED)
            ty_http_client_cancel(call);
        if (how == RENEWED)
            ty_http_client_renew(w.c.client);
        if (how != FREED)
            call_run(&w.c);
        ty_http_client_free(w.c.client);
        w.c.client = NULL;
        call_run(&w.c);
        far_wait_for_ends(&w.c.far, w.c.far.connections);
        assert_int_equal(far_received(&w.c.far), w.received);
        w.c.far.holds = false;
        finish(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiting_for_the_handshake),
        cmocka_unit_test(waiting_for_room),
        cmocka_unit_test(sent_again),
        cmocka_unit_test(reset),
        cmocka_unit_test(reset_from_an_end),
        cmocka_unit_test(open_again_at_once),
        cmocka_unit_test(nothing_is_sent_when_it_is_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
