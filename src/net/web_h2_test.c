#include "net/h2_testing.h"
#include "net/web.h"

#include <errno.h>

#include "base/buf.h"

struct heard {
    struct ty_buf body;
    int status, ends, stop_at;
    bool whole, cancel, renew;
    char text[256], retry[16];
    struct ty_web *web;
    const struct ty_web_ask *then; /* started from the end */
    struct ty_web_call *drops[2];  /* cancelled from the end */
};

static int on_piece(void *ctx, struct ty_web_call *call, struct ty_str piece)
{
    struct heard *h = ctx;
    assert_int_equal(ty_web_status(call) / 100 * 100, ty_web_status(call) == 401 ? 400 : 200);
    ty_buf_add(&h->body, piece);
    if (h->renew)
        ty_web_renew(h->web);
    if (h->cancel)
        ty_web_cancel(call);
    return h->stop_at ? -EBADMSG : 0;
}

static void on_end(void *ctx, struct ty_web_call *call, const struct ty_web_end *end)
{
    struct heard *h = ctx;
    const char *retry = ty_web_header(call, "Retry-After");
    h->ends++;
    h->status = end->status;
    h->whole = end->whole;
    snprintf(h->text, sizeof(h->text), "%s", end->text);
    snprintf(h->retry, sizeof(h->retry), "%s", retry ? retry : "none");
    assert_null(ty_web_header(call, "X-Nothing"));
    if (h->renew)
        ty_web_renew(h->web);
    if (h->then)
        ty_web_start(h->web, h->then);
    for (size_t i = 0; i < 2; i++)
        ty_web_cancel(h->drops[i]);
}

struct world {
    uv_loop_t loop;
    struct ty_web *web;
    struct ty_far far;
    struct ty_web_peer peer;
};

static void begin(struct world *w, const char *alpn)
{
    struct ty_err err = { 0 };
    memset(w, 0, sizeof(*w));
    assert_int_equal(uv_loop_init(&w->loop), 0);
    far_start(&w->far, alpn);
    w->peer = (struct ty_web_peer){ .proxy = "", .ca_file = w->far.ca };
    struct ty_web_settings s = {
        .loop = &w->loop, .agent = "tester", .connect_ms = 20000, .dead_ms = 20000, .h2 = true
    };
    assert_int_equal(ty_web_new(&w->web, &s, &err), 0);
}

static void finish(struct world *w)
{
    ty_web_free(w->web);
    uv_run(&w->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&w->loop), 0);
    far_stop(&w->far);
}

static char *url_of(struct world *w, const char *path)
{
    char *url = NULL;
    assert_true(asprintf(&url, "%s%s", w->far.url, path) > 0);
    return url;
}

static struct ty_web_ask ask_of(struct world *w, struct heard *h, const char *url)
{
    h->web = w->web;
    return (struct ty_web_ask){ .method = "GET",
                                .url = url,
                                .peer = &w->peer,
                                .total_ms = 30000,
                                .piece = on_piece,
                                .end = on_end,
                                .ctx = h };
}

static struct ty_web_call *start(struct world *w, struct heard *h, const char *path)
{
    char *url = url_of(w, path);
    struct ty_web_ask ask = ask_of(w, h, url);
    struct ty_web_call *call = ty_web_start(w->web, &ask);
    free(url);
    assert_int_equal(h->ends, 0);
    return call;
}

static void run(struct world *w)
{
    uv_run(&w->loop, UV_RUN_DEFAULT);
}

static void request_and_answer(void **state)
{
    static const char *const headers[] = { "X-A: 1", NULL };
    struct world w;
    struct heard h = { 0 };
    (void)state;
    begin(&w, "h2");
    char *url = url_of(&w, "/ok?x=1");
    struct ty_web_ask ask = ask_of(&w, &h, url);
    ask.method = "PATCH";
    ask.headers = headers;
    ask.body = TY_LIT("{}");
    ty_web_start(w.web, &ask);
    free(url);
    run(&w); /* ends: an idle connection does not keep the loop going */
    assert_int_equal(h.ends, 1);
    assert_true(h.whole);
    assert_int_equal(h.status, 200);
    assert_string_equal(h.retry, "7");
    ty_buf_chr(&h.body, '\0');
    assert_has(h.body.p, "PATCH /ok?x=1 2 1 127.0.0.1:");
    ty_buf_done(&h.body);
    finish(&w);
}

/* However many at once, and one after the other: one connection. */
static void one_connection(void **state)
{
    struct world w;
    struct heard h[120] = { 0 };
    (void)state;
    begin(&w, "h2");
    for (size_t i = 0; i < 100; i++)
        start(&w, &h[i], "/ok");
    run(&w);
    for (size_t i = 100; i < 120; i++) {
        start(&w, &h[i], i % 2 ? "/ok" : "/big");
        run(&w);
    }
    for (size_t i = 0; i < 120; i++) {
        assert_true(h[i].whole);
        assert_int_equal(h[i].ends, 1);
        ty_buf_done(&h[i].body);
    }
    assert_int_equal(w.far.connections, 1);
    assert_int_equal(w.far.requests, 120);
    finish(&w);
}

/* The peer is what it says: another CA file is another peer. */
static void peers_apart(void **state)
{
    struct world w;
    struct heard first = { 0 }, second = { 0 }, named = { 0 };
    (void)state;
    begin(&w, "h2");
    start(&w, &first, "/ok");
    run(&w);
    struct ty_web_peer other = { .proxy = "", .insecure = true }, elsewhere = w.peer;
    char *url = url_of(&w, "/ok"), to[32], name[64];
    struct ty_web_ask ask = ask_of(&w, &second, url);
    ask.peer = &other;
    ty_web_start(w.web, &ask);
    snprintf(to, sizeof(to), "127.0.0.1:%d", w.far.port);
    elsewhere.to = to;
    snprintf(name, sizeof(name), "https://far.test/ok");
    ask = ask_of(&w, &named, name);
    ask.peer = &elsewhere;
    ty_web_start(w.web, &ask);
    run(&w);
    assert_true(first.whole && second.whole && named.whole);
    assert_int_equal(w.far.connections, 3);
    ty_buf_chr(&named.body, '\0');
    assert_has(named.body.p, "far.test");
    free(url);
    ty_buf_done(&first.body);
    ty_buf_done(&second.body);
    ty_buf_done(&named.body);
    finish(&w);
}

/* What the server has not looked at is asked again, of the same one or over a new connection. */
static void asked_again(void **state)
{
    struct world w;
    struct heard refused = { 0 }, goaway = { 0 };
    (void)state;
    begin(&w, "h2");
    start(&w, &refused, "/refused");
    run(&w);
    assert_true(refused.whole);
    assert_int_equal(w.far.connections, 1);
    start(&w, &goaway, "/goaway");
    run(&w);
    assert_true(goaway.whole);
    assert_int_equal(goaway.status, 200);
    assert_int_equal(w.far.connections, 2);
    ty_buf_done(&refused.body);
    ty_buf_done(&goaway.body);
    finish(&w);
}

/* What it may have done is not. A GET is harmless: it is, but not for ever. */
static void not_asked_again(void **state)
{
    struct world w;
    struct heard cut = { 0 }, reset = { 0 }, post = { 0 }, get = { 0 }, after = { 0 };
    (void)state;
    begin(&w, "h2");
    start(&w, &reset, "/reset");
    start(&w, &cut, "/cut");
    run(&w);
    assert_false(cut.whole);
    assert_int_equal(cut.status, 200);
    assert_has(cut.text, "the server closed the connection");
    assert_false(reset.whole);
    assert_int_equal(w.far.requests, 2);
    char *url = url_of(&w, "/close");
    struct ty_web_ask ask = ask_of(&w, &post, url);
    ask.method = "POST";
    ask.body = TY_LIT("{}");
    ty_web_start(w.web, &ask);
    free(url);
    run(&w);
    assert_int_equal(post.ends, 1);
    assert_false(post.whole);
    assert_int_equal(post.status, 0);
    assert_int_equal(w.far.requests, 3);
    start(&w, &get, "/close");
    run(&w);
    assert_int_equal(get.ends, 1);
    assert_false(get.whole);
    assert_int_equal(w.far.requests, 6);
    start(&w, &after, "/ok");
    run(&w);
    assert_true(after.whole);
    ty_buf_done(&cut.body);
    ty_buf_done(&reset.body);
    ty_buf_done(&after.body);
    finish(&w);
}

/* A server that breaks the protocol is left, and nobody waits for what it was asked. */
static void breaks_the_protocol(void **state)
{
    struct world w;
    struct heard silent = { 0 }, breaks = { 0 }, after = { 0 };
    (void)state;
    begin(&w, "h2");
    char *url = url_of(&w, "/silent");
    struct ty_web_ask ask = ask_of(&w, &silent, url);
    ask.method = "DELETE"; /* a GET would be asked again */
    ty_web_start(w.web, &ask);
    free(url);
    while (w.far.requests == 0)
        uv_run(&w.loop, UV_RUN_NOWAIT);
    start(&w, &breaks, "/break");
    run(&w);
    assert_has(silent.text, "does not keep to HTTP/2");
    assert_has(breaks.text, "does not keep to HTTP/2");
    assert_int_equal(w.far.requests, 4);
    start(&w, &after, "/ok");
    run(&w);
    assert_true(after.whole);
    ty_buf_done(&after.body);
    finish(&w);
}

/* The answer to a request that was not read to its end. */
static void refused_unread(void **state)
{
    struct world w;
    struct heard h = { 0 };
    char *body = calloc(1, BIG_BYTES);
    (void)state;
    begin(&w, "h2");
    char *url = url_of(&w, "/early");
    struct ty_web_ask ask = ask_of(&w, &h, url);
    ask.method = "POST";
    ask.body = (struct ty_str){ body, BIG_BYTES };
    ty_web_start(w.web, &ask);
    free(url);
    free(body);
    run(&w);
    assert_true(h.whole);
    assert_int_equal(h.status, 401);
    assert_true(h.body.n > 0);
    ty_buf_done(&h.body);
    finish(&w);
}

static void from_callbacks(void **state)
{
    struct world w;
    struct heard cancelled = { .cancel = true }, unwanted = { .stop_at = 1 }, first = { 0 },
                 second = { 0 }, renews = { .renew = true };
    (void)state;
    begin(&w, "h2");
    char *url = url_of(&w, "/ok");
    struct ty_web_ask then = ask_of(&w, &second, url);
    first.then = &then;
    start(&w, &cancelled, "/big");
    start(&w, &unwanted, "/big");
    start(&w, &first, "/ok");
    start(&w, &renews, "/big"); /* of which more comes */
    run(&w);
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
    finish(&w);
}

/* An end cancels others: one whose answer is coming, and one that is told of the same loss. */
static void ends_that_cancel(void **state)
{
    struct world w;
    struct heard h[6] = { 0 };
    (void)state;
    begin(&w, "h2");
    h[0].drops[0] = start(&w, &h[1], "/big");
    h[0].drops[1] = start(&w, &h[2], "/silent");
    start(&w, &h[0], "/ok");
    run(&w);
    assert_true(h[0].whole);
    h[3].drops[0] = start(&w, &h[4], "/silent");
    while (w.far.requests < 4)
        uv_run(&w.loop, UV_RUN_NOWAIT);
    h[3].drops[1] = start(&w, &h[5], "/silent");
    start(&w, &h[3], "/cut"); /* told first, as the youngest */
    run(&w);
    assert_int_equal(h[3].ends, 1);
    assert_false(h[3].whole);
    assert_int_equal(h[1].ends + h[2].ends + h[4].ends + h[5].ends, 0);
    for (size_t i = 0; i < 6; i++)
        ty_buf_done(&h[i].body);
    finish(&w);
}

/* A goodbye of TLS in the middle of an answer is no end of it. */
static void bye_in_an_answer(void **state)
{
    struct world w;
    struct heard h = { 0 };
    (void)state;
    begin(&w, "h2");
    start(&w, &h, "/bye");
    run(&w);
    assert_int_equal(h.status, 200);
    assert_true(h.body.n > 0);
    assert_false(h.whole);
    assert_has(h.text, "closed the connection");
    ty_buf_done(&h.body);
    finish(&w);
}

/* The connection ends before HTTP has begun: a question may be asked again, and is, but not for
 * ever; an order is not, because nobody knows how far it came. */
static void hangs_up(void **state)
{
    struct world w;
    struct heard get = { 0 }, post = { 0 }, after = { 0 };
    (void)state;
    begin(&w, "h2");
    w.far.hangs_up = true;
    start(&w, &get, "/ok");
    run(&w);
    assert_int_equal(get.ends, 1);
    assert_false(get.whole);
    assert_int_equal(w.far.connections, 3);
    char *url = url_of(&w, "/ok");
    struct ty_web_ask ask = ask_of(&w, &post, url);
    ask.method = "POST";
    ask.body = TY_LIT("{}");
    ty_web_start(w.web, &ask);
    free(url);
    run(&w);
    assert_int_equal(post.ends, 1);
    assert_false(post.whole);
    assert_int_equal(w.far.connections, 4);
    w.far.hangs_up = false;
    start(&w, &after, "/ok");
    run(&w);
    assert_true(after.whole);
    ty_buf_done(&after.body);
    finish(&w);
}

/* Silence ends a call, and the next goes over a new connection. */
static void silence(void **state)
{
    struct world w;
    struct heard idle = { 0 }, total = { 0 }, after = { 0 };
    (void)state;
    begin(&w, "h2");
    char *url = url_of(&w, "/silent");
    struct ty_web_ask ask = ask_of(&w, &idle, url);
    ask.total_ms = 0;
    ask.idle_ms = 50;
    ty_web_start(w.web, &ask);
    run(&w);
    assert_has(idle.text, "said nothing");
    ask.ctx = &total;
    ask.idle_ms = 0;
    ask.total_ms = 50;
    ty_web_start(w.web, &ask);
    run(&w);
    assert_has(total.text, "timed out");
    free(url);
    start(&w, &after, "/ok");
    run(&w);
    assert_true(after.whole);
    assert_true(w.far.connections >= 2);
    ty_buf_done(&after.body);
    finish(&w);
}

/* No HTTP/2 there: libcurl does it, now and the next time. */
static void old_server(void **state)
{
    struct world w;
    struct heard h[3] = { 0 };
    (void)state;
    begin(&w, "http/1.1");
    start(&w, &h[0], "/");
    start(&w, &h[1], "/");
    run(&w);
    int before = w.far.connections;
    start(&w, &h[2], "/");
    run(&w);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(h[i].ends, 1);
        assert_true(h[i].whole);
        assert_true(ty_str_is(ty_buf_str(&h[i].body), "old"));
        ty_buf_done(&h[i].body);
    }
    assert_true(w.far.connections <= before + 1);
    finish(&w);
}

/* It had HTTP/2 when a call began, and has it no more when the connection is lost. */
static void no_longer(void **state)
{
    struct world w;
    struct heard under_way = { 0 }, next = { 0 };
    (void)state;
    begin(&w, "h2");
    start(&w, &under_way, "/silent");
    while (w.far.requests == 0)
        uv_run(&w.loop, UV_RUN_NOWAIT);
    w.far.alpn = NULL;
    ty_web_renew(w.web);
    start(&w, &next, "/");
    while (next.ends == 0)
        uv_run(&w.loop, UV_RUN_ONCE);
    assert_true(next.whole);
    assert_int_equal(under_way.ends, 0);
    w.far.stop = true; /* ends connections; new ones are answered as ever */
    run(&w);
    assert_int_equal(under_way.ends, 1);
    ty_buf_done(&under_way.body);
    ty_buf_done(&next.body);
    finish(&w);
}

static void nobody_there(void **state)
{
    struct world w;
    struct heard h[2] = { 0 };
    (void)state;
    begin(&w, "h2");
    for (size_t i = 0; i < 2; i++) {
        struct ty_web_ask ask = ask_of(&w, &h[i], "https://127.0.0.1:1/x");
        ty_web_start(w.web, &ask);
    }
    run(&w);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(h[i].ends, 1);
        assert_int_equal(h[i].status, 0);
        assert_has(h[i].text, "Connection refused");
    }
    finish(&w);
}

/* Several are told that their connection is lost, and each wants new ones. */
static void renewed_when_lost(void **state)
{
    struct world w;
    struct heard h[4] = { 0 };
    (void)state;
    begin(&w, "h2");
    char *url = url_of(&w, "/ok"), *silent = url_of(&w, "/silent");
    struct ty_web_ask then = ask_of(&w, &h[3], url);
    h[1].then = &then;
    for (size_t i = 0; i < 2; i++) {
        struct ty_web_ask ask = ask_of(&w, &h[i], silent);
        ask.method = "DELETE"; /* a GET would be asked again */
        h[i].renew = true;
        ty_web_start(w.web, &ask);
    }
    while (w.far.requests < 2)
        uv_run(&w.loop, UV_RUN_NOWAIT);
    start(&w, &h[2], "/cut");
    run(&w);
    free(url);
    free(silent);
    assert_false(h[2].whole);
    assert_true(h[0].ends == 1 && h[1].ends == 1 && h[2].ends == 1 && h[3].ends == 1);
    assert_true(h[3].whole);
    for (size_t i = 0; i < 4; i++)
        ty_buf_done(&h[i].body);
    finish(&w);
}

static void freed_with_calls_under_way(void **state)
{
    struct world w;
    struct heard h = { 0 };
    (void)state;
    begin(&w, "h2");
    start(&w, &h, "/silent");
    ty_web_cancel(start(&w, &h, "/silent"));
    uv_run(&w.loop, UV_RUN_NOWAIT);
    ty_web_renew(w.web);
    start(&w, &h, "/silent");
    uv_run(&w.loop, UV_RUN_NOWAIT);
    finish(&w);
    assert_int_equal(h.ends, 0);
    ty_buf_done(&h.body);
}

/* Renewed while calls are under way: they end where they began, the next begin elsewhere, and the
 * old connection is closed after the last of its calls. */
static void renewed(void **state)
{
    struct world w;
    struct heard silent = { 0 }, after = { 0 };
    (void)state;
    begin(&w, "h2");
    struct ty_web_call *call = start(&w, &silent, "/silent");
    while (w.far.requests == 0)
        uv_run(&w.loop, UV_RUN_NOWAIT);
    ty_web_renew(w.web);
    start(&w, &after, "/ok");
    while (after.ends == 0)
        uv_run(&w.loop, UV_RUN_ONCE);
    assert_int_equal(w.far.connections, 2);
    assert_int_equal(silent.ends, 0);
    ty_web_cancel(call);
    run(&w);
    ty_buf_done(&after.body);
    finish(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(request_and_answer),  cmocka_unit_test(one_connection),
        cmocka_unit_test(peers_apart),         cmocka_unit_test(asked_again),
        cmocka_unit_test(not_asked_again),     cmocka_unit_test(refused_unread),
        cmocka_unit_test(breaks_the_protocol), cmocka_unit_test(ends_that_cancel),
        cmocka_unit_test(bye_in_an_answer),    cmocka_unit_test(hangs_up),
        cmocka_unit_test(from_callbacks),      cmocka_unit_test(silence),
        cmocka_unit_test(old_server),          cmocka_unit_test(no_longer),
        cmocka_unit_test(nobody_there),        cmocka_unit_test(renewed),
        cmocka_unit_test(renewed_when_lost),   cmocka_unit_test(freed_with_calls_under_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
