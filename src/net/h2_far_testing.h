/* For tests: an HTTP/2 server with nghttp2. The path selects the fault:
 *   /ok      200, the method, the path and the body's length, and the headers X-A and Host
 *   /big     3 MB
 *   /early   401 before the body is read
 *   /refused REFUSED_STREAM for the first request of a connection
 *   /goaway  GOAWAY: this stream and later ones are not processed
 *   /reset   200, a chunk, then the stream is reset
 *   /cut     200, a chunk, then the connection is reset
 *   /bye     200, a chunk, then the connection is closed with close-notify
 *   /close   the connection is reset without a response
 *   /silent  no response
 *   /stall   no response, and no more reads
 *   /hint    103, then 200
 *   /rst=N   the stream is reset with this error, without a response
 *   /length=N  200 with Content-Length N, independent of the body
 *   /none    204
 *   /break   an invalid frame, then nothing
 *   /trailers  200, then trailers
 *   /empty   200 without a body
 *   /bookmark  200, a bookmark of a watch, then nothing
 *   ...limit=...  200 with `list`, if that is set
 * The log of a pod is that of its name: .../pods/big/log?follow=true is /big. */
#ifndef TY_NET_H2_FAR_TESTING_H
#define TY_NET_H2_FAR_TESTING_H

#include <errno.h>
#include <gnutls/x509.h>
#include <nghttp2/nghttp2.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "net/testing.h"

#define BIG_BYTES ((size_t)3 << 20)
#define FAR_MOST  64 /* connections in its life */

struct ty_far {
    pthread_t thread;
    int fd, port;
    _Atomic(const char *) alpn; /* "h2"; else HTTP/1.1 is used */
    const char *priority;       /* a GnuTLS priority string; NULL: the default */
    gnutls_certificate_request_t client_cert;
    uint32_t window;  /* initial HTTP/2 window; 0: the default */
    uint32_t streams; /* limit of concurrent streams; 0: none */
    bool hangs_up;    /* closes the connection after the handshake */
    bool rekeys;      /* HTTP/1.1: requests a TLS 1.3 key update with every response */
    atomic_bool stop;
    atomic_bool holds; /* reads nothing while it is set, not even a handshake */
    atomic_int connections, requests, client_certs, pings;
    const char *list;           /* the answer to paths with "limit=" */
    const char *const *watches; /* the paths that stand for "watch=1", in turn; the last stays */
    atomic_int fds[FAR_MOST];   /* of the connections, in their order */
    atomic_int resets;          /* connections that the client has reset */
    gnutls_certificate_credentials_t creds;
    char url[64];
    gnutls_datum_t ticket_key;
    char dir[32], ca[64], ca_key[64], cert[64], key[64]; /* files */
};

struct far_link { /* a connection */
    struct ty_far *far;
    gnutls_session_t tls;
    nghttp2_session *h2;
    int fd, refused;
    bool cut, bye, stalls;
};

struct far_stream {
    char method[16], path[128], a[64], host[64];
    size_t body;
    char answer[512];
    size_t left; /* of the answer, from its end; beyond its text: 'x' */
    bool then_reset, then_cut, then_trailers, then_waits;
};

static inline ssize_t far_send(nghttp2_session *s, const uint8_t *p, size_t n, int flags, void *ctx)
{
    struct far_link *l = ctx;
    size_t done = 0;
    (void)s, (void)flags;
    while (done < n) {
        ssize_t r = gnutls_record_send(l->tls, p + done, n - done);
        if (r < 0 && r != GNUTLS_E_AGAIN && r != GNUTLS_E_INTERRUPTED)
            return NGHTTP2_ERR_CALLBACK_FAILURE;
        done += r > 0 ? (size_t)r : 0;
    }
    return (ssize_t)n;
}

static inline nghttp2_nv far_nv(const char *name, const char *value)
{
    return (nghttp2_nv){ (uint8_t *)(uintptr_t)name, (uint8_t *)(uintptr_t)value, strlen(name),
                         strlen(value), NGHTTP2_NV_FLAG_NONE };
}

static inline ssize_t far_read(nghttp2_session *s, int32_t id, uint8_t *to, size_t room,
                               uint32_t *flags, nghttp2_data_source *source, void *ctx)
{
    struct far_stream *st = source->ptr;
    struct far_link *l = ctx;
    size_t n = st->left < room ? st->left : room, text = strlen(st->answer);
    if (n == 0 && st->then_reset) {
        nghttp2_submit_rst_stream(s, NGHTTP2_FLAG_NONE, id, NGHTTP2_INTERNAL_ERROR);
        return NGHTTP2_ERR_DEFERRED;
    }
    if (n == 0 && st->then_waits)
        return NGHTTP2_ERR_DEFERRED;
    if (n == 0 && st->then_cut) {
        l->cut = true;
        return NGHTTP2_ERR_DEFERRED;
    }
    memset(to, 'x', n);
    memcpy(to, st->answer, text < n ? text : n);
    st->answer[0] = '\0';
    st->left -= n;
    if (st->left == 0 && !st->then_reset && !st->then_cut && !st->then_waits)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (st->left == 0 && st->then_trailers) {
        nghttp2_nv more[] = { far_nv("x-last", "1"), far_nv("content-type", "text/late") };
        *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
        nghttp2_submit_trailer(s, id, more, 2);
    }
    return (ssize_t)n;
}

static inline void far_say(nghttp2_session *s, int32_t id, struct far_stream *st,
                           const char *status)
{
    nghttp2_nv head[4] = { far_nv(":status", status), far_nv("content-type", "text/x"),
                           far_nv("retry-after", "7") };
    nghttp2_data_provider body = { .source.ptr = st, .read_callback = far_read };
    struct ty_str length = ty_str(st->path);
    bool none = strcmp(status, "204") == 0 || strcmp(st->method, "HEAD") == 0;
    size_t n = 3;

    if (ty_str_starts(length, TY_LIT("/length=")))
        head[n++] = far_nv("content-length", st->path + 8);
    nghttp2_submit_response(s, id, head, n, none ? NULL : &body);
}

static inline void far_answer(struct far_link *l, int32_t id, struct far_stream *st)
{
    nghttp2_session *s = l->h2;
    bool early = strcmp(st->path, "/early") == 0, big = strcmp(st->path, "/big") == 0;
    snprintf(st->answer, sizeof(st->answer), "%s %s %zu %s %s", st->method, st->path, st->body,
             st->a, st->host);
    if (strcmp(st->path, "/empty") == 0)
        st->answer[0] = '\0';
    st->then_waits = strcmp(st->path, "/bookmark") == 0;
    if (st->then_waits)
        snprintf(st->answer, sizeof(st->answer),
                 "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"9\"}}}\n");
    if (l->far->list && strstr(st->path, "limit="))
        snprintf(st->answer, sizeof(st->answer), "%s", l->far->list);
    st->left = big ? BIG_BYTES : strlen(st->answer);
    st->then_reset = strcmp(st->path, "/reset") == 0;
    st->then_cut = strcmp(st->path, "/cut") == 0 || strcmp(st->path, "/bye") == 0;
    l->bye = strcmp(st->path, "/bye") == 0;
    st->then_trailers = strcmp(st->path, "/trailers") == 0;
    if (strcmp(st->path, "/hint") == 0) {
        nghttp2_nv hint[] = { far_nv(":status", "103"), far_nv("link", "</x>") };
        nghttp2_submit_headers(s, NGHTTP2_FLAG_NONE, id, NULL, hint, 2, NULL);
    }
    if (strcmp(st->path, "/close") == 0)
        l->cut = true;
    else if (strcmp(st->path, "/refused") == 0 && !l->refused++)
        nghttp2_submit_rst_stream(s, NGHTTP2_FLAG_NONE, id, NGHTTP2_REFUSED_STREAM);
    else if (strcmp(st->path, "/goaway") == 0 && l->far->connections == 1)
        nghttp2_submit_goaway(s, NGHTTP2_FLAG_NONE, id - 2, NGHTTP2_NO_ERROR, NULL, 0);
    else if (strcmp(st->path, "/break") == 0)
        far_send(s, (const uint8_t *)"\0\0\1\0\0\0\0\0\0x", 10, 0, l);
    else if (strncmp(st->path, "/rst=", 5) == 0)
        nghttp2_submit_rst_stream(s, NGHTTP2_FLAG_NONE, id,
                                  (uint32_t)strtoul(st->path + 5, NULL, 10));
    else if (strcmp(st->path, "/silent") != 0)
        far_say(s, id, st, early ? "401" : strcmp(st->path, "/none") == 0 ? "204" : "200");
}

static inline int far_begin(nghttp2_session *s, const nghttp2_frame *f, void *ctx)
{
    (void)ctx;
    if (f->hd.type == NGHTTP2_HEADERS)
        nghttp2_session_set_stream_user_data(s, f->hd.stream_id,
                                             calloc(1, sizeof(struct far_stream)));
    return 0;
}

static inline int far_header(nghttp2_session *s, const nghttp2_frame *f, const uint8_t *name,
                             size_t name_n, const uint8_t *value, size_t n, uint8_t flags,
                             void *ctx)
{
    struct far_stream *st = nghttp2_session_get_stream_user_data(s, f->hd.stream_id);
    struct ty_str key = { (const char *)name, name_n };
    (void)flags, (void)ctx;
    struct {
        const char *name;
        char *to;
        size_t room;
    } wanted[] = { { ":method", st->method, sizeof(st->method) },
                   { ":path", st->path, sizeof(st->path) },
                   { "x-a", st->a, sizeof(st->a) },
                   { ":authority", st->host, sizeof(st->host) } };
    for (size_t i = 0; i < 4; i++)
        if (ty_str_is(key, wanted[i].name))
            snprintf(wanted[i].to, wanted[i].room, "%.*s", (int)n, (const char *)value);
    return 0;
}

static inline int far_data(nghttp2_session *s, uint8_t flags, int32_t id, const uint8_t *p,
                           size_t n, void *ctx)
{
    struct far_stream *st = nghttp2_session_get_stream_user_data(s, id);
    (void)flags, (void)p, (void)ctx;
    if (st)
        st->body += n;
    return 0;
}

/* The name of a pod whose log is wanted is the path; watches have theirs of the test. */
static inline void far_shorten(struct ty_far *far, struct far_stream *st)
{
    const char *pod = strstr(st->path, "/pods/"), *log = pod ? strstr(pod, "/log") : NULL;
    char name[sizeof(st->path)];
    if (far->watches && strstr(st->path, "watch=1")) {
        snprintf(st->path, sizeof(st->path), "%s", far->watches[0]);
        far->watches += far->watches[1] != NULL;
    }
    if (!log)
        return;
    snprintf(name, sizeof(name), "%.*s", (int)(log - pod - 5), pod + 5);
    memcpy(st->path, name, sizeof(name));
}

static inline int far_frame(nghttp2_session *s, const nghttp2_frame *f, void *ctx)
{
    struct far_link *l = ctx;
    l->far->pings += f->hd.type == NGHTTP2_PING && !(f->hd.flags & NGHTTP2_FLAG_ACK);
    bool asks = f->hd.type == NGHTTP2_HEADERS || f->hd.type == NGHTTP2_DATA;
    struct far_stream *st = nghttp2_session_get_stream_user_data(s, f->hd.stream_id);
    if (!st || !asks)
        return 0;
    far_shorten(l->far, st);
    bool early = strcmp(st->path, "/early") == 0;
    l->stalls = l->stalls || strcmp(st->path, "/stall") == 0;
    if (early ? f->hd.type == NGHTTP2_HEADERS : (f->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
        l->far->requests++;
        far_answer(l, f->hd.stream_id, st);
    }
    return 0;
}

static inline int far_closed(nghttp2_session *s, int32_t id, uint32_t code, void *ctx)
{
    (void)code, (void)ctx;
    free(nghttp2_session_get_stream_user_data(s, id));
    nghttp2_session_set_stream_user_data(s, id, NULL);
    return 0;
}

/* Frees a session and the data of its streams. */
static inline void far_end(nghttp2_session *h2)
{
    for (int32_t id = 1; id < 2000; id += 2)
        free(nghttp2_session_get_stream_user_data(h2, id));
    nghttp2_session_del(h2);
}

static inline nghttp2_session *far_session(struct far_link *l, bool sends)
{
    nghttp2_session_callbacks *c;
    nghttp2_session *h2;
    assert_int_equal(nghttp2_session_callbacks_new(&c), 0);
    if (sends)
        nghttp2_session_callbacks_set_send_callback(c, far_send);
    nghttp2_session_callbacks_set_on_begin_headers_callback(c, far_begin);
    nghttp2_session_callbacks_set_on_header_callback(c, far_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(c, far_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(c, far_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(c, far_closed);
    assert_int_equal(nghttp2_session_server_new(&h2, c, l), 0);
    nghttp2_session_callbacks_del(c);
    nghttp2_settings_entry set[2];
    size_t n = 0;
    if (l->far->window)
        set[n++] = (nghttp2_settings_entry){ NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, l->far->window };
    if (l->far->streams)
        set[n++] =
            (nghttp2_settings_entry){ NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, l->far->streams };
    nghttp2_submit_settings(h2, NGHTTP2_FLAG_NONE, set, n);
    if (l->far->window)
        nghttp2_session_set_local_window_size(h2, NGHTTP2_FLAG_NONE, 0, (int32_t)l->far->window);
    return h2;
}

#endif
