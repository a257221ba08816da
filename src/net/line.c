/* The way of a connection from a name to bytes: resolve, connect, shake hands, and then the TLS
 * records both ways. It is in one of the states below; `fail` is the way out of each. */
#include "net/line.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"

#define IN_BYTES     ((size_t)32 << 10)
#define RECORD_BYTES ((size_t)16 << 10) /* the most that TLS puts into one record */

enum state { RESOLVES, CONNECTS, SHAKES, READY, GONE, FREED };

/* A socket in the loop's set. libuv closes handles later, so each try has its own. */
struct plug {
    uv_poll_t poll;
    struct ty_line *line;
};

struct ty_line {
    struct ty_line_settings set; /* its strings are ours */
    enum state state;
    unsigned open; /* handles and requests of libuv that are not over yet */
    uv_timer_t timer;
    uv_getaddrinfo_t resolve;
    struct addrinfo *found;
    const struct addrinfo *next; /* to be tried */
    struct plug *plug;           /* NULL: no socket */
    int fd;
    bool held, blocked; /* keeps the loop going; the peer takes no more for now */
    gnutls_certificate_credentials_t creds;
    gnutls_session_t tls;
    char error[256]; /* of the last address */
    /* Read ahead of GnuTLS, which asks for a record's head and then for its rest: two system calls
     * a record, and one more to learn that there is none. */
    char *in;
    size_t in_at, in_n;
    bool dry;          /* the socket had no more when it was last read */
    int lost;          /* why it could not be read */
    struct ty_buf out; /* of the next record */
    size_t out_at;
};

/* Ends */

static void close_one(struct ty_line *line)
{
    line->open--;
    if (line->open || line->state != FREED)
        return;
    if (line->found)
        uv_freeaddrinfo(line->found);
    const char *strings[] = { line->set.host,    line->set.port,      line->set.name,
                              line->set.ca_file, line->set.cert_file, line->set.key_file };
    for (size_t i = 0; i < sizeof(strings) / sizeof(*strings); i++)
        free((void *)(uintptr_t)strings[i]);
    free(line->in);
    ty_buf_done(&line->out);
    free(line);
}

static void on_plug_closed(uv_handle_t *h)
{
    struct plug *plug = h->data;
    close_one(plug->line);
    free(plug);
}

static void on_timer_closed(uv_handle_t *h)
{
    close_one(h->data);
}

static void unplug(struct ty_line *line)
{
    if (!line->plug)
        return;
    uv_close((uv_handle_t *)&line->plug->poll, on_plug_closed);
    close(line->fd); /* libuv has taken it out of its set */
    line->plug = NULL;
}

static void hang_up(struct ty_line *line)
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
    unplug(line);
    uv_timer_stop(&line->timer);
}

static void TY_PRINTF(2, 3) fail(struct ty_line *line, const char *fmt, ...)
{
    char why[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(why, sizeof(why), fmt, ap);
    va_end(ap);
    line->state = line->state == READY ? SHAKES : line->state; /* no goodbye */
    hang_up(line);
    line->state = GONE;
    line->set.gone(line->set.ctx, why);
}

void ty_line_free(struct ty_line *line)
{
    if (!line)
        return;
    if (line->state == RESOLVES && line->resolve.data)
        uv_cancel((uv_req_t *)&line->resolve); /* or its answer comes and finds us freed */
    hang_up(line);
    line->state = FREED;
    uv_close((uv_handle_t *)&line->timer, on_timer_closed);
}

/* Bytes */

static void arm(struct ty_line *line, int events);

/* GnuTLS takes from what we have read. */
static ssize_t pull(gnutls_transport_ptr_t ctx, void *to, size_t room)
{
    struct ty_line *line = ctx;
    if (line->in_at == line->in_n) {
        ssize_t got = line->dry ? -1 : recv(line->fd, line->in, IN_BYTES, 0);
        if (got <= 0) {
            line->lost = line->dry ? EAGAIN : errno;
            line->set.gnutls->transport_set_errno(line->tls, line->lost);
            return got;
        }
        line->in_at = 0;
        line->in_n = (size_t)got;
        line->dry = line->in_n < IN_BYTES; /* if not, the loop tells */
    }
    size_t n = line->in_n - line->in_at < room ? line->in_n - line->in_at : room;
    memcpy(to, line->in + line->in_at, n);
    line->in_at += n;
    return (ssize_t)n;
}

static bool is_later(ssize_t r)
{
    return r == GNUTLS_E_AGAIN || r == GNUTLS_E_INTERRUPTED;
}

static void fail_tls(struct ty_line *line, ssize_t r)
{
    const struct ty_gnutls *g = line->set.gnutls;
    gnutls_datum_t text = { 0 };
    int e = errno;

    if (r == GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR) {
        g->certificate_verification_status_print(g->session_get_verify_cert_status(line->tls),
                                                 GNUTLS_CRT_X509, &text, 0);
        struct ty_str said = ty_str_trim(ty_str((const char *)text.data));
        fail(line, "the server's certificate, for %s: %.*s", line->set.name, TY_ARG(said));
        free(text.data);
    } else if (r == GNUTLS_E_FATAL_ALERT_RECEIVED) {
        fail(line, "the server refused the TLS connection: %s",
             g->alert_get_name(g->alert_get(line->tls)));
    } else if (r == 0 || r == GNUTLS_E_PREMATURE_TERMINATION) {
        fail(line, "the server closed the connection");
    } else {
        const char *why = g->why((int)r);
        if (r == GNUTLS_E_PULL_ERROR || r == GNUTLS_E_PUSH_ERROR)
            why = strerrordesc_np(r == GNUTLS_E_PULL_ERROR ? line->lost : e);
        fail(line, "the connection was lost: %s", why);
    }
}

static void read_all(struct ty_line *line)
{
    char record[RECORD_BYTES];
    ssize_t n = 0;

    line->dry = false;
    while (line->state == READY) {
        n = line->set.gnutls->record_recv(line->tls, record, sizeof(record));
        if (n > 0)
            line->set.bytes(line->set.ctx, (struct ty_str){ record, (size_t)n });
        else if (is_later(n) || n == 0 || line->set.gnutls->error_is_fatal((int)n))
            break; /* else it was a warning */
    }
    if (line->state == READY && !is_later(n))
        fail_tls(line, n);
}

/* Several small frames make one record. */
static bool fill(struct ty_line *line)
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

void ty_line_flush(struct ty_line *line)
{
    while (line->state == READY && fill(line)) {
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
            arm(line, UV_READABLE | UV_WRITABLE);
        line->blocked = true;
        return;
    }
    if (line->state == READY && line->blocked)
        arm(line, UV_READABLE);
    line->blocked = false;
}

/* The handshake */

static bool is_address(const char *name)
{
    struct in6_addr a;
    return inet_pton(AF_INET, name, &a) == 1 || inet_pton(AF_INET6, name, &a) == 1;
}

static bool load_creds(struct ty_line *line)
{
    const struct ty_gnutls *g = line->set.gnutls;
    const struct ty_line_settings *s = &line->set;
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
        fail(line, "%s: no CA certificate can be read: %s",
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
        fail(line, "the client certificate %s and its key cannot be used: %s", s->cert_file,
             g->why(r));
    return r >= 0;
}

static void shake(struct ty_line *line)
{
    const struct ty_gnutls *g = line->set.gnutls;
    gnutls_datum_t chosen = { 0 };

    line->dry = false;
    int r = g->handshake(line->tls);
    if (is_later(r)) {
        arm(line, g->record_get_direction(line->tls) ? UV_WRITABLE : UV_READABLE);
        return;
    }
    if (r < 0 && !g->error_is_fatal(r)) {
        shake(line); /* a warning */
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
    arm(line, UV_READABLE);
    line->set.ready(line->set.ctx, h2);
    ty_line_flush(line);
    if (line->state == READY)
        read_all(line); /* what came with the last of the handshake */
}

static void connected(struct ty_line *line)
{
    const struct ty_gnutls *g = line->set.gnutls;
    gnutls_datum_t alpn[] = { { (unsigned char *)(uintptr_t) "h2", 2 },
                              { (unsigned char *)(uintptr_t) "http/1.1", 8 } };

    line->state = SHAKES;
    if (!load_creds(line))
        return;
    if (g->init(&line->tls, GNUTLS_CLIENT | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL | GNUTLS_NO_TICKETS |
                                GNUTLS_FORCE_CLIENT_CERT) < 0)
        abort();
    g->set_default_priority(line->tls);
    g->credentials_set(line->tls, GNUTLS_CRD_CERTIFICATE, line->creds);
    g->alpn_set_protocols(line->tls, alpn, 2, 0);
    if (!is_address(line->set.name))
        g->server_name_set(line->tls, GNUTLS_NAME_DNS, line->set.name, strlen(line->set.name));
    if (!line->set.insecure)
        g->session_set_verify_cert(line->tls, line->set.name, 0);
    g->transport_set_ptr2(line->tls, line, (gnutls_transport_ptr_t)(intptr_t)line->fd);
    g->transport_set_pull_function(line->tls, pull);
    shake(line);
}

/* Connecting */

static void try_next(struct ty_line *line);

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct ty_line *line = ((struct plug *)poll->data)->line;
    int e = 0;
    socklen_t n = sizeof(e);

    if (line->state == SHAKES) {
        shake(line);
    } else if (line->state == READY) {
        if (events & UV_WRITABLE)
            ty_line_flush(line);
        if (line->state == READY && ((events & UV_READABLE) || status < 0))
            read_all(line);
    } else if (line->state == CONNECTS) {
        getsockopt(line->fd, SOL_SOCKET, SO_ERROR, &e, &n);
        if (e == 0 && status >= 0) {
            connected(line);
            return;
        }
        snprintf(line->error, sizeof(line->error), "%s", strerrordesc_np(e ? e : EIO));
        try_next(line);
    }
}

static void arm(struct ty_line *line, int events)
{
    uv_poll_start(&line->plug->poll, events, on_poll);
}

/* A peer that went away without a word: with bytes under way TCP_USER_TIMEOUT notices, without any
 * the probes do, which the same time limits. */
static void set_options(int fd, int64_t ms)
{
    int on = 1, dead_ms = (int)ms, every = dead_ms / 3000 > 0 ? dead_ms / 3000 : 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &every, sizeof(every));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every, sizeof(every));
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &dead_ms, sizeof(dead_ms));
}

static bool plug_in(struct ty_line *line, int fd)
{
    struct plug *plug = calloc(1, sizeof(*plug));
    if (!plug)
        abort();
    plug->line = line;
    plug->poll.data = plug;
    if (uv_poll_init_socket(line->set.loop, &plug->poll, fd) < 0) {
        free(plug);
        return false;
    }
    line->plug = plug;
    line->fd = fd;
    line->open++;
    if (!line->held)
        uv_unref((uv_handle_t *)&plug->poll);
    return true;
}

static bool try_one(struct ty_line *line, const struct addrinfo *to)
{
    int fd = socket(to->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), e = errno;

    if (fd >= 0)
        set_options(fd, line->set.dead_ms);
    if (fd >= 0 && (connect(fd, to->ai_addr, to->ai_addrlen) == 0 || errno == EINPROGRESS) &&
        plug_in(line, fd)) {
        arm(line, UV_WRITABLE);
        return true;
    }
    e = fd >= 0 ? errno : e;
    snprintf(line->error, sizeof(line->error), "%s", strerrordesc_np(e));
    if (fd >= 0)
        close(fd);
    return false;
}

static void try_next(struct ty_line *line)
{
    line->state = CONNECTS;
    unplug(line);
    while (line->next) {
        const struct addrinfo *to = line->next;
        line->next = to->ai_next;
        if (try_one(line, to))
            return;
    }
    fail(line, "cannot connect to %s port %s: %s", line->set.host, line->set.port, line->error);
}

static void on_found(uv_getaddrinfo_t *req, int status, struct addrinfo *found)
{
    struct ty_line *line = req->data;
    line->found = found;
    if (line->state == RESOLVES && status < 0) {
        fail(line, "the name %s cannot be resolved: %s", line->set.host, uv_strerror(status));
    } else if (line->state == RESOLVES) {
        line->next = found;
        try_next(line);
    }
    close_one(line);
}

static void on_late(uv_timer_t *timer)
{
    struct ty_line *line = timer->data;
    static const char *const what[] = { [RESOLVES] = "its name was not resolved",
                                        [CONNECTS] = "it did not answer",
                                        [SHAKES] = "it did not finish the TLS handshake" };
    fail(line, "timed out: no connection to %s port %s in %lld ms: %s", line->set.host,
         line->set.port, (long long)line->set.connect_ms, what[line->state]);
}

static void on_begin(uv_timer_t *timer)
{
    struct ty_line *line = timer->data;
    struct addrinfo hints = { .ai_family = AF_UNSPEC,
                              .ai_socktype = SOCK_STREAM,
                              .ai_flags =
                                  is_address(line->set.host) ? AI_NUMERICHOST : AI_ADDRCONFIG };
    uv_timer_start(timer, on_late, (uint64_t)line->set.connect_ms, 0);
    if (is_address(line->set.host)) { /* asks nobody, so no thread is needed */
        int r = getaddrinfo(line->set.host, line->set.port, &hints, &line->found);
        snprintf(line->error, sizeof(line->error), "%s", r ? gai_strerror(r) : "");
        line->next = r == 0 ? line->found : NULL;
        try_next(line);
        return;
    }
    line->resolve.data = line;
    line->open++;
    int r = uv_getaddrinfo(line->set.loop, &line->resolve, on_found, line->set.host, line->set.port,
                           &hints);
    if (r < 0) {
        line->open--;
        fail(line, "the name %s cannot be resolved: %s", line->set.host, uv_strerror(r));
    }
}

static const char *copy(const char *s)
{
    char *mine = s ? strdup(s) : NULL;
    if (s && !mine)
        abort();
    return mine;
}

struct ty_line *ty_line_new(const struct ty_line_settings *s)
{
    struct ty_line *line = calloc(1, sizeof(*line));
    if (!line)
        abort();
    line->set = *s;
    line->set.host = copy(s->host);
    line->set.port = copy(s->port);
    line->set.name = copy(s->name);
    line->set.ca_file = copy(s->ca_file);
    line->set.cert_file = copy(s->cert_file);
    line->set.key_file = copy(s->key_file);
    line->in = malloc(IN_BYTES);
    if (!line->in)
        abort();
    line->held = true;
    line->open = 1;
    uv_timer_init(s->loop, &line->timer);
    line->timer.data = line;
    uv_timer_start(&line->timer, on_begin, 0, 0);
    return line;
}

void ty_line_hold(struct ty_line *line, bool hold)
{
    if (line->held == hold)
        return;
    line->held = hold;
    if (line->plug && hold)
        uv_ref((uv_handle_t *)&line->plug->poll);
    else if (line->plug)
        uv_unref((uv_handle_t *)&line->plug->poll);
}
