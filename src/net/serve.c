/* Listening, the loop, deadlines, the end. */
#include <errno.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/serve_inner.h"
#include "net/tls_options.h"

#define CONNECTIONS  1024u
#define HEADER_BYTES ((size_t)32 << 10)
#define BODY_BYTES   ((size_t)64 << 10)
#define DEADLINE_MS  10000
#define IDLE_MS      120000
#define LAST_WORD_MS 1000 /* to write the answer after a deadline */
#define BACKLOG      512
#define RUNS         4 /* at once, while there is more to do */

/* ---- listening ---- */

static int bind_one(const struct addrinfo *at)
{
    int fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, at->ai_protocol);
    int on = 1, off = 0;

    if (fd < 0)
        return -errno;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (at->ai_family == AF_INET6) /* "every address" means those of IPv4, too */
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
    if (bind(fd, at->ai_addr, at->ai_addrlen) < 0 || listen(fd, BACKLOG) < 0) {
        int r = -errno;
        close(fd);
        return r;
    }
    return fd;
}

/* A machine without IPv6 still has every address: of two families, whichever works. */
static int listen_at(const char *address, int port, int *ret_fd, struct ty_err *err)
{
    bool any = !address || !address[0];
    char service[16];
    const char *const hosts[] = { any ? "::" : address, any ? "0.0.0.0" : NULL };
    int fd = -EINVAL;

    snprintf(service, sizeof(service), "%d", port);
    for (size_t i = 0; i < 2 && hosts[i] && fd < 0; i++) {
        struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
                                  .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE };
        struct addrinfo *found = NULL;
        if (getaddrinfo(hosts[i], service, &hints, &found) != 0)
            return ty_fail(err, -EINVAL, "\"%s\" is not an IP address to listen on", hosts[i]);
        fd = bind_one(found);
        freeaddrinfo(found);
    }
    if (fd < 0)
        return ty_fail(err, fd, "cannot listen on %s port %d: %s", any ? "any address" : address,
                       port, strerrordesc_np(-fd));
    *ret_fd = fd;
    return 0;
}

static int port_of(int fd)
{
    struct sockaddr_storage at = { 0 };
    socklen_t n = sizeof(at);
    char service[16] = "";
    int64_t port = 0;

    if (getsockname(fd, (struct sockaddr *)&at, &n) == 0 &&
        getnameinfo((struct sockaddr *)&at, n, NULL, 0, service, sizeof(service), NI_NUMERICSERV) ==
            0)
        ty_parse_i64(ty_str(service), &port);
    return (int)port;
}

/* ---- the loop ---- */

static void finish_stop(struct ty_serve *s)
{
    void (*stopped)(void *) = s->stopped;

    if (!s->stopping || s->n_conns || s->freeing)
        return;
    s->stopped = NULL;
    uv_timer_stop(&s->sweep);
    if (stopped)
        stopped(s->stopped_ctx);
}

static void on_again(uv_timer_t *t)
{
    ty_serve_run(t->data);
}

/* More to do without news from the kernel: bytes that TLS has read ahead, mostly. But an unfinished
 * handshake counts as such, too, for as long as it lasts (libmicrohttpd 0.9.75): whoever sends half
 * of one must not keep us busy, so the pauses grow until there is news. Never a pause of 0: libuv
 * 1.44 would not come back from it. */
static void pause_then_run(struct ty_serve *s)
{
    s->idle_runs += s->idle_runs < 5;
    uv_timer_start(&s->again, on_again, 1u << (s->idle_runs - 1), 0);
}

void ty_serve_run(struct ty_serve *s)
{
    MHD_UNSIGNED_LONG_LONG wait = 0;
    bool more = true;

    if (s->freeing)
        return;
    for (int i = 0; i < RUNS && more; i++) {
        s->mhd.run(s->daemon);
        more = s->mhd.get_timeout(s->daemon, &wait) == MHD_YES && wait == 0;
    }
    if (more)
        pause_then_run(s);
    else
        uv_timer_stop(&s->again);
    finish_stop(s);
}

static void on_kick(uv_idle_t *kick)
{
    uv_idle_stop(kick);
    ty_serve_run(kick->data);
}

/* libmicrohttpd's epoll does not wake up for a connection that is resumed. */
void ty_serve_kick(struct ty_serve *s)
{
    if (!s->freeing)
        uv_idle_start(&s->kick, on_kick);
}

static void on_epoll(uv_poll_t *poll, int status TY_UNUSED, int events TY_UNUSED)
{
    struct ty_serve *s = poll->data;

    s->idle_runs = 0;
    ty_serve_run(s);
}

/* libmicrohttpd closes a connection whose socket is shut; there is no other way to tell it. */
static void cut(struct ty_serve_conn *c)
{
    shutdown(c->fd, SHUT_RDWR);
    c->due_ms = INT64_MAX;
}

static void on_sweep(uv_timer_t *t)
{
    struct ty_serve *s = t->data;
    int64_t now = ty_serve_now(s);
    bool over = s->stopping && now >= s->stop_by_ms;

    for (struct ty_serve_conn *c = s->conns; c; c = c->next) {
        if (now < c->due_ms && !over)
            continue;
        if (ty_serve_give_up(c))
            c->due_ms = now + LAST_WORD_MS;
        else
            cut(c);
    }
    ty_serve_run(s);
}

/* Deadlines are looked at while there is somebody to have one. */
static void begin_sweep(struct ty_serve *s)
{
    int64_t least = s->o.deadline_ms < s->o.idle_ms ? s->o.deadline_ms : s->o.idle_ms;
    int64_t every = least / 8;

    if (uv_is_active((uv_handle_t *)&s->sweep))
        return;
    every = every < 10 ? 10 : every > 500 ? 500 : every;
    uv_timer_start(&s->sweep, on_sweep, (uint64_t)every, (uint64_t)every);
}

/* ---- connections ---- */

static void conn_new(struct ty_serve *s, struct MHD_Connection *mhd, void **ctx)
{
    const union MHD_ConnectionInfo *fd =
        s->mhd.get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct ty_serve_conn *c = calloc(1, sizeof(*c));

    if (!c)
        abort(); /* as the arena: out of memory is not an error to handle */
    uv_update_time(s->o.loop);
    *c = (struct ty_serve_conn){ .s = s,
                                 .mhd = mhd,
                                 .fd = fd->connect_fd,
                                 .due_ms = ty_serve_now(s) + s->o.deadline_ms,
                                 .fresh = true,
                                 .next = s->conns,
                                 .at = &s->conns };
    if (s->conns)
        s->conns->at = &c->next;
    s->conns = c;
    s->n_conns++;
    *ctx = c;
    begin_sweep(s);
    if (s->with_tls)
        ty_serve_tls_begin(c);
}

static void conn_free(struct ty_serve_conn *c)
{
    struct ty_serve *s = c->s;

    *c->at = c->next;
    if (c->next)
        c->next->at = c->at;
    ty_identity_unref(s, c->id);
    free(c);
    if (--s->n_conns == 0)
        uv_timer_stop(&s->sweep);
}

static void on_connection(void *cls, struct MHD_Connection *mhd, void **ctx,
                          enum MHD_ConnectionNotificationCode what)
{
    if (what == MHD_CONNECTION_NOTIFY_STARTED)
        conn_new(cls, mhd, ctx);
    else if (*ctx) {
        conn_free(*ctx);
        *ctx = NULL;
    }
}

/* ---- begin and end ---- */

static int start_daemon(struct ty_serve *s, const struct ty_serve_tls *tls, struct ty_err *err)
{
    unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | (tls ? MHD_USE_TLS : 0);
    struct MHD_OptionItem with_tls[] = {
        { MHD_OPTION_HTTPS_PRIORITIES, 0, NULL },
        { MHD_OPTION_HTTPS_CERT_CALLBACK, 0, NULL },
        { MHD_OPTION_END, 0, NULL },
    };
    const struct MHD_OptionItem plain[] = { { MHD_OPTION_END, 0, NULL } };

    if (tls) {
        const char *priority = tls->priority ? tls->priority : TY_TLS_DEFAULT;
        gnutls_certificate_retrieve_function2 *show = ty_serve_tls_nothing;
        memcpy(&with_tls[0].ptr_value, &priority, sizeof(priority)); /* only read */
        memcpy(&with_tls[1].ptr_value, &show, sizeof(show));
    }
    s->daemon = s->mhd.start_daemon(
        flags, 0, NULL, NULL, ty_serve_on_request, s, MHD_OPTION_LISTEN_SOCKET, s->listen_fd,
        MHD_OPTION_CONNECTION_LIMIT, s->o.connections, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        s->o.header_bytes, MHD_OPTION_CONNECTION_TIMEOUT, 0u, MHD_OPTION_URI_LOG_CALLBACK,
        ty_serve_on_line, s, MHD_OPTION_NOTIFY_COMPLETED, ty_serve_on_end, s,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, s, MHD_OPTION_ARRAY, tls ? with_tls : plain,
        MHD_OPTION_END);
    if (!s->daemon)
        return ty_fail(err, -EIO, "the HTTP server cannot begin");
    return 0;
}

static void fill_in(struct ty_serve_opts *o)
{
    o->connections = o->connections ? o->connections : CONNECTIONS;
    o->header_bytes = o->header_bytes ? o->header_bytes : HEADER_BYTES;
    o->body_bytes = o->body_bytes ? o->body_bytes : BODY_BYTES;
    o->deadline_ms = o->deadline_ms ? o->deadline_ms : DEADLINE_MS;
    o->idle_ms = o->idle_ms ? o->idle_ms : IDLE_MS;
    o->address = NULL;
    o->tls = NULL;
}

static void watch(struct ty_serve *s)
{
    const union MHD_DaemonInfo *info = s->mhd.get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD);

    uv_poll_init(s->o.loop, &s->poll, info->epoll_fd);
    uv_timer_init(s->o.loop, &s->again);
    uv_timer_init(s->o.loop, &s->sweep);
    uv_idle_init(s->o.loop, &s->kick);
    s->handles = 4;
    s->poll.data = s->again.data = s->sweep.data = s->kick.data = s;
    uv_poll_start(&s->poll, UV_READABLE, on_epoll);
}

static void refuse_new(struct ty_serve *s)
{
    if (s->listen_fd < 0)
        return;
    s->mhd.quiesce_daemon(s->daemon);
    close(s->listen_fd);
    s->listen_fd = -1;
}

static void end_daemon(struct ty_serve *s)
{
    s->freeing = true;
    if (s->daemon) {
        refuse_new(s);
        for (struct ty_serve_conn *c = s->conns; c; c = c->next)
            ty_serve_give_up(c); /* none may be suspended when the daemon stops */
        s->mhd.stop_daemon(s->daemon);
    } else if (s->listen_fd >= 0)
        close(s->listen_fd);
}

static void forget(struct ty_serve *s)
{
    ty_serve_tls_done(s);
    ty_mhd_done(&s->mhd);
    free(s);
}

int ty_serve_new(const struct ty_serve_opts *opts, struct ty_serve **ret, struct ty_err *err)
{
    struct ty_serve *s = calloc(1, sizeof(*s));
    int r = 0;

    if (!s)
        abort();
    s->o = *opts;
    s->listen_fd = opts->fd > 0 ? opts->fd : -1;
    s->with_tls = opts->tls != NULL;
    fill_in(&s->o);
    if (s->listen_fd < 0)
        r = listen_at(opts->address, opts->port, &s->listen_fd, err);
    if (r == 0)
        r = ty_mhd_load(&s->mhd, err);
    if (r == 0 && opts->tls)
        r = ty_serve_tls_init(s, opts->tls, err);
    if (r == 0)
        r = start_daemon(s, opts->tls, err);
    if (r < 0) {
        end_daemon(s);
        forget(s);
        return r;
    }
    s->port = port_of(s->listen_fd);
    watch(s);
    *ret = s;
    return 0;
}

int ty_serve_port(const struct ty_serve *s)
{
    return s->port;
}

size_t ty_serve_connections(const struct ty_serve *s)
{
    return s->n_conns;
}

void ty_serve_stop(struct ty_serve *s, int64_t grace_ms, void (*stopped)(void *ctx), void *ctx)
{
    uv_update_time(s->o.loop);
    s->stopping = true;
    s->stopped = stopped;
    s->stopped_ctx = ctx;
    s->stop_by_ms = ty_serve_now(s) + grace_ms;
    refuse_new(s);
    for (struct ty_serve_conn *c = s->conns; c; c = c->next)
        if (!c->q)
            cut(c);
    uv_timer_start(&s->again, on_again, 0,
                   0); /* `stopped` is called from the loop, not from here */
    if (s->n_conns)
        uv_timer_start(&s->sweep, on_sweep, 10, 10);
}

static void closed(uv_handle_t *h)
{
    struct ty_serve *s = h->data;

    if (--s->handles == 0)
        forget(s);
}

void ty_serve_free(struct ty_serve *s)
{
    if (!s || s->freeing)
        return;
    uv_poll_stop(&s->poll); /* before its descriptor is closed */
    end_daemon(s);
    uv_close((uv_handle_t *)&s->poll, closed);
    uv_close((uv_handle_t *)&s->kick, closed);
    uv_close((uv_handle_t *)&s->again, closed);
    uv_close((uv_handle_t *)&s->sweep, closed);
}
