/* For tests: a server of HTTP/2 (h2_far_testing.h) or HTTP/1.1 over TLS by GnuTLS, in threads of
 * its own. */
#ifndef TY_NET_H2_TESTING_H
#define TY_NET_H2_TESTING_H

#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <time.h>

#include "net/certs.h"
#include "net/h2_far_testing.h"

/* Accepts TLS 1.2 and later, as Go's servers. */
static const struct far_version {
    const char *priority;
    bool good;
} far_versions[] = {
    { "NORMAL:-VERS-ALL:+VERS-TLS1.3", true },
    { "NORMAL:-VERS-ALL:+VERS-TLS1.2", true },
    { "NORMAL:-VERS-ALL:+VERS-TLS1.1", false },
    { "NORMAL:-VERS-ALL:+VERS-TLS1.0", false },
};
#define FAR_VERSIONS TY_COUNT(far_versions)

/* Closing a socket with unread bytes resets the connection, and sent bytes may be lost. */
static inline void far_drain(int fd)
{
    char bytes[4096];
    shutdown(fd, SHUT_WR);
    while (read(fd, bytes, sizeof(bytes)) > 0)
        ;
}

/* Reset, not only closed. */
static inline bool far_was_reset(int fd)
{
    struct tcp_info info = { 0 };
    socklen_t n = sizeof(info);
    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &n) == 0 && info.tcpi_state == TCP_CLOSE;
}

/* Waits until the client has reset a connection. */
static inline void far_wait_for_reset(const struct ty_far *far)
{
    for (int i = 0; far->resets == 0; i++) {
        if (i == 30000)
            fail_msg("no connection was reset in a minute");
        poll(NULL, 0, 2);
    }
}

/* While it holds: the number of received bytes that are not read yet. */
static inline int far_received(const struct ty_far *far)
{
    int sum = 0;
    for (int i = 0, bytes = 0; i < far->connections; i++) {
        assert_int_equal(ioctl(far->fds[i], FIONREAD, &bytes), 0);
        sum += bytes;
    }
    return sum;
}

/* While it holds, waits until its clients have closed or reset so many connections. */
static inline void far_wait_for_ends(const struct ty_far *far, int n)
{
    for (int i = 0, ended = 0; ended < n; i++) {
        if (i == 30000)
            fail_msg("%d connections have ended in a minute, not %d", ended, n);
        poll(NULL, 0, 2);
        ended = 0;
        for (int k = 0; k < far->connections; k++) {
            struct pollfd p = { .fd = far->fds[k], .events = POLLRDHUP };
            ended += poll(&p, 1, 0) == 1;
        }
    }
}

/* Something to read, and reading is allowed. */
static inline bool far_has_more(const struct far_link *l)
{
    struct pollfd p = { .fd = l->fd, .events = POLLIN };
    bool rests = l->stalls || l->far->holds, waits = gnutls_record_check_pending(l->tls) == 0;
    if (rests ? poll(NULL, 0, 20) == 0 : waits && poll(&p, 1, 20) == 0)
        return false;
    return !l->far->holds; /* it may have been set during the poll */
}

static inline void far_speak(struct far_link *l)
{
    char bytes[16384];
    l->h2 = far_session(l, true);
    while (!l->far->stop && !l->cut && nghttp2_session_send(l->h2) == 0 && !l->cut) {
        if (!far_has_more(l))
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
        if (!far_has_more(l))
            continue;
        ssize_t n = gnutls_record_recv(l->tls, bytes, sizeof(bytes));
        if (n == GNUTLS_E_AGAIN || n == GNUTLS_E_INTERRUPTED)
            continue;
        if (n <= 0)
            break;
        l->far->requests++;
        far_cork(l->fd, true); /* sends key update and response together */
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
    gnutls_session_ticket_enable_server(l.tls, &far->ticket_key); /* sent after the handshake */
    if (far->alpn)
        gnutls_alpn_set_protocols(l.tls, &alpn, 1, 0);
    gnutls_transport_set_int(l.tls, fd);
    while (far->holds && !far->stop)
        poll(NULL, 0, 5);
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
    far->resets += far_was_reset(fd);
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

/* One thread for each connection: some stay open while others are opened. */
static inline void *far_run(void *ctx)
{
    struct ty_far *far = ctx;
    pthread_t threads[FAR_MOST];
    size_t n = 0;
    while (n < FAR_MOST) {
        int c = accept4(far->fd, NULL, NULL, SOCK_CLOEXEC);
        if (c < 0 && errno == EMFILE) { /* a test has lowered the limit: wait until it is raised */
            poll(NULL, 0, 5);
            continue;
        }
        if (c < 0)
            break;
        far->fds[n] = c;
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

/* Replaces its certificate. */
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

/* A CA, and a certificate for 127.0.0.1 and far.test, valid for that time. */
static inline void far_certs(struct ty_far *far, int64_t from_s, int64_t until_s)
{
    static const char *const names[] = { "127.0.0.1", "::1", "far.test", NULL };
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);
    struct ty_err err = { 0 };
    struct ty_pem ca, pair;
    int64_t now = time(NULL);
    struct ty_certs_request of_ca = { .name = "ca", .from_s = now - 60, .until_s = now + 600 };
    struct ty_certs_request of_far = {
        .name = "far", .names = names, .from_s = now + from_s, .until_s = now + until_s
    };
    assert_int_equal(ty_certs_ca(a, &of_ca, &ca, &err), 0);
    assert_int_equal(ty_certs_serving(a, &of_far, &ca, &pair, &err), 0);
    far_file(far->ca, far->dir, "ca", ca.cert);
    far_file(far->ca_key, far->dir, "ca.key", ca.key);
    far_show(far, &pair);
}

/* A certificate of the right CA, with the right name, for this purpose only. */
static inline void far_certify_for(struct ty_far *far, const char *purpose)
{
    static const unsigned char ip[] = { 127, 0, 0, 1 };
    gnutls_datum_t ca_pem, key_pem, out[2];
    gnutls_x509_crt_t ca, cert;
    gnutls_x509_privkey_t ca_key, key;
    time_t now = time(NULL);

    assert_int_equal(gnutls_load_file(far->ca, &ca_pem), 0);
    assert_int_equal(gnutls_load_file(far->ca_key, &key_pem), 0);
    gnutls_x509_crt_init(&ca);
    gnutls_x509_crt_init(&cert);
    gnutls_x509_privkey_init(&ca_key);
    gnutls_x509_privkey_init(&key);
    assert_int_equal(gnutls_x509_crt_import(ca, &ca_pem, GNUTLS_X509_FMT_PEM), 0);
    assert_int_equal(gnutls_x509_privkey_import(ca_key, &key_pem, GNUTLS_X509_FMT_PEM), 0);
    assert_int_equal(gnutls_x509_privkey_generate(
                         key, GNUTLS_PK_ECDSA, GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0),
                     0);
    gnutls_x509_crt_set_version(cert, 3);
    gnutls_x509_crt_set_serial(cert, "7", 1);
    gnutls_x509_crt_set_activation_time(cert, now - 60);
    gnutls_x509_crt_set_expiration_time(cert, now + 600);
    gnutls_x509_crt_set_dn(cert, "CN=somebody", NULL);
    gnutls_x509_crt_set_subject_alt_name(cert, GNUTLS_SAN_IPADDRESS, ip, sizeof(ip), 0);
    gnutls_x509_crt_set_key_usage(cert, GNUTLS_KEY_DIGITAL_SIGNATURE);
    gnutls_x509_crt_set_key_purpose_oid(cert, purpose, 0);
    gnutls_x509_crt_set_key(cert, key);
    assert_int_equal(gnutls_x509_crt_sign2(cert, ca, ca_key, GNUTLS_DIG_SHA256, 0), 0);
    assert_int_equal(gnutls_x509_crt_export2(cert, GNUTLS_X509_FMT_PEM, &out[0]), 0);
    assert_int_equal(gnutls_x509_privkey_export2(key, GNUTLS_X509_FMT_PEM, &out[1]), 0);
    far_show(far, &(struct ty_pem){ .cert = { (char *)out[0].data, out[0].size },
                                    .key = { (char *)out[1].data, out[1].size } });
    gnutls_free(out[0].data);
    gnutls_free(out[1].data);
    gnutls_free(ca_pem.data);
    gnutls_free(key_pem.data);
    gnutls_x509_crt_deinit(ca);
    gnutls_x509_crt_deinit(cert);
    gnutls_x509_privkey_deinit(ca_key);
    gnutls_x509_privkey_deinit(key);
}

static inline void far_start(struct ty_far *far, const char *alpn)
{
    far->alpn = alpn;
    snprintf(far->dir, sizeof(far->dir), "/tmp/ty-far.XXXXXX");
    assert_non_null(mkdtemp(far->dir));
    far_certs(far, -60, 600);
    assert_int_equal(gnutls_session_ticket_key_generate(&far->ticket_key), 0);
    far->fd = port_take(16, &far->port);
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
