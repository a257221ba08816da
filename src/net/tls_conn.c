/* Resolves the name and connects the socket; tls_conn_session.c continues from there. The
 * connection is in one of the states of tls_conn_inner.h; ty_tls_conn_fail is the exit from each.
 */
#include "net/tls_conn_inner.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "net/tcp_keepalive.h"

#define SHARE_MS 2000 /* enough for the kernel to send the SYN twice */

/* Ends */

static void close_one(struct ty_tls_conn *conn)
{
    conn->open--;
    if (conn->open || conn->state != FREED)
        return;
    if (conn->found)
        freeaddrinfo(conn->found);
    free(conn->in);
    ty_buf_done(&conn->out);
    free(conn);
}

static void on_plug_closed(uv_handle_t *h)
{
    struct ty_tls_conn_poll *plug = h->data;
    close_one(plug->conn);
    free(plug);
}

static void on_timer_closed(uv_handle_t *h)
{
    close_one(h->data);
}

static void stop_polling(struct ty_tls_conn *conn)
{
    if (!conn->plug)
        return;
    uv_close((uv_handle_t *)&conn->plug->poll, on_plug_closed);
    close(conn->fd); /* libuv has removed it from its set */
    conn->plug = NULL;
}

static void hang_up(struct ty_tls_conn *conn)
{
    ty_dns_lookup_cancel(conn->lookup);
    conn->lookup = NULL;
    ty_tls_conn_tls_end(conn);
    stop_polling(conn);
    uv_timer_stop(&conn->timer);
}

/* ty_tls_conn_tls_end sends a close-notify only in state READY. */
static void skip_close_notify(struct ty_tls_conn *conn)
{
    conn->state = conn->state == READY ? SHAKES : conn->state;
}

void ty_tls_conn_fail(struct ty_tls_conn *conn, const char *fmt, ...)
{
    char why[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(why, sizeof(why), fmt, ap);
    va_end(ap);
    skip_close_notify(conn);
    hang_up(conn);
    conn->state = GONE;
    conn->set.gone(conn->set.ctx, why);
}

void ty_tls_conn_free(struct ty_tls_conn *conn)
{
    if (!conn)
        return;
    if (conn->state == READY && !ty_fence_disarm(conn->set.fence, conn->fd))
        skip_close_notify(conn);
    hang_up(conn);
    conn->state = FREED;
    uv_close((uv_handle_t *)&conn->timer, on_timer_closed);
}

void ty_tls_conn_reset(struct ty_tls_conn *conn)
{
    if (conn && conn->plug)
        ty_fence_cut(conn->fd);
    if (conn)
        skip_close_notify(conn);
    ty_tls_conn_free(conn);
}

/* Connecting */

static void try_next(struct ty_tls_conn *conn);
static void on_late(uv_timer_t *timer);

/* Sets the timer to the remaining time; each address but the last gets a share of it, so that one
 * that never answers does not use up the time of the others. */
static void set_time(struct ty_tls_conn *conn)
{
    uint64_t now = uv_now(conn->set.loop), n = 1;
    uint64_t ms = conn->late_ms > now ? conn->late_ms - now : 0;
    for (const struct addrinfo *a = conn->next; a && conn->state == CONNECTS; a = a->ai_next)
        n++;
    ms /= n;
    uv_timer_start(&conn->timer, on_late, n > 1 && ms > SHARE_MS ? SHARE_MS : ms, 0);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct ty_tls_conn *conn = ((struct ty_tls_conn_poll *)poll->data)->conn;
    int e = 0;
    socklen_t n = sizeof(e);

    if (conn->state == SHAKES) {
        ty_tls_conn_handshake(conn);
    } else if (conn->state == READY) {
        if (events & UV_WRITABLE)
            ty_tls_conn_flush(conn);
        if (conn->state == READY && ((events & UV_READABLE) || status < 0))
            ty_tls_conn_read(conn);
    } else if (conn->state == CONNECTS) {
        getsockopt(conn->fd, SOL_SOCKET, SO_ERROR, &e, &n);
        if (e == 0 && status >= 0) {
            conn->state = SHAKES;
            set_time(conn);
            ty_tls_conn_connected(conn);
            return;
        }
        snprintf(conn->error, sizeof(conn->error), "%s", strerrordesc_np(e ? e : EIO));
        try_next(conn);
    }
}

void ty_tls_conn_poll_events(struct ty_tls_conn *conn, int events)
{
    uv_poll_start(&conn->plug->poll, events, on_poll);
}

static void set_options(int fd, const struct ty_tls_conn_settings *s)
{
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    ty_tcp_keepalive_set(fd, s->dead_ms);
    ty_fence_arm(s->fence, fd);
}

static bool start_polling(struct ty_tls_conn *conn, int fd)
{
    struct ty_tls_conn_poll *plug = ty_xalloc(calloc(1, sizeof(*plug)));
    plug->conn = conn;
    plug->poll.data = plug;
    if (uv_poll_init_socket(conn->set.loop, &plug->poll, fd) < 0) {
        free(plug);
        return false;
    }
    conn->plug = plug;
    conn->fd = fd;
    conn->open++;
    if (!conn->held)
        uv_unref((uv_handle_t *)&plug->poll);
    return true;
}

static bool try_one(struct ty_tls_conn *conn, const struct addrinfo *to)
{
    int fd = socket(to->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), e = errno;

    if (fd >= 0)
        set_options(fd, &conn->set);
    if (fd >= 0 && (connect(fd, to->ai_addr, to->ai_addrlen) == 0 || errno == EINPROGRESS) &&
        start_polling(conn, fd)) {
        ty_tls_conn_poll_events(conn, UV_WRITABLE);
        set_time(conn);
        return true;
    }
    e = fd >= 0 ? errno : e;
    snprintf(conn->error, sizeof(conn->error), "%s", strerrordesc_np(e));
    if (fd >= 0)
        close(fd);
    return false;
}

static void try_next(struct ty_tls_conn *conn)
{
    conn->state = CONNECTS;
    stop_polling(conn);
    while (conn->next) {
        const struct addrinfo *to = conn->next;
        conn->next = to->ai_next;
        if (try_one(conn, to))
            return;
    }
    ty_tls_conn_fail(conn, "cannot connect to %s port %s: %s", conn->set.host, conn->set.port,
                     conn->error);
}

void ty_tls_conn_resolved(struct ty_tls_conn *conn, struct addrinfo *found)
{
    conn->found = found;
    conn->next = found;
    try_next(conn);
}

static void on_found(void *ctx, struct addrinfo *found, const char *why)
{
    struct ty_tls_conn *conn = ctx;

    conn->lookup = NULL;
    if (found)
        ty_tls_conn_resolved(conn, found);
    else
        ty_tls_conn_fail(conn, "the name %s cannot be resolved: %s", conn->set.host, why);
}

static void on_late(uv_timer_t *timer)
{
    struct ty_tls_conn *conn = timer->data;
    static const char *const what[] = { [RESOLVES] = "its name was not resolved",
                                        [CONNECTS] = "it did not answer",
                                        [SHAKES] = "it did not finish the TLS handshake" };
    if (conn->state == CONNECTS && conn->next) {
        try_next(conn);
        return;
    }
    ty_tls_conn_fail(conn, "timed out: no connection to %s port %s in %lld ms: %s", conn->set.host,
                     conn->set.port, (long long)conn->set.connect_ms, what[conn->state]);
}

static void find_number(struct ty_tls_conn *conn)
{
    const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST };
    struct addrinfo *found = NULL;

    int r = getaddrinfo(conn->set.host, conn->set.port, &hints, &found);
    snprintf(conn->error, sizeof(conn->error), "%s", r ? gai_strerror(r) : "");
    ty_tls_conn_resolved(conn, r == 0 ? found : NULL);
}

static void on_begin(uv_timer_t *timer)
{
    struct ty_tls_conn *conn = timer->data;
    struct ty_err err = { 0 };

    set_time(conn);
    if (ty_tls_conn_is_address(conn->set.host)) { /* an address needs no resolver thread */
        find_number(conn);
        return;
    }
    conn->lookup = ty_dns_lookup_start(conn->set.lookups, conn->set.host, conn->set.port, on_found,
                                       conn, &err);
    if (!conn->lookup)
        ty_tls_conn_fail(conn, "the name %s cannot be resolved: %s", conn->set.host, err.text);
}

struct ty_tls_conn *ty_tls_conn_new(const struct ty_tls_conn_settings *s)
{
    struct ty_tls_conn *conn = ty_xalloc(calloc(1, sizeof(*conn)));
    conn->set = *s;
    conn->in = ty_xalloc(malloc(IN_BYTES));
    conn->held = true;
    conn->open = 1;
    uv_update_time(s->loop); /* the loop may not have run for long */
    conn->late_ms = uv_now(s->loop) + (uint64_t)s->connect_ms;
    uv_timer_init(s->loop, &conn->timer);
    conn->timer.data = conn;
    uv_timer_start(&conn->timer, on_begin, 0, 0);
    return conn;
}

void ty_tls_conn_set_ref(struct ty_tls_conn *conn, bool hold)
{
    if (conn->held == hold)
        return;
    conn->held = hold;
    if (conn->plug && hold)
        uv_ref((uv_handle_t *)&conn->plug->poll);
    else if (conn->plug)
        uv_unref((uv_handle_t *)&conn->plug->poll);
}
