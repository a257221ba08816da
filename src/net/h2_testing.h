/* For tests: the server's side of HTTP/2, by nghttp2, over TLS by GnuTLS, in a thread. What is
 * asked for decides what goes wrong:
 *   /ok      200, the method, the path and the body's length, and the headers X-A and Host
 *   /big     3 MB
 *   /early   401 before the body is read
 *   /refused the stream is refused, the first time on a connection
 *   /goaway  goodbye: this stream and later ones are not looked at
 *   /reset   200, a piece, and then the stream is broken off
 *   /cut     200, a piece, and then the connection is
 *   /bye     200, a piece, and then the connection ends as TLS has it
 *   /close   the connection is cut, without an answer
 *   /silent  nothing
 *   /stall   nothing, and from then on nothing is read
 *   /hint    103, and then 200
 *   /rst=N   the stream is broken off with this error, unanswered
 *   /length=N  200, and says that its body has N bytes, whatever it has
 *   /none    204
 *   /break   a frame that may not be, and then nothing
 *   /trailers  200, and then headers once more */
#ifndef TY_NET_H2_TESTING_H
#define TY_NET_H2_TESTING_H

#include <errno.h>
#include <gnutls/gnutls.h>
#include <netinet/tcp.h>
#include <nghttp2/nghttp2.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "net/certs.h"
#include "net/testing.h"

#define BIG_BYTES ((size_t)3 << 20)

struct ty_far {
    pthread_t thread;
    int fd, port;
    _Atomic(const char *) alpn; /* "h2"; else HTTP/1.1 is spoken */
    const char *priority;       /* of TLS, in GnuTLS's words; NULL: its default */
    gnutls_certificate_request_t client_cert;
    uint32_t window;  /* of HTTP/2; 0: as it begins */
    uint32_t streams; /* at once; 0: any number */
    bool hangs_up;    /* after the handshake */
    bool rekeys;      /* has all keys of TLS 1.3 changed with every answer over HTTP/1.1 */
    atomic_bool stop;
    atomic_int connections, requests, client_certs;
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
    bool then_reset, then_cut, then_trailers;
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
    if (n == 0 && st->then_cut) {
        l->cut = true;
        return NGHTTP2_ERR_DEFERRED;
    }
    memset(to, 'x', n);
    memcpy(to, st->answer, text < n ? text : n);
    st->answer[0] = '\0';
    st->left -= n;
    if (st->left == 0 && !st->then_reset && !st->then_cut)
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

static inline int far_frame(nghttp2_session *s, const nghttp2_frame *f, void *ctx)
{
    struct far_link *l = ctx;
    bool asks = f->hd.type == NGHTTP2_HEADERS || f->hd.type == NGHTTP2_DATA;
    struct far_stream *st = nghttp2_session_get_stream_user_data(s, f->hd.stream_id);
    if (!st || !asks)
        return 0;
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

/* Of a server that is asked nothing more: what its streams held. */
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

/* The thread */

/* Closed with bytes unread, a socket resets the connection, and what was sent may be lost. */
static inline void far_drain(int fd)
{
    char bytes[4096];
    shutdown(fd, SHUT_WR);
    while (read(fd, bytes, sizeof(bytes)) > 0)
        ;
}

static inline void far_speak(struct far_link *l)
{
    char bytes[16384];
    l->h2 = far_session(l, true);
    while (!l->far->stop && !l->cut && nghttp2_session_send(l->h2) == 0 && !l->cut) {
        struct pollfd p = { .fd = l->fd, .events = POLLIN };
        bool waits = gnutls_record_check_pending(l->tls) == 0;
        if (l->stalls ? poll(NULL, 0, 20) == 0 : waits && poll(&p, 1, 20) == 0)
            continue;
        ssize_t n = gnutls_record_recv(l->tls, bytes, sizeof(bytes));
        if (n == GNUTLS_E_AGAIN || n == GNUTLS_E_INTERRUPTED)
            continue;
        if (n <= 0 || nghttp2_session_mem_recv(l->h2, (uint8_t *)bytes, (size_t)n) < 0)
            break;
    }
    far_end(l->h2);
    if (l->bye)
        gnutls_bye(l->tls, GNUTLS_SHUT_WR);
    if (l->cut)
        far_drain(l->fd);
}

static inline void far_cork(int fd, bool on)
{
    int cork = on;
    setsockopt(fd, IPPROTO_TCP, TCP_CORK, &cork, sizeof(cork));
}

static inline void far_speak_http1(struct far_link *l)
{
    static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nold";
    char bytes[4096];
    while (!l->far->stop) {
        struct pollfd p = { .fd = l->fd, .events = POLLIN };
        if (gnutls_record_check_pending(l->tls) == 0 && poll(&p, 1, 20) == 0)
            continue;
        ssize_t n = gnutls_record_recv(l->tls, bytes, sizeof(bytes));
        if (n == GNUTLS_E_AGAIN || n == GNUTLS_E_INTERRUPTED)
            continue;
        if (n <= 0)
            break;
        l->far->requests++;
        far_cork(l->fd, true); /* both come together */
        if (l->far->rekeys && gnutls_session_key_update(l->tls, GNUTLS_KU_PEER) < 0)
            break;
        if (gnutls_record_send(l->tls, answer, sizeof(answer) - 1) < 0)
            break;
        far_cork(l->fd, false);
    }
}

static inline void far_connection(struct ty_far *far, int fd)
{
    struct far_link l = { .far = far, .fd = fd };
    gnutls_datum_t alpn = { (unsigned char *)(uintptr_t)far->alpn,
                            (unsigned)(far->alpn ? strlen(far->alpn) : 0) };
    struct timeval limit = { .tv_sec = 2 };
    int r;

    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    assert_int_equal(gnutls_init(&l.tls, GNUTLS_SERVER | GNUTLS_NO_SIGNAL), 0);
    if (far->priority)
        assert_int_equal(gnutls_priority_set_direct(l.tls, far->priority, NULL), 0);
    else
        gnutls_set_default_priority(l.tls);
    gnutls_credentials_set(l.tls, GNUTLS_CRD_CERTIFICATE, far->creds);
    gnutls_certificate_server_set_request(l.tls, far->client_cert);
    gnutls_session_ticket_enable_server(l.tls, &far->ticket_key); /* told after the handshake */
    if (far->alpn)
        gnutls_alpn_set_protocols(l.tls, &alpn, 1, 0);
    gnutls_transport_set_int(l.tls, fd);
    do {
        r = gnutls_handshake(l.tls);
    } while (r < 0 && !gnutls_error_is_fatal(r) && r != GNUTLS_E_AGAIN);
    if (r < 0) {
        gnutls_alert_send_appropriate(l.tls, r);
        far_drain(fd);
    }
    unsigned n = 0;
    if (r == 0 && gnutls_certificate_get_peers(l.tls, &n) && n)
        far->client_certs++;
    if (r == 0 && far->hangs_up)
        far_drain(fd);
    else if (r == 0 && far->alpn && strcmp(far->alpn, "h2") == 0)
        far_speak(&l);
    else if (r == 0)
        far_speak_http1(&l);
    gnutls_deinit(l.tls);
    close(fd);
}

struct far_visit {
    struct ty_far *far;
    int fd;
};

static inline void *far_visit_run(void *ctx)
{
    struct far_visit *v = ctx;
    far_connection(v->far, v->fd);
    free(v);
    return NULL;
}

/* A thread a connection: some stay open while others are made. */
static inline void *far_run(void *ctx)
{
    struct ty_far *far = ctx;
    pthread_t threads[64];
    size_t n = 0;
    while (n < 64) {
        int c = accept4(far->fd, NULL, NULL, SOCK_CLOEXEC);
        if (c < 0 && errno == EMFILE) { /* a test has seen to that; we wait until it is over */
            poll(NULL, 0, 5);
            continue;
        }
        if (c < 0)
            break;
        far->connections++;
        struct far_visit *v = malloc(sizeof(*v));
        *v = (struct far_visit){ far, c };
        if (pthread_create(&threads[n], NULL, far_visit_run, v) == 0)
            n++;
    }
    for (size_t i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    return NULL;
}

static inline void far_file(char path[static 64], const char *dir, const char *name,
                            struct ty_str text)
{
    snprintf(path, 64, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text.p, 1, text.n, f), text.n);
    fclose(f);
}

/* Whatever it has shown so far, from now on it is this. */
static inline void far_show(struct ty_far *far, const struct ty_pem *pair)
{
    far_file(far->cert, far->dir, "cert", pair->cert);
    far_file(far->key, far->dir, "key", pair->key);
    if (far->creds)
        gnutls_certificate_free_credentials(far->creds);
    assert_int_equal(gnutls_certificate_allocate_credentials(&far->creds), 0);
    assert_int_equal(
        gnutls_certificate_set_x509_key_file(far->creds, far->cert, far->key, GNUTLS_X509_FMT_PEM),
        0);
}

/* A CA, and a certificate for 127.0.0.1 and far.test, good for that time from now on. */
static inline void far_certs(struct ty_far *far, int64_t from_s, int64_t until_s)
{
    static const char *const names[] = { "127.0.0.1", "::1", "far.test", NULL };
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);
    struct ty_gnutls g = { 0 };
    struct ty_err err = { 0 };
    struct ty_pem ca, pair;
    int64_t now = time(NULL);
    struct ty_cert_ask of_ca = { .name = "ca", .from_s = now - 60, .until_s = now + 600 };
    struct ty_cert_ask of_far = {
        .name = "far", .names = names, .from_s = now + from_s, .until_s = now + until_s
    };

    assert_int_equal(ty_gnutls_load(&g, &err), 0);
    assert_int_equal(ty_certs_ca(&g, a, &of_ca, &ca, &err), 0);
    assert_int_equal(ty_certs_serving(&g, a, &of_far, &ca, &pair, &err), 0);
    far_file(far->ca, far->dir, "ca", ca.cert);
    far_file(far->ca_key, far->dir, "ca.key", ca.key);
    far_show(far, &pair);
    ty_gnutls_done(&g);
}

static inline void far_start(struct ty_far *far, const char *alpn)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    socklen_t n = sizeof(at);
    far->alpn = alpn;
    snprintf(far->dir, sizeof(far->dir), "/tmp/ty-far.XXXXXX");
    assert_non_null(mkdtemp(far->dir));
    far_certs(far, -60, 600);
    assert_int_equal(gnutls_session_ticket_key_generate(&far->ticket_key), 0);
    far->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(far->fd, (struct sockaddr *)&at, sizeof(at)), 0);
    assert_int_equal(listen(far->fd, 16), 0);
    assert_int_equal(getsockname(far->fd, (struct sockaddr *)&at, &n), 0);
    far->port = ntohs(at.sin_port);
    snprintf(far->url, sizeof(far->url), "https://127.0.0.1:%d", far->port);
    assert_int_equal(pthread_create(&far->thread, NULL, far_run, far), 0);
}

static inline void far_stop(struct ty_far *far)
{
    far->stop = true;
    shutdown(far->fd, SHUT_RDWR);
    pthread_join(far->thread, NULL);
    close(far->fd);
    gnutls_certificate_free_credentials(far->creds);
    gnutls_free(far->ticket_key.data);
    unlink(far->ca);
    unlink(far->ca_key);
    unlink(far->cert);
    unlink(far->key);
    rmdir(far->dir);
}

#endif
