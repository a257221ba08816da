/* For tests: a client and a server that says what it is told to, and what came of the calls. */
#ifndef TY_NET_WEB_TESTING_H
#define TY_NET_WEB_TESTING_H

#include <errno.h>

#include "base/buf.h"
#include "net/testing.h"
#include "net/web.h"

struct web_heard {
    struct ty_web *web;
    struct ty_buf body;
    char text[256], type[64];
    int status, ends, pieces, stop_at;
    bool whole, cancel;
    const struct ty_web_ask *then; /* started from the callbacks */
    bool then_in_piece;
};

static inline int web_on_piece(void *ctx, struct ty_web_call *call, struct ty_str piece)
{
    struct web_heard *h = ctx;
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

static inline void web_on_end(void *ctx, struct ty_web_call *call, const struct ty_web_end *end)
{
    struct web_heard *h = ctx;
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

struct web_world {
    uv_loop_t loop;
    struct ty_web *web;
    struct ty_peer peer;
};

static inline void web_begin(struct web_world *w, const char *const *answers)
{
    struct ty_err err = { 0 };
    struct ty_web_settings s = {
        .loop = &w->loop, .agent = "tester", .connect_ms = 2000, .dead_ms = 2000
    };
    assert_int_equal(uv_loop_init(&w->loop), 0);
    assert_int_equal(ty_web_new(&w->web, &s, &err), 0);
    peer_start(&w->peer, answers);
}

static inline void web_finish(struct web_world *w)
{
    ty_web_free(w->web);
    uv_run(&w->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&w->loop), 0);
    peer_stop(&w->peer);
}

static inline struct ty_web_ask web_ask_of(struct web_world *w, struct web_heard *h)
{
    static const struct ty_web_peer direct = { .proxy = "" };
    h->web = w->web;
    return (struct ty_web_ask){ .method = "GET",
                                .url = w->peer.url,
                                .peer = &direct,
                                .total_ms = 10000,
                                .piece = web_on_piece,
                                .end = web_on_end,
                                .ctx = h };
}

#endif
