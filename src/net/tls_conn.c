/* The way of a connection from a name to a socket: resolve, connect; tls_conn_session.c goes on
 * from there. It is in one of the states of tls_conn_inner.h; ty_tls_conn_fail is the way out of
 * each. */
#include "net/tls_conn_inner.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "net/tcp_keepalive.h"

#define SHARE_MS 2000 /* time in which the kernel knocks twice */

/* Ends */

static void close_one(struct ty_tls_conn *line)
{
    line->open--;
    if (line->open || line->state != FREED)
        return;
    if (line->found)
        freeaddrinfo(line->found);
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
    struct ty_tls_conn_poll *plug = h->data;
    close_one(plug->line);
    free(plug);
}

static void on_timer_closed(uv_handle_t *h)
{
    close_one(h->data);
}

static void stop_polling(struct ty_tls_conn *line)
{
    if (!line->plug)
        return;
    uv_close((uv_handle_t *)&line->plug->poll, on_plug_closed);
    close(line->fd); /* libuv has taken it out of its set */
    line->plug = NULL;
}

static void hang_up(struct ty_tls_conn *line)
{
    ty_dns_lookup_cancel(line->lookup);
    line->lookup = NULL;
    ty_tls_conn_tls_end(line);
    stop_polling(line);
    uv_timer_stop(&line->timer);
}

static void no_goodbye(struct ty_tls_conn *line)
{
    line->state = line->state == READY ? SHAKES : line->state;
}

void ty_tls_conn_fail(struct ty_tls_conn *line, const char *fmt, ...)
{
    char why[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(why, sizeof(why), fmt, ap);
    va_end(ap);
    no_goodbye(line);
    hang_up(line);
    line->state = GONE;
    line->set.gone(line->set.ctx, why);
}

void ty_tls_conn_free(struct ty_tls_conn *line)
{
    if (!line)
        return;
    if (line->state == READY && !ty_fence_disarm(line->set.fence, line->fd))
        no_goodbye(line);
    hang_up(line);
    line->state = FREED;
    uv_close((uv_handle_t *)&line->timer, on_timer_closed);
}

void ty_tls_conn_reset(struct ty_tls_conn *line)
{
    if (line && line->plug)
        ty_fence_cut(line->fd);
    if (line)
        no_goodbye(line);
    ty_tls_conn_free(line);
}

/* Connecting */

static void try_next(struct ty_tls_conn *line);
static void on_late(uv_timer_t *timer);

/* What is left of the time; an address before the last gets its share of that, so that one which
 * never answers does not use up the time of those behind it. */
static void set_time(struct ty_tls_conn *line)
{
    uint64_t now = uv_now(line->set.loop), n = 1;
    uint64_t ms = line->late_ms > now ? line->late_ms - now : 0;
    for (const struct addrinfo *a = line->next; a && line->state == CONNECTS; a = a->ai_next)
        n++;
    ms /= n;
    uv_timer_start(&line->timer, on_late, n > 1 && ms > SHARE_MS ? SHARE_MS : ms, 0);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct ty_tls_conn *line = ((struct ty_tls_conn_poll *)poll->data)->line;
    int e = 0;
    socklen_t n = sizeof(e);

    if (line->state == SHAKES) {
        ty_tls_conn_handshake(line);
    } else if (line->state == READY) {
        if (events & UV_WRITABLE)
            ty_tls_conn_flush(line);
        if (line->state == READY && ((events & UV_READABLE) || status < 0))
            ty_tls_conn_read(line);
    } else if (line->state == CONNECTS) {
        getsockopt(line->fd, SOL_SOCKET, SO_ERROR, &e, &n);
        if (e == 0 && status >= 0) {
            line->state = SHAKES;
            set_time(line);
            ty_tls_conn_connected(line);
            return;
        }
        snprintf(line->error, sizeof(line->error), "%s", strerrordesc_np(e ? e : EIO));
        try_next(line);
    }
}

void ty_tls_conn_poll_events(struct ty_tls_conn *line, int events)
{
    uv_poll_start(&line->plug->poll, events, on_poll);
}

static void set_options(int fd, const struct ty_tls_conn_settings *s)
{
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    ty_tcp_keepalive_set(fd, s->dead_ms);
    ty_fence_arm(s->fence, fd);
}

static bool start_polling(struct ty_tls_conn *line, int fd)
{
    struct ty_tls_conn_poll *plug = calloc(1, sizeof(*plug));
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

static bool try_one(struct ty_tls_conn *line, const struct addrinfo *to)
{
    int fd = socket(to->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), e = errno;

    if (fd >= 0)
        set_options(fd, &line->set);
    if (fd >= 0 && (connect(fd, to->ai_addr, to->ai_addrlen) == 0 || errno == EINPROGRESS) &&
        start_polling(line, fd)) {
        ty_tls_conn_poll_events(line, UV_WRITABLE);
        set_time(line);
        return true;
    }
    e = fd >= 0 ? errno : e;
    snprintf(line->error, sizeof(line->error), "%s", strerrordesc_np(e));
    if (fd >= 0)
        close(fd);
    return false;
}

static void try_next(struct ty_tls_conn *line)
{
    line->state = CONNECTS;
    stop_polling(line);
    while (line->next) {
        const struct addrinfo *to = line->next;
        line->next = to->ai_next;
        if (try_one(line, to))
            return;
    }
    ty_tls_conn_fail(line, "cannot connect to %s port %s: %s", line->set.host, line->set.port,
                     line->error);
}

void ty_tls_conn_resolved(struct ty_tls_conn *line, struct addrinfo *found)
{
    line->found = found;
    line->next = found;
    try_next(line);
}

static void on_found(void *ctx, struct addrinfo *found, const char *why)
{
    struct ty_tls_conn *line = ctx;

    line->lookup = NULL;
    if (found)
        ty_tls_conn_resolved(line, found);
    else
        ty_tls_conn_fail(line, "the name %s cannot be resolved: %s", line->set.host, why);
}

static void on_late(uv_timer_t *timer)
{
    struct ty_tls_conn *line = timer->data;
    static const char *const what[] = { [RESOLVES] = "its name was not resolved",
                                        [CONNECTS] = "it did not answer",
                                        [SHAKES] = "it did not finish the TLS handshake" };
    if (line->state == CONNECTS && line->next) {
        try_next(line);
        return;
    }
    ty_tls_conn_fail(line, "timed out: no connection to %s port %s in %lld ms: %s", line->set.host,
                     line->set.port, (long long)line->set.connect_ms, what[line->state]);
}

static void find_number(struct ty_tls_conn *line)
{
    const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST };
    struct addrinfo *found = NULL;

    int r = getaddrinfo(line->set.host, line->set.port, &hints, &found);
    snprintf(line->error, sizeof(line->error), "%s", r ? gai_strerror(r) : "");
    ty_tls_conn_resolved(line, r == 0 ? found : NULL);
}

static void on_begin(uv_timer_t *timer)
{
    struct ty_tls_conn *line = timer->data;
    struct ty_err err = { 0 };

    set_time(line);
    if (ty_tls_conn_is_address(line->set.host)) { /* asks nobody, so no thread is needed */
        find_number(line);
        return;
    }
    line->lookup = ty_dns_lookup_start(line->set.lookups, line->set.host, line->set.port, on_found,
                                       line, &err);
    if (!line->lookup)
        ty_tls_conn_fail(line, "the name %s cannot be resolved: %s", line->set.host, err.text);
}

static const char *copy_str(const char *s)
{
    char *mine = s ? strdup(s) : NULL;
    if (s && !mine)
        abort();
    return mine;
}

struct ty_tls_conn *ty_tls_conn_new(const struct ty_tls_conn_settings *s)
{
    struct ty_tls_conn *line = calloc(1, sizeof(*line));
    if (!line)
        abort();
    line->set = *s;
    line->set.host = copy_str(s->host);
    line->set.port = copy_str(s->port);
    line->set.name = copy_str(s->name);
    line->set.ca_file = copy_str(s->ca_file);
    line->set.cert_file = copy_str(s->cert_file);
    line->set.key_file = copy_str(s->key_file);
    line->in = malloc(IN_BYTES);
    if (!line->in)
        abort();
    line->held = true;
    line->open = 1;
    uv_update_time(s->loop); /* it may be long since the loop looked */
    line->late_ms = uv_now(s->loop) + (uint64_t)s->connect_ms;
    uv_timer_init(s->loop, &line->timer);
    line->timer.data = line;
    uv_timer_start(&line->timer, on_begin, 0, 0);
    return line;
}

void ty_tls_conn_set_ref(struct ty_tls_conn *line, bool hold)
{
    if (line->held == hold)
        return;
    line->held = hold;
    if (line->plug && hold)
        uv_ref((uv_handle_t *)&line->plug->poll);
    else if (line->plug)
        uv_unref((uv_handle_t *)&line->plug->poll);
}
