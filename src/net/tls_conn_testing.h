/* For tests: a line to the far end of h2_testing.h, and what it has told. */
#ifndef TY_NET_TLS_CONN_TESTING_H
#define TY_NET_TLS_CONN_TESTING_H

#include "base/buf.h"
#include "net/h2_testing.h"
#include "net/tls_conn.h"

struct line_heard {
    struct ty_tls_conn *line;
    struct ty_buf in;
    const char *to_send; /* once it is ready */
    int then_send;       /* so often again, each time that something came */
    int ready, gone;
    bool h2, free_when_ready, free_when_heard;
    char why[512];
};

static inline void line_on_ready(void *ctx, bool h2)
{
    struct line_heard *h = ctx;
    h->ready++;
    h->h2 = h2;
    if (h->free_when_ready) {
        ty_tls_conn_free(h->line);
        h->line = NULL;
    }
}

static inline void line_on_bytes(void *ctx, struct ty_str bytes)
{
    struct line_heard *h = ctx;
    ty_buf_add(&h->in, bytes);
    if (h->then_send > 0) {
        h->then_send--;
        h->to_send = "y";
        ty_tls_conn_flush(h->line);
    } else if (h->free_when_heard) {
        ty_tls_conn_free(h->line);
        h->line = NULL;
    } else {
        ty_tls_conn_set_ref(h->line, false);
    }
}

static inline struct ty_str line_on_more(void *ctx)
{
    struct line_heard *h = ctx;
    struct ty_str s = ty_str(h->to_send);
    h->to_send = NULL;
    return s;
}

static inline void line_on_gone(void *ctx, const char *why)
{
    struct line_heard *h = ctx;
    h->gone++;
    snprintf(h->why, sizeof(h->why), "%s", why);
}

struct line_world {
    uv_loop_t loop;
    struct ty_gnutls gnutls;
    struct ty_dns_lookups lookups;
    struct ty_far far;
    char port[8];
};

static inline void line_begin(struct line_world *w, const char *alpn)
{
    struct ty_err err = { 0 };
    memset(w, 0, sizeof(*w));
    assert_int_equal(uv_loop_init(&w->loop), 0);
    assert_int_equal(ty_gnutls_load(&w->gnutls, &err), 0);
    w->lookups.loop = &w->loop;
    far_start(&w->far, alpn);
    snprintf(w->port, sizeof(w->port), "%d", w->far.port);
}

static inline struct ty_tls_conn_settings line_to_far(struct line_world *w)
{
    return (struct ty_tls_conn_settings){ .loop = &w->loop,
                                          .gnutls = &w->gnutls,
                                          .lookups = &w->lookups,
                                          .host = "127.0.0.1",
                                          .port = w->port,
                                          .name = "127.0.0.1",
                                          .ca_file = w->far.ca,
                                          .connect_ms = 20000,
                                          .dead_ms = 20000,
                                          .ready = line_on_ready,
                                          .bytes = line_on_bytes,
                                          .more = line_on_more,
                                          .gone = line_on_gone };
}

/* Until nothing keeps the loop going. */
static inline void line_run(struct line_world *w, struct line_heard *h,
                            const struct ty_tls_conn_settings *s)
{
    struct ty_tls_conn_settings mine = *s;
    mine.ctx = h;
    h->line = ty_tls_conn_new(&mine);
    assert_int_equal(h->ready + h->gone, 0); /* never from within */
    uv_run(&w->loop, UV_RUN_DEFAULT);
}

static inline void line_end(struct line_world *w, struct line_heard *h)
{
    ty_tls_conn_free(h->line);
    ty_buf_done(&h->in);
    uv_run(&w->loop, UV_RUN_DEFAULT);
}

static inline void line_finish(struct line_world *w)
{
    ty_dns_lookups_done(&w->lookups);
    uv_run(&w->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&w->loop), 0);
    far_stop(&w->far);
    ty_gnutls_done(&w->gnutls);
}

#endif
