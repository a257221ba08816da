/* TLS over a connected socket: the handshake, and then the records both ways. */
#include "net/tls_conn_inner.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>

#define RECORD_BYTES ((size_t)16 << 10) /* the most that TLS puts into one record */
#define MOST_READS   32 /* then the loop has its turn, however fast the server speaks */

void ty_tls_conn_tls_end(struct ty_tls_conn *line)
{
    const struct ty_gnutls *g = line->set.gnutls;
    if (line->tls && line->state == READY)
        g->bye(line->tls, GNUTLS_SHUT_WR); /* so that the server need not wonder */
    if (line->tls)
        g->deinit(line->tls);
    if (line->creds)
        g->certificate_free_credentials(line->creds);
    line->tls = NULL;
    line->creds = NULL;
}

/* Bytes */

/* GnuTLS takes from what we have read. */
static ssize_t pull_bytes(gnutls_transport_ptr_t ctx, void *to, size_t room)
{
    struct ty_tls_conn *line = ctx;
    if (line->in_at == line->in_n) {
        ssize_t got = line->dry ? -1 : recv(line->fd, line->in, IN_BYTES, 0);
        if (got <= 0) {
            line->lost = line->dry ? EAGAIN : errno;
            line->set.gnutls->transport_set_errno(line->tls, line->lost);
            return got;
        }
        line->in_at = 0;
        line->in_n = (size_t)got;
        /* If there is more, the loop tells. */
        line->dry = line->in_n < IN_BYTES || ++line->reads == MOST_READS;
    }
    size_t n = line->in_n - line->in_at < room ? line->in_n - line->in_at : room;
    memcpy(to, line->in + line->in_at, n);
    line->in_at += n;
    line->pulled += n;
    return (ssize_t)n;
}

/* The last point at which we can say no: from here bytes are the kernel's, and it sends them again
 * until they arrive. What a record leaves behind when the socket is full comes here anew. */
static ssize_t push_bytes(gnutls_transport_ptr_t ctx, const void *bytes, size_t n)
{
    struct ty_tls_conn *line = ctx;
    ssize_t put = -1;

    errno = ECANCELED;
    if (ty_fence_is_open(line->set.fence))
        put = send(line->fd, bytes, n, MSG_NOSIGNAL);
    if (put < 0)
        line->set.gnutls->transport_set_errno(line->tls, errno);
    return put;
}

static bool is_later(ssize_t r)
{
    return r == GNUTLS_E_AGAIN || r == GNUTLS_E_INTERRUPTED;
}

static void fail_tls(struct ty_tls_conn *line, ssize_t r)
{
    const struct ty_gnutls *g = line->set.gnutls;
    gnutls_datum_t text = { 0 };
    int e = errno;

    if (r == GNUTLS_E_PUSH_ERROR && !ty_fence_is_open(line->set.fence)) {
        ty_tls_conn_fail(line, TY_FENCE_CLOSED);
    } else if (r == GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR) {
        g->certificate_verification_status_print(g->session_get_verify_cert_status(line->tls),
                                                 GNUTLS_CRT_X509, &text, 0);
        struct ty_str said = ty_str_trim(ty_str((const char *)text.data));
        ty_tls_conn_fail(line, "the server's certificate, for %s: %.*s", line->set.name,
                         TY_ARG(said));
        free(text.data);
    } else if (r == GNUTLS_E_FATAL_ALERT_RECEIVED) {
        ty_tls_conn_fail(line, "the server refused the TLS connection: %s",
                         g->alert_get_name(g->alert_get(line->tls)));
    } else if (r == 0 || r == GNUTLS_E_PREMATURE_TERMINATION) {
        ty_tls_conn_fail(line, "the server closed the connection");
    } else {
        const char *why = g->why((int)r);
        if (r == GNUTLS_E_PULL_ERROR || r == GNUTLS_E_PUSH_ERROR)
            why = strerrordesc_np(r == GNUTLS_E_PULL_ERROR ? line->lost : e);
        ty_tls_conn_fail(line, "the connection was lost: %s", why);
    }
}

/* The loop says that there may be something, or nobody has looked yet. */
static void mark_readable(struct ty_tls_conn *line)
{
    line->dry = false;
    line->reads = 0;
}

static bool is_over(const struct ty_tls_conn *line, ssize_t r)
{
    return r == 0 || (!is_later(r) && line->set.gnutls->error_is_fatal((int)r));
}

/* "Later" is also what GnuTLS says after new keys and session tickets, whatever comes behind them:
 * the loop knows nothing of what we have read ahead, so it ends with a call that found nothing. */
void ty_tls_conn_read(struct ty_tls_conn *line)
{
    char record[RECORD_BYTES];
    ssize_t n = 0;

    mark_readable(line);
    while (line->state == READY) {
        uint64_t before = line->pulled;
        n = line->set.gnutls->record_recv(line->tls, record, sizeof(record));
        if (n > 0)
            line->set.bytes(line->set.ctx, (struct ty_str){ record, (size_t)n });
        else if (is_over(line, n) || (is_later(n) && line->pulled == before))
            break; /* else it was a warning, or of the connection itself */
    }
    if (line->state == READY && !is_later(n))
        fail_tls(line, n);
}

/* Several small frames make one record. */
static bool fill_record(struct ty_tls_conn *line)
{
    if (line->out_at < line->out.n)
        return true;
    line->out_at = line->out.n = 0;
    while (line->out.n < RECORD_BYTES) {
        struct ty_str more = line->set.more(line->set.ctx);
        if (more.n == 0)
            break;
        ty_buf_add(&line->out, more);
    }
    return line->out.n > 0;
}

void ty_tls_conn_flush(struct ty_tls_conn *line)
{
    while (line->state == READY && fill_record(line)) {
        size_t left = line->out.n - line->out_at;
        ssize_t n = line->set.gnutls->record_send(line->tls, line->out.p + line->out_at,
                                                  left < RECORD_BYTES ? left : RECORD_BYTES);
        if (n > 0) {
            line->out_at += (size_t)n;
            continue;
        }
        if (!is_later(n)) {
            fail_tls(line, n);
            return;
        }
        if (!line->blocked)
            ty_tls_conn_poll_events(line, UV_READABLE | UV_WRITABLE);
        line->blocked = true;
        return;
    }
    if (line->state == READY && line->blocked)
        ty_tls_conn_poll_events(line, UV_READABLE);
    line->blocked = false;
}

/* The handshake */

bool ty_tls_conn_is_address(const char *name)
{
    struct in6_addr a;
    return inet_pton(AF_INET, name, &a) == 1 || inet_pton(AF_INET6, name, &a) == 1;
}

static bool load_creds(struct ty_tls_conn *line)
{
    const struct ty_gnutls *g = line->set.gnutls;
    const struct ty_tls_conn_settings *s = &line->set;
    int r = g->certificate_allocate_credentials(&line->creds);

    if (r < 0)
        abort();
    if (s->insecure)
        r = 1;
    else if (s->ca_file)
        r = g->certificate_set_x509_trust_file(line->creds, s->ca_file, GNUTLS_X509_FMT_PEM);
    else
        r = g->certificate_set_x509_system_trust(line->creds);
    if (r <= 0) {
        ty_tls_conn_fail(line, "%s: no CA certificate can be read: %s",
                         s->ca_file ? s->ca_file : "the system's certificates",
                         r ? g->why(r) : "there is none in it");
        return false;
    }
    r = 0;
    if (s->cert_file)
        r = g->certificate_set_x509_key_file(line->creds, s->cert_file,
                                             s->key_file ? s->key_file : s->cert_file,
                                             GNUTLS_X509_FMT_PEM);
    if (r < 0)
        ty_tls_conn_fail(line, "the client certificate %s and its key cannot be used: %s",
                         s->cert_file, g->why(r));
    return r >= 0;
}

void ty_tls_conn_handshake(struct ty_tls_conn *line)
{
    const struct ty_gnutls *g = line->set.gnutls;
    gnutls_datum_t chosen = { 0 };
    int r;

    mark_readable(line);
    do {
        r = g->handshake(line->tls);
    } while (r < 0 && !is_later(r) && !g->error_is_fatal(r)); /* a warning */
    if (is_later(r)) {
        ty_tls_conn_poll_events(line,
                                g->record_get_direction(line->tls) ? UV_WRITABLE : UV_READABLE);
        return;
    }
    if (r < 0) {
        fail_tls(line, r);
        return;
    }
    bool h2 = g->alpn_get_selected_protocol(line->tls, &chosen) == 0 && chosen.size == 2 &&
              memcmp(chosen.data, "h2", 2) == 0;
    uv_timer_stop(&line->timer);
    line->state = READY;
    ty_tls_conn_poll_events(line, UV_READABLE);
    line->set.ready(line->set.ctx, h2);
    ty_tls_conn_flush(line);
    if (line->state == READY)
        ty_tls_conn_read(line); /* what came with the last of the handshake */
}

/* The name, and that it is a server's: a cluster's CA signs certificates of clients, too, with the
 * names that they ask for. */
static void verify_server(struct ty_tls_conn *line)
{
    line->wanted[0] = (gnutls_typed_vdata_st){ .type = GNUTLS_DT_DNS_HOSTNAME,
                                               .data = (unsigned char *)(uintptr_t)line->set.name };
    line->wanted[1] =
        (gnutls_typed_vdata_st){ .type = GNUTLS_DT_KEY_PURPOSE_OID,
                                 .data = (unsigned char *)(uintptr_t)GNUTLS_KP_TLS_WWW_SERVER };
    line->set.gnutls->session_set_verify_cert2(line->tls, line->wanted, 2, 0);
}

void ty_tls_conn_connected(struct ty_tls_conn *line)
{
    const struct ty_gnutls *g = line->set.gnutls;
    gnutls_datum_t alpn[] = { { (unsigned char *)(uintptr_t) "h2", 2 },
                              { (unsigned char *)(uintptr_t) "http/1.1", 8 } };

    if (!load_creds(line))
        return;
    if (g->init(&line->tls, GNUTLS_CLIENT | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL | GNUTLS_NO_TICKETS |
                                GNUTLS_FORCE_CLIENT_CERT) < 0)
        abort();
    g->set_default_priority_append(line->tls, "-VERS-TLS1.0:-VERS-TLS1.1", NULL, 0);
    g->credentials_set(line->tls, GNUTLS_CRD_CERTIFICATE, line->creds);
    g->alpn_set_protocols(line->tls, alpn, 2, 0);
    if (!ty_tls_conn_is_address(line->set.name))
        g->server_name_set(line->tls, GNUTLS_NAME_DNS, line->set.name, strlen(line->set.name));
    if (!line->set.insecure)
        verify_server(line);
    g->transport_set_ptr2(line->tls, line,
                          line->set.fence ? line : (gnutls_transport_ptr_t)(intptr_t)line->fd);
    g->transport_set_pull_function(line->tls, pull_bytes);
    if (line->set.fence) /* else GnuTLS does it, a flight of the handshake at once */
        g->transport_set_push_function(line->tls, push_bytes);
    ty_tls_conn_handshake(line);
}
