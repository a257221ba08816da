/* For tests: a client and a scripted server, and the results of calls. */
#ifndef TY_NET_HTTP_CLIENT_TESTING_H
#define TY_NET_HTTP_CLIENT_TESTING_H

#include <errno.h>

#include "base/buf.h"
#include "net/http_client.h"
#include "net/testing.h"

struct web_heard {
    struct ty_http_client *client;
    struct ty_buf body;
    char text[256], type[64];
    int status, ends, pieces, stop_at;
    bool whole, cancel;
    const struct ty_http_client_request *then; /* started from the callbacks */
    bool then_in_piece;
};

static inline int web_on_piece(void *ctx, struct ty_http_client_call *call, struct ty_str piece)
{
    struct web_heard *h = ctx;
    assert_true(ty_http_client_status(call) > 0);
    ty_buf_add(&h->body, piece);
    h->pieces++;
    if (h->then && h->then_in_piece) {
        const struct ty_http_client_request *then = h->then;
        h->then = NULL;
        ty_http_client_start(h->client, then);
    }
    if (h->cancel)
        ty_http_client_cancel(call);
    return h->pieces == h->stop_at ? -EBADMSG : 0;
}

static inline void web_on_end(void *ctx, struct ty_http_client_call *call,
                              const struct ty_http_client_result *end)
{
    struct web_heard *h = ctx;
    const char *type = ty_http_client_header(call, "content-type");
    snprintf(h->type, sizeof(h->type), "%s", type ? type : "");
    snprintf(h->text, sizeof(h->text), "%s", end->text);
    h->status = end->status;
    h->whole = end->whole;
    h->ends++;
    if (h->then) {
        const struct ty_http_client_request *then = h->then;
        h->then = NULL;
        ty_http_client_start(h->client, then);
    }
}

struct web_world {
    uv_loop_t loop;
    struct ty_http_client *client;
    struct ty_peer peer;
};

static inline void web_begin(struct web_world *w, const char *const *answers)
{
    struct ty_err err = { 0 };
    struct ty_http_client_settings s = {
        .loop = &w->loop, .agent = "tester", .connect_ms = 2000, .dead_ms = 2000
    };
    assert_int_equal(uv_loop_init(&w->loop), 0);
    assert_int_equal(ty_http_client_new(&w->client, &s, &err), 0);
    peer_start(&w->peer, answers);
}

static inline void web_finish(struct web_world *w)
{
    ty_http_client_free(w->client);
    uv_run(&w->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&w->loop), 0);
    peer_stop(&w->peer);
}

static inline struct ty_http_client_request web_ask_of(struct web_world *w, struct web_heard *h)
{
    static const struct ty_http_client_peer direct = { .proxy = "" };
    h->client = w->client;
    return (struct ty_http_client_request){ .method = "GET",
                                            .url = w->peer.url,
                                            .peer = &direct,
                                            .total_ms = 10000,
                                            .piece = web_on_piece,
                                            .end = web_on_end,
                                            .ctx = h };
}

#endif
