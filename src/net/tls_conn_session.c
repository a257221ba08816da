/* TLS over a connected socket: the handshake, then records in both directions. */
#include "net/tls_conn_inner.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>

#define RECORD_BYTES ((size_t)16 << 10) /* the maximal size of a TLS record */
#define MOST_READS   32                 /* then the loop runs, however fast the server sends */

void ty_tls_conn_tls_end(struct ty_tls_conn *conn)
{
    if (conn->tls && conn->state == READY)
        gnutls_bye(conn->tls, GNUTLS_SHUT_WR); /* close-notify */
    if (conn->tls)
        gnutls_deinit(conn->tls);
    if (conn->creds)
        gnutls_certificate_free_credentials(conn->creds);
    conn->tls = NULL;
    conn->creds = NULL;
}

/* Bytes */

/* GnuTLS reads from the read-ahead buffer. */
static ssize_t pull_bytes(gnutls_transport_ptr_t ctx, void *to, size_t room)
{
    struct ty_tls_conn *conn = ctx;
    if (conn->in_at == conn->in_n) {
        ssize_t got = conn->dry ? -1 : recv(conn->fd, conn->in, IN_BYTES, 0);
        if (got <= 0) {
            conn->lost = conn->dry ? EAGAIN : errno;
            gnutls_transport_set_errno(conn->tls, conn->lost);
            return got;
        }
        conn->in_at = 0;
        conn->in_n = (size_t)got;
        /* If there is more, the loop reports it. */
        conn->dry = conn->in_n < IN_BYTES || ++conn->reads == MOST_READS;
    }
    size_t n = conn->in_n - conn->in_at < room ? conn->in_n - conn->in_at : room;
    memcpy(to, conn->in + conn->in_at, n);
    conn->in_at += n;
    conn->pulled += n;
    return (ssize_t)n;
}

/* The last point at which bytes can be stopped: from here on the kernel has them, and retransmits
 * them until they arrive. When the socket is full, the rest of a record comes here again. */
static ssize_t push_bytes(gnutls_transport_ptr_t ctx, const void *bytes, size_t n)
{
    struct ty_tls_conn *conn = ctx;
    ssize_t put = -1;

    errno = ECANCELED;
    if (ty_fence_is_open(conn->set.fence))
        put = send(conn->fd, bytes, n, MSG_NOSIGNAL);
    if (put < 0)
        gnutls_transport_set_errno(conn->tls, errno);
    return put;
}

static bool is_later(ssize_t r)
{
    return r == GNUTLS_E_AGAIN || r == GNUTLS_E_INTERRUPTED;
}

static void fail_tls(struct ty_tls_conn *conn, ssize_t r)
{
    gnutls_datum_t text = { 0 };
    int e = errno;

    if (r == GNUTLS_E_PUSH_ERROR && !ty_fence_is_open(conn->set.fence)) {
        ty_tls_conn_fail(conn, TY_FENCE_CLOSED);
    } else if (r == GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR) {
        gnutls_certificate_verification_status_print(
            gnutls_session_get_verify_cert_status(conn->tls), GNUTLS_CRT_X509, &text, 0);
        struct ty_str said = ty_str_trim(ty_str((const char *)text.data));
        ty_tls_conn_fail(conn, "the server's certificate, for %s: %.*s", conn->set.name,
                         TY_ARG(said));
        free(text.data);
    } else if (r == GNUTLS_E_FATAL_ALERT_RECEIVED) {
        ty_tls_conn_fail(conn, "the server refused the TLS connection: %s",
                         gnutls_alert_get_name(gnutls_alert_get(conn->tls)));
    } else if (r == 0 || r == GNUTLS_E_PREMATURE_TERMINATION) {
        ty_tls_conn_fail(conn, "the server closed the connection");
    } else {
        const char *why = gnutls_strerror((int)r);
        if (r == GNUTLS_E_PULL_ERROR || r == GNUTLS_E_PUSH_ERROR)
            why = strerrordesc_np(r == GNUTLS_E_PULL_ERROR ? conn->lost : e);
        ty_tls_conn_fail(conn, "the connection was lost: %s", why);
    }
}

/* The socket may be readable. */
static void mark_readable(struct ty_tls_conn *conn)
{
    conn->dry = false;
    conn->reads = 0;
}

static bool is_over(ssize_t r)
{
    return r == 0 || (!is_later(r) && gnutls_error_is_fatal((int)r));
}

/* GnuTLS also returns "again" after new keys and session tickets, even if more records follow: the
 * loop does not know of the read-ahead, so the loop here ends only with a call that read nothing.
 */
void ty_tls_conn_read(struct ty_tls_conn *conn)
{
    char record[RECORD_BYTES];
    ssize_t n = 0;

    mark_readable(conn);
    while (conn->state == READY) {
        uint64_t before = conn->pulled;
        n = gnutls_record_recv(conn->tls, record, sizeof(record));
        if (n > 0)
            conn->set.bytes(conn->set.ctx, (struct ty_str){ record, (size_t)n });
        else if (is_over(n) || (is_later(n) && conn->pulled == before))
            break; /* otherwise it was a warning, or a message of the connection itself */
    }
    if (conn->state == READY && !is_later(n))
        fail_tls(conn, n);
}

/* Several small frames make one record. */
static bool fill_record(struct ty_tls_conn *conn)
{
    if (conn->out_at < conn->out.n)
        return true;
    conn->out_at = conn->out.n = 0;
    while (conn->out.n < RECORD_BYTES) {
        struct ty_str more = conn->set.more(conn->set.ctx);
        if (more.n == 0)
            break;
        ty_buf_add(&conn->out, more);
    }
    return conn->out.n > 0;
}

void ty_tls_conn_flush(struct ty_tls_conn *conn)
{
    while (conn->state == READY && fill_record(conn)) {
        size_t left = conn->out.n - conn->out_at;
        ssize_t n = gnutls_record_send(conn->tls, conn->out.p + conn->out_at,
                                       left < RECORD_BYTES ? left : RECORD_BYTES);
        if (n > 0) {
            conn->out_at += (size_t)n;
            continue;
        }
        if (!is_later(n)) {
            fail_tls(conn, n);
            return;
        }
        if (!conn->blocked)
            ty_tls_conn_poll_events(conn, UV_READABLE | UV_WRITABLE);
        conn->blocked = true;
        return;
    }
    if (conn->state == READY && conn->blocked)
        ty_tls_conn_poll_events(conn, UV_READABLE);
    conn->blocked = false;
}

/* The handshake */

bool ty_tls_conn_is_address(const char *name)
{
    struct in6_addr a;
    return inet_pton(AF_INET, name, &a) == 1 || inet_pton(AF_INET6, name, &a) == 1;
}

static bool load_creds(struct ty_tls_conn *conn)
{
    const struct ty_tls_conn_settings *s = &conn->set;
    int r = gnutls_certificate_allocate_credentials(&conn->creds);

    if (r < 0)
        ty_xalloc_die();
    if (s->insecure)
        r = 1;
    else if (s->ca_file)
        r = gnutls_certificate_set_x509_trust_file(conn->creds, s->ca_file, GNUTLS_X509_FMT_PEM);
    else
        r = gnutls_certificate_set_x509_system_trust(conn->creds);
    if (r <= 0) {
        ty_tls_conn_fail(conn, "%s: no CA certificate can be read: %s",
                         s->ca_file ? s->ca_file : "the system's certificates",
                         r ? gnutls_strerror(r) : "there is none in it");
        return false;
    }
    r = 0;
    if (s->cert_file)
        r = gnutls_certificate_set_x509_key_file(conn->creds, s->cert_file,
                                                 s->key_file ? s->key_file : s->cert_file,
                                                 GNUTLS_X509_FMT_PEM);
    if (r < 0)
        ty_tls_conn_fail(conn, "the client certificate %s and its key cannot be used: %s",
                         s->cert_file, gnutls_strerror(r));
    return r >= 0;
}

void ty_tls_conn_handshake(struct ty_tls_conn *conn)
{
    gnutls_datum_t chosen = { 0 };
    int r;

    mark_readable(conn);
    do {
        r = gnutls_handshake(conn->tls);
    } while (r < 0 && !is_later(r) && !gnutls_error_is_fatal(r)); /* a warning */
    if (is_later(r)) {
        ty_tls_conn_poll_events(conn,
                                gnutls_record_get_direction(conn->tls) ? UV_WRITABLE : UV_READABLE);
        return;
    }
    if (r < 0) {
        fail_tls(conn, r);
        return;
    }
    bool h2 = gnutls_alpn_get_selected_protocol(conn->tls, &chosen) == 0 && chosen.size == 2 &&
              memcmp(chosen.data, "h2", 2) == 0;
    uv_timer_stop(&conn->timer);
    conn->state = READY;
    ty_tls_conn_poll_events(conn, UV_READABLE);
    conn->set.ready(conn->set.ctx, h2);
    ty_tls_conn_flush(conn);
    if (conn->state == READY)
        ty_tls_conn_read(conn); /* bytes that came with the end of the handshake */
}

/* Verifies the name and the purpose: a cluster's CA signs client certificates, too, with the names
 * that they request. */
static void verify_server(struct ty_tls_conn *conn)
{
    conn->wanted[0] = (gnutls_typed_vdata_st){ .type = GNUTLS_DT_DNS_HOSTNAME,
                                               .data = (unsigned char *)(uintptr_t)conn->set.name };
    conn->wanted[1] =
        (gnutls_typed_vdata_st){ .type = GNUTLS_DT_KEY_PURPOSE_OID,
                                 .data = (unsigned char *)(uintptr_t)GNUTLS_KP_TLS_WWW_SERVER };
    gnutls_session_set_verify_cert2(conn->tls, conn->wanted, 2, 0);
}

void ty_tls_conn_connected(struct ty_tls_conn *conn)
{
    gnutls_datum_t alpn[] = { { (unsigned char *)(uintptr_t) "h2", 2 },
                              { (unsigned char *)(uintptr_t) "http/1.1", 8 } };

    if (!load_creds(conn))
        return;
    if (gnutls_init(&conn->tls, GNUTLS_CLIENT | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL |
                                    GNUTLS_NO_TICKETS | GNUTLS_FORCE_CLIENT_CERT) < 0)
        ty_xalloc_die();
    gnutls_set_default_priority_append(conn->tls, "-VERS-TLS1.0:-VERS-TLS1.1", NULL, 0);
    gnutls_credentials_set(conn->tls, GNUTLS_CRD_CERTIFICATE, conn->creds);
    gnutls_alpn_set_protocols(conn->tls, alpn, 2, 0);
    if (!ty_tls_conn_is_address(conn->set.name))
        gnutls_server_name_set(conn->tls, GNUTLS_NAME_DNS, conn->set.name, strlen(conn->set.name));
    if (!conn->set.insecure)
        verify_server(conn);
    gnutls_transport_set_ptr2(conn->tls, conn,
                              conn->set.fence ? conn : (gnutls_transport_ptr_t)(intptr_t)conn->fd);
    gnutls_transport_set_pull_function(conn->tls, pull_bytes);
    if (conn->set.fence) /* otherwise GnuTLS sends a flight of the handshake at once */
        gnutls_transport_set_push_function(conn->tls, push_bytes);
    ty_tls_conn_handshake(conn);
}
