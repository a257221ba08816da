/* For tests: a connection to the server of h2_testing.h, and its callbacks. */
#ifndef TY_NET_TLS_CONN_TESTING_H
#define TY_NET_TLS_CONN_TESTING_H

#include "base/buf.h"
#include "net/h2_testing.h"
#include "net/tls_conn.h"

struct conn_heard {
    struct ty_tls_conn *conn;
    struct ty_buf in;
    const char *to_send; /* once it is ready */
    int then_send;       /* sends "y" so many times, after each received chunk */
    int ready, gone;
    bool h2, free_when_ready, free_when_heard;
    char why[512];
};

static inline void conn_on_ready(void *ctx, bool h2)
{
    struct conn_heard *h = ctx;
    h->ready++;
    h->h2 = h2;
    if (h->free_when_ready) {
        ty_tls_conn_free(h->conn);
        h->conn = NULL;
    }
}

static inline void conn_on_bytes(void *ctx, struct ty_str bytes)
{
    struct conn_heard *h = ctx;
    ty_buf_add(&h->in, bytes);
    if (h->then_send > 0) {
        h->then_send--;
        h->to_send = "y";
        ty_tls_conn_flush(h->conn);
    } else if (h->free_when_heard) {
        ty_tls_conn_free(h->conn);
        h->conn = NULL;
    } else {
        ty_tls_conn_set_ref(h->conn, false);
    }
}

static inline struct ty_str conn_on_more(void *ctx)
{
    struct conn_heard *h = ctx;
    struct ty_str s = ty_str(h->to_send);
    h->to_send = NULL;
    return s;
}

static inline void conn_on_gone(void *ctx, const char *why)
{
    struct conn_heard *h = ctx;
    h->gone++;
    snprintf(h->why, sizeof(h->why), "%s", why);
}

struct conn_world {
    uv_loop_t loop;
    struct ty_dns_lookups lookups;
    struct ty_far far;
    char port[8];
};

static inline void conn_begin(struct conn_world *w, const char *alpn)
{
    memset(w, 0, sizeof(*w));
    assert_int_equal(uv_loop_init(&w->loop), 0);
    w->lookups.loop = &w->loop;
    far_start(&w->far, alpn);
    snprintf(w->port, sizeof(w->port), "%d", w->far.port);
}

static inline struct ty_tls_conn_settings conn_to_far(struct conn_world *w)
{
    return (struct ty_tls_conn_settings){ .loop = &w->loop,
                                          .lookups = &w->lookups,
                                          .host = "127.0.0.1",
                                          .port = w->port,
                                          .name = "127.0.0.1",
                                          .ca_file = w->far.ca,
                                          .connect_ms = 20000,
                                          .dead_ms = 20000,
                                          .ready = conn_on_ready,
                                          .bytes = conn_on_bytes,
                                          .more = conn_on_more,
                                          .gone = conn_on_gone };
}

/* Runs until nothing keeps the loop running. */
static inline void conn_run(struct conn_world *w, struct conn_heard *h,
                            const struct ty_tls_conn_settings *s)
{
    struct ty_tls_conn_settings mine = *s;
    mine.ctx = h;
    h->conn = ty_tls_conn_new(&mine);
    assert_int_equal(h->ready + h->gone, 0); /* never from within the call */
    uv_run(&w->loop, UV_RUN_DEFAULT);
}

static inline void conn_end(struct conn_world *w, struct conn_heard *h)
{
    ty_tls_conn_free(h->conn);
    ty_buf_done(&h->in);
    uv_run(&w->loop, UV_RUN_DEFAULT);
}

static inline void conn_finish(struct conn_world *w)
{
    ty_dns_lookups_done(&w->lookups);
    uv_run(&w->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&w->loop), 0);
    far_stop(&w->far);
}

#endif
