#include "base/buf.h"
#include "net/testing.h"
#include "net/web.h"

#include <errno.h>

struct heard {
    struct ty_web *web;
    struct ty_buf body;
    char text[256], type[64];
    int status, ends, pieces, stop_at;
    bool whole, cancel;
    const struct ty_web_ask *then; /* started from the callbacks */
    bool then_in_piece;
};

static int on_piece(void *ctx, struct ty_web_call *call, struct ty_str piece)
{
    struct heard *h = ctx;
    assert_true(ty_web_status(call) > 0);
    ty_buf_add(&h->body, piece);
    h->pieces++;
    if (h->then && h->then_in_piece) {
        const struct ty_web_ask *then = h->then;
        h->then = NULL;
        ty_web_start(h->web, then);
    }
    if (h->cancel)
        ty_web_cancel(call);
    return h->pieces == h->stop_at ? -EBADMSG : 0;
}

static void on_end(void *ctx, struct ty_web_call *call, const struct ty_web_end *end)
{
    struct heard *h = ctx;
    const char *type = ty_web_header(call, "content-type");
    snprintf(h->type, sizeof(h->type), "%s", type ? type : "");
    snprintf(h->text, sizeof(h->text), "%s", end->text);
    h->status = end->status;
    h->whole = end->whole;
    h->ends++;
    if (h->then) {
        const struct ty_web_ask *then = h->then;
        h->then = NULL;
        ty_web_start(h->web, then);
    }
}

struct world {
    uv_loop_t loop;
    struct ty_web *web;
    struct ty_peer peer;
};

static void begin(struct world *w, const char *const *answers)
{
    struct ty_err err = { 0 };
    struct ty_web_settings s = {
        .loop = &w->loop, .agent = "tester", .connect_ms = 2000, .dead_ms = 2000
    };
    assert_int_equal(uv_loop_init(&w->loop), 0);
    assert_int_equal(ty_web_new(&w->web, &s, &err), 0);
    peer_start(&w->peer, answers);
}

static void finish(struct world *w)
{
    ty_web_free(w->web);
    uv_run(&w->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&w->loop), 0);
    peer_stop(&w->peer);
}

static const struct ty_web_peer direct = { .proxy = "" };

static struct ty_web_ask ask_of(struct world *w, struct heard *h)
{
    h->web = w->web;
    return (struct ty_web_ask){ .method = "GET",
                                .url = w->peer.url,
                                .peer = &direct,
                                .total_ms = 10000,
                                .piece = on_piece,
                                .end = on_end,
                                .ctx = h };
}

static void request_and_answer(void **state)
{
    static const char *const answers[] = {
        "HTTP/1.1 201 Created\r\nContent-Type: text/x\r\nContent-Length: 5\r\n\r\nhello", NULL
    };
    static const char *const headers[] = { "X-Mine: 1", "Content-Type: application/json", NULL };
    struct world w;
    struct heard h = { 0 };
    (void)state;
    begin(&w, answers);
    struct ty_web_ask ask = ask_of(&w, &h);
    ask.method = "PATCH";
    ask.headers = headers;
    ask.body = TY_LIT("{}");
    ty_web_start(w.web, &ask);
    assert_int_equal(h.ends, 0); /* never from within the start */
    uv_run(&w.loop, UV_RUN_DEFAULT);
    assert_int_equal(h.ends, 1);
    assert_int_equal(h.status, 201);
    assert_true(h.whole);
    assert_string_equal(h.type, "text/x");
    assert_true(ty_str_is(ty_buf_str(&h.body), "hello"));
    ty_buf_done(&h.body);
    finish(&w);
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
    struct world w;
    (void)state;
    begin(&w, answers);
    for (int i = 0; i < 3; i++) {
        struct heard h = { .stop_at = i == 1 ? 1 : 0 };
        struct ty_web_ask ask = ask_of(&w, &h);
        ty_web_start(w.web, &ask);
        uv_run(&w.loop, UV_RUN_DEFAULT);
        assert_int_equal(h.ends, 1);
        assert_false(h.whole);
        assert_true(h.text[0]);
        if (i == 1)
            assert_string_equal(h.text, "unwanted");
        ty_buf_done(&h.body);
    }
    finish(&w);
}

static void nobody_there(void **state)
{
    static const char *const answers[] = { NULL };
    struct world w;
    struct heard h = { 0 };
    (void)state;
    begin(&w, answers);
    struct ty_web_ask ask = ask_of(&w, &h);
    ask.url = "http://127.0.0.1:1/";
    ty_web_start(w.web, &ask);
    uv_run(&w.loop, UV_RUN_DEFAULT);
    assert_int_equal(h.ends, 1);
    assert_int_equal(h.status, 0);
    assert_has(h.text, "127.0.0.1");
    finish(&w);
}

/* The peer answers the first line, then waits for us to go away: that is silence. */
static void silence(void **state)
{
    static const char *const answers[] = { "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhe", NULL };
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    socklen_t n = sizeof(at);
    struct world w;
    struct heard h = { 0 };
    char url[64];
    (void)state;
    begin(&w, answers);
    int fd =
        socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); /* accepts in the kernel, says nothing */
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    assert_int_equal(listen(fd, 16), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &n), 0);
    snprintf(url, sizeof(url), "http://127.0.0.1:%d", ntohs(at.sin_port));
    struct ty_web_ask ask = ask_of(&w, &h);
    ask.url = url;
    ask.total_ms = 0;
    ask.idle_ms = 50;
    ty_web_start(w.web, &ask);
    uv_run(&w.loop, UV_RUN_DEFAULT);
    assert_int_equal(h.ends, 1);
    assert_false(h.whole);
    assert_has(h.text, "said nothing");
    ask.idle_ms = 0;
    ask.total_ms = 50;
    ty_web_start(w.web, &ask);
    uv_run(&w.loop, UV_RUN_DEFAULT);
    assert_int_equal(h.ends, 2);
    assert_has(h.text, "timed out");
    close(fd);
    finish(&w);
}

static void from_callbacks(void **state)
{
    static const char *const answers[] = { "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none",
                                           "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\ntwo",
                                           "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nthree",
                                           NULL };
    struct world w;
    struct heard first = { 0 }, second = { 0 }, third = { 0 };
    (void)state;
    begin(&w, answers);
    struct ty_web_ask a = ask_of(&w, &first), b = ask_of(&w, &second), c = ask_of(&w, &third);
    first.then = &b; /* started while libcurl is on the stack */
    first.then_in_piece = true;
    first.cancel = true; /* and cancelled there */
    second.then = &c;    /* started from an end */
    ty_web_start(w.web, &a);
    uv_run(&w.loop, UV_RUN_DEFAULT);
    assert_int_equal(first.ends, 0);
    assert_int_equal(second.ends, 1);
    assert_int_equal(third.ends, 1);
    assert_true(ty_str_is(ty_buf_str(&third.body), "three"));
    ty_buf_done(&first.body);
    ty_buf_done(&second.body);
    ty_buf_done(&third.body);
    finish(&w);
}

static void freed_with_calls_under_way(void **state)
{
    static const char *const answers[] = { NULL };
    struct world w;
    struct heard h = { 0 };
    (void)state;
    begin(&w, answers);
    struct ty_web_ask ask = ask_of(&w, &h);
    ask.idle_ms = 5000;
    ty_web_start(w.web, &ask);
    ty_web_cancel(ty_web_start(w.web, &ask));
    uv_run(&w.loop, UV_RUN_NOWAIT);
    ty_web_renew(w.web);
    ty_web_start(w.web, &ask);
    uv_run(&w.loop, UV_RUN_NOWAIT);
    finish(&w);
    assert_int_equal(h.ends, 0);
}

/* One connection: calls wait for it in their order, and may be cancelled while they do. */
static void more_calls_than_connections(void **state)
{
    static const char *const answers[] = { "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none",
                                           "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\ntwo",
                                           "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nthree",
                                           NULL };
    struct world w;
    struct heard h[4] = { 0 };
    struct ty_web_call *calls[4];
    struct ty_err err = { 0 };
    (void)state;
    begin(&w, answers);
    ty_web_free(w.web);
    struct ty_web_settings s = { .loop = &w.loop,
                                 .agent = "tester",
                                 .connect_ms = 2000,
                                 .dead_ms = 2000,
                                 .http1 = true,
                                 .connections = 1 };
    assert_int_equal(ty_web_new(&w.web, &s, &err), 0);
    for (int i = 0; i < 4; i++) {
        struct ty_web_ask ask = ask_of(&w, &h[i]);
        calls[i] = ty_web_start(w.web, &ask);
    }
    ty_web_cancel(calls[1]);
    uv_run(&w.loop, UV_RUN_DEFAULT);
    assert_int_equal(h[1].ends, 0);
    assert_true(ty_str_is(ty_buf_str(&h[0].body), "one"));
    assert_true(ty_str_is(ty_buf_str(&h[2].body), "two"));
    assert_true(ty_str_is(ty_buf_str(&h[3].body), "three"));
    for (int i = 0; i < 4; i++)
        ty_buf_done(&h[i].body);
    finish(&w);
}

/* The time that a call waits for its turn is part of its own. */
static void waiting_counts(void **state)
{
    static const char *const answers[] = { NULL };
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    socklen_t n = sizeof(at);
    struct world w;
    struct heard first = { 0 }, second = { 0 }, last = { 0 };
    struct ty_err err = { 0 };
    char url[64];
    (void)state;
    begin(&w, answers);
    ty_web_free(w.web);
    struct ty_web_settings s = { .loop = &w.loop,
                                 .agent = "tester",
                                 .connect_ms = 60000,
                                 .dead_ms = 60000,
                                 .http1 = true,
                                 .connections = 1 };
    assert_int_equal(ty_web_new(&w.web, &s, &err), 0);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    assert_int_equal(listen(fd, 16), 0); /* accepts in the kernel, says nothing */
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &n), 0);
    snprintf(url, sizeof(url), "http://127.0.0.1:%d", ntohs(at.sin_port));
    struct ty_web_ask ask = ask_of(&w, &first);
    ask.url = url;
    ask.total_ms = 300;
    ty_web_start(w.web, &ask);
    ask.ctx = &second;
    ty_web_start(w.web, &ask);
    ask.ctx = &last;
    ask.total_ms = 1; /* over long before its turn comes */
    ty_web_start(w.web, &ask);
    uv_run(&w.loop, UV_RUN_DEFAULT);
    assert_int_equal(first.ends + second.ends + last.ends, 3);
    assert_has(first.text, "timed out");
    assert_has(second.text, "timed out");
    assert_has(last.text, "timed out");
    close(fd);
    finish(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(request_and_answer),
        cmocka_unit_test(cut_and_unwanted),
        cmocka_unit_test(nobody_there),
        cmocka_unit_test(silence),
        cmocka_unit_test(from_callbacks),
        cmocka_unit_test(freed_with_calls_under_way),
        cmocka_unit_test(more_calls_than_connections),
        cmocka_unit_test(waiting_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
