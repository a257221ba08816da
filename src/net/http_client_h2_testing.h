/* For tests: calls to the server of h2_testing.h, and their results. */
#ifndef TY_NET_HTTP_CLIENT_H2_TESTING_H
#define TY_NET_HTTP_CLIENT_H2_TESTING_H

#include <errno.h>

#include "base/buf.h"
#include "net/h2_testing.h"
#include "net/http_client.h"

struct call_heard {
    struct ty_buf body;
    int status, ends, stop_at;
    int turn, *turns; /* how many calls ended before it, if turns is set */
    bool whole, cancel, renew, reset;
    char text[256], retry[16];
    struct ty_http_client *client;
    const struct ty_http_client_request *then; /* started from the end */
    struct ty_http_client_call *drops[2];      /* cancelled from the end */
};

static inline int call_on_piece(void *ctx, struct ty_http_client_call *call, struct ty_str piece)
{
    struct call_heard *h = ctx;
    assert_int_equal(ty_http_client_status(call) / 100 * 100,
                     ty_http_client_status(call) == 401 ? 400 : 200);
    ty_buf_add(&h->body, piece);
    if (h->renew)
        ty_http_client_renew(h->client);
    if (h->cancel)
        ty_http_client_cancel(call);
    return h->stop_at ? -EBADMSG : 0;
}

static inline void call_on_end(void *ctx, struct ty_http_client_call *call,
                               const struct ty_http_client_result *end)
{
    struct call_heard *h = ctx;
    const char *retry = ty_http_client_header(call, "Retry-After");
    h->ends++;
    h->turn = h->turns ? (*h->turns)++ : 0;
    h->status = end->status;
    h->whole = end->whole;
    snprintf(h->text, sizeof(h->text), "%s", end->text);
    snprintf(h->retry, sizeof(h->retry), "%s", retry ? retry : "none");
    assert_null(ty_http_client_header(call, "X-Nothing"));
    if (h->renew)
        ty_http_client_renew(h->client);
    if (h->then)
        ty_http_client_start(h->client, h->then);
    for (size_t i = 0; i < 2; i++)
        ty_http_client_cancel(h->drops[i]);
    if (h->reset)
        ty_http_client_reset(h->client);
}

struct call_world {
    uv_loop_t loop;
    struct ty_http_client *client;
    struct ty_far far;
    struct ty_http_client_peer peer;
};

static inline void call_begin(struct call_world *w, const char *alpn)
{
    struct ty_err err = { 0 };
    memset(w, 0, sizeof(*w));
    assert_int_equal(uv_loop_init(&w->loop), 0);
    far_start(&w->far, alpn);
    w->peer = (struct ty_http_client_peer){ .proxy = "", .ca_file = w->far.ca };
    struct ty_http_client_settings s = {
        .loop = &w->loop, .agent = "tester", .connect_ms = 20000, .dead_ms = 20000, .h2 = true
    };
    assert_int_equal(ty_http_client_new(&w->client, &s, &err), 0);
}

static inline void call_finish(struct call_world *w)
{
    ty_http_client_free(w->client);
    uv_run(&w->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&w->loop), 0);
    far_stop(&w->far);
}

static inline char *call_url(struct call_world *w, const char *path)
{
    char *url = NULL;
    assert_true(asprintf(&url, "%s%s", w->far.url, path) > 0);
    return url;
}

static inline struct ty_http_client_request call_ask(struct call_world *w, struct call_heard *h,
                                                     const char *url)
{
    h->client = w->client;
    return (struct ty_http_client_request){ .method = "GET",
                                            .url = url,
                                            .peer = &w->peer,
                                            .total_ms = 30000,
                                            .piece = call_on_piece,
                                            .end = call_on_end,
                                            .ctx = h };
}

/* Starts a call; a POST has a body. */
static inline struct ty_http_client_call *call_order(struct call_world *w, struct call_heard *h,
                                                     const char *method, const char *path)
{
    char *url = call_url(w, path);
    struct ty_http_client_request ask = call_ask(w, h, url);
    ask.method = method;
    if (strcmp(method, "POST") == 0)
        ask.body = TY_LIT("{}");
    struct ty_http_client_call *call = ty_http_client_start(w->client, &ask);
    free(url);
    assert_int_equal(h->ends, 0);
    return call;
}

static inline struct ty_http_client_call *call_start(struct call_world *w, struct call_heard *h,
                                                     const char *path)
{
    return call_order(w, h, "GET", path);
}

static inline void call_run(struct call_world *w)
{
    uv_run(&w->loop, UV_RUN_DEFAULT);
}

/* The next call succeeds. */
#define assert_works(w)                                                                            \
    do {                                                                                           \
        struct call_heard next_ = { 0 };                                                           \
        call_start((w), &next_, "/ok");                                                            \
        call_run(w);                                                                               \
        assert_true(next_.whole);                                                                  \
        ty_buf_done(&next_.body);                                                                  \
    } while (0)

#endif
