/* For tests: both ends of an HTTP/2 connection in memory. The test moves the bytes, so that it can
 * stop them anywhere. */
#ifndef TY_NET_H2_NEAR_TESTING_H
#define TY_NET_H2_NEAR_TESTING_H

#include "base/buf.h"
#include "net/h2.h"
#include "net/h2_far_testing.h"

struct near_heard {
    struct ty_buf body;
    char status[8], type[32];
    int sent, headers, ends, cancel_at;
    enum ty_h2_outcome how;
    char why[128];
    struct ty_h2 *h2; /* to cancel with */
    int32_t id;
    const struct ty_h2_request *then; /* started from its end */
};

static inline void near_on_sent(void *stream)
{
    ((struct near_heard *)stream)->sent++;
}

static inline void near_on_header(void *stream, struct ty_str name, struct ty_str value)
{
    struct near_heard *h = stream;
    h->headers++;
    if (ty_str_is(name, ":status"))
        snprintf(h->status, sizeof(h->status), "%.*s", TY_ARG(value));
    if (ty_str_is(name, "content-type"))
        snprintf(h->type, sizeof(h->type), "%.*s", TY_ARG(value));
}

static inline void near_on_piece(void *stream, struct ty_str piece)
{
    struct near_heard *h = stream;
    ty_buf_add(&h->body, piece);
    if (h->cancel_at && h->body.n >= (size_t)h->cancel_at)
        ty_h2_cancel(h->h2, h->id);
}

static inline void near_on_end(void *stream, enum ty_h2_outcome how, const char *why)
{
    struct near_heard *h = stream;
    h->ends++;
    h->how = how;
    snprintf(h->why, sizeof(h->why), "%s", why);
    if (h->then)
        assert_true(ty_h2_start(h->h2, h->then) > 0);
}

static const struct ty_h2_events near_events = { near_on_sent, near_on_header, near_on_piece,
                                                 near_on_end };

struct near_world {
    struct ty_h2 *h2;
    struct ty_far far;
    struct far_link link;
};

static inline void near_begin(struct near_world *w)
{
    memset(w, 0, sizeof(*w));
    w->h2 = ty_h2_new(&near_events);
    w->link.far = &w->far;
    w->far.connections = 1;
    w->link.h2 = far_session(&w->link, false);
}

static inline void near_finish(struct near_world *w)
{
    ty_h2_free(w->h2);
    far_end(w->link.h2);
}

/* To the server; returns the number of bytes. */
static inline size_t near_there(struct near_world *w)
{
    size_t all = 0;
    for (struct ty_str s; (s = ty_h2_take(w->h2)).n; all += s.n)
        assert_true(nghttp2_session_mem_recv(w->link.h2, (const uint8_t *)s.p, s.n) >= 0);
    return all;
}

/* To the client, byte by byte if requested: frames may be cut anywhere. */
static inline size_t near_back(struct near_world *w, bool slowly)
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

static inline void near_carry(struct near_world *w)
{
    while (near_there(w) + near_back(w, false))
        ;
}

static inline struct ty_h2_request near_ask(struct near_world *w, struct near_heard *h,
                                            const char *path)
{
    h->h2 = w->h2;
    return (struct ty_h2_request){
        .method = "GET", .authority = "far:1", .path = path, .agent = "tester", .stream = h
    };
}

static inline void near_start(struct near_world *w, struct near_heard *h, const char *path)
{
    struct ty_h2_request ask = near_ask(w, h, path);
    h->id = ty_h2_start(w->h2, &ask);
    assert_true(h->id > 0);
}

#endif
