/* The server's loop, start and stop. */
#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

#include "net/http_server_inner.h"
#include "net/tls_options.h"

#define CONNECTIONS  1024u
#define HEADER_BYTES ((size_t)16 << 10)
#define BODY_BYTES   ((size_t)64 << 10)
#define ARENA_BYTES  ((size_t)16 << 20)
#define DEADLINE_MS  10000
#define IDLE_MS      120000
#define RUNS         4 /* iterations in a row, while there is more to do */
/* A thousand handshakes in a second would starve everything else on the loop, including lease
 * renewal: a server that was busy for longer than this pauses three times as long, so that three
 * servers under attack use at most three quarters of the time. */
#define BUSY_NS      ((uint64_t)10 * 1000000)
#define REST         3u
#define REST_MOST_MS ((uint64_t)1000)

/* ---- the loop ---- */

static void finish_stop(struct ty_http_server *s)
{
    void (*stopped)(void *) = s->stopped;

    if (!s->stopping || s->n_conns || s->freeing)
        return;
    s->stopped = NULL;
    uv_timer_stop(&s->sweep);
    if (stopped)
        stopped(s->stopped_ctx);
}

static void on_epoll(uv_poll_t *poll, int status, int events);

static void on_again(uv_timer_t *t)
{
    struct ty_http_server *s = t->data;

    if (s->resting) {
        s->resting = false;
        uv_poll_start(&s->poll, UV_READABLE, on_epoll);
    }
    if (s->later)
        ty_http_server_kick(s);
    ty_http_server_run(s);
}

static void rest_after(struct ty_http_server *s, uint64_t busy_ns)
{
    uint64_t ms = busy_ns * REST / 1000000;

    s->resting = true;
    s->rests++;
    uv_poll_stop(&s->poll);
    uv_update_time(s->o.loop);
    uv_timer_start(&s->again, on_again, ms < REST_MOST_MS ? ms : REST_MOST_MS, 0);
}

/* libmicrohttpd has more to do without an event from the kernel, mostly bytes that TLS has read
 * ahead. An unfinished handshake counts as such, too, as long as it lasts (libmicrohttpd 0.9.75):
 * half a handshake must not keep the server busy, so the pauses grow until there is an event. Never
 * a pause of 0: libuv 1.44 would not return from it. */
static void pause_then_run(struct ty_http_server *s)
{
    s->idle_runs += s->idle_runs < 5;
    uv_timer_start(&s->again, on_again, 1u << (s->idle_runs - 1), 0);
}

void ty_http_server_run(struct ty_http_server *s)
{
    MHD_UNSIGNED_LONG_LONG wait = 0;
    uint64_t begin = uv_hrtime(),
             busy = 0; /* without the handler, whose time is limited separately */
    bool more = true;

    if (s->freeing || s->resting)
        return;
    s->handled_ns = 0;
    for (int i = 0; i < RUNS && more && busy <= BUSY_NS; i++) {
        MHD_run(s->daemon);
        more = MHD_get_timeout(s->daemon, &wait) == MHD_YES && wait == 0;
        busy = uv_hrtime() - begin - s->handled_ns;
    }
    if (busy > BUSY_NS && !s->stopping)
        rest_after(s, busy);
    else if (more)
        pause_then_run(s);
    else
        uv_timer_stop(&s->again);
    finish_stop(s);
}

static void on_kick(uv_idle_t *kick)
{
    struct ty_http_server *s = kick->data;

    uv_idle_stop(kick);
    if (s->resting)
        return; /* the timer `again` continues */
    ty_http_server_wake_later(s);
    ty_http_server_run(s);
}

/* libmicrohttpd's epoll does not wake up for a resumed connection. */
void ty_http_server_kick(struct ty_http_server *s)
{
    if (!s->freeing)
        uv_idle_start(&s->kick, on_kick);
}

static void on_epoll(uv_poll_t *poll, int status TY_UNUSED, int events TY_UNUSED)
{
    struct ty_http_server *s = poll->data;

    s->idle_runs = 0;
    ty_http_server_run(s);
}

/* ---- begin and end ---- */

static int start_daemon(struct ty_http_server *s, const struct ty_http_server_tls *tls,
                        struct ty_err *err)
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
        gnutls_certificate_retrieve_function2 *show = ty_http_server_tls_nothing;
        memcpy(&with_tls[0].ptr_value, &priority, sizeof(priority)); /* only read */
        memcpy(&with_tls[1].ptr_value, &show, sizeof(show));
    }
    s->daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, ty_http_server_on_request, s, MHD_OPTION_LISTEN_SOCKET, s->listen_fd,
        MHD_OPTION_CONNECTION_LIMIT, s->o.connections, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        s->o.header_bytes, MHD_OPTION_CONNECTION_TIMEOUT, 0u, MHD_OPTION_URI_LOG_CALLBACK,
        ty_http_server_on_line, s, MHD_OPTION_NOTIFY_COMPLETED, ty_http_server_on_end, s,
        MHD_OPTION_NOTIFY_CONNECTION, ty_http_server_on_connection, s, MHD_OPTION_ARRAY,
        tls ? with_tls : plain, MHD_OPTION_END);
    if (!s->daemon)
        return ty_fail(err, -EIO, "the HTTP server cannot begin");
    return 0;
}

/* Leaves most of the process's file descriptors to its other ports and its own requests: a flooded
 * port must not take the descriptor that lease renewal needs. */
static unsigned connection_limit(unsigned wanted)
{
    struct rlimit files = { 0 };
    unsigned most = wanted ? wanted : CONNECTIONS;

    if (getrlimit(RLIMIT_NOFILE, &files) < 0 || files.rlim_cur / 8 >= most)
        return most;
    return files.rlim_cur / 8 < 16 ? 16 : (unsigned)(files.rlim_cur / 8);
}

static void fill_in(struct ty_http_server_opts *o)
{
    o->connections = connection_limit(o->connections);
    o->arena_bytes = o->arena_bytes ? o->arena_bytes : ARENA_BYTES;
    o->header_bytes = o->header_bytes ? o->header_bytes : HEADER_BYTES;
    o->body_bytes = o->body_bytes ? o->body_bytes : BODY_BYTES;
    o->deadline_ms = o->deadline_ms ? o->deadline_ms : DEADLINE_MS;
    o->idle_ms = o->idle_ms ? o->idle_ms : IDLE_MS;
    o->address = NULL;
    o->tls = NULL;
}

static void watch_epoll(struct ty_http_server *s)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD);

    uv_poll_init(s->o.loop, &s->poll, info->epoll_fd);
    uv_timer_init(s->o.loop, &s->again);
    uv_timer_init(s->o.loop, &s->sweep);
    uv_idle_init(s->o.loop, &s->kick);
    s->handles = 4;
    s->poll.data = s->again.data = s->sweep.data = s->kick.data = s;
    uv_poll_start(&s->poll, UV_READABLE, on_epoll);
}

static void refuse_new(struct ty_http_server *s)
{
    if (s->listen_fd < 0)
        return;
    MHD_quiesce_daemon(s->daemon);
    close(s->listen_fd);
    s->listen_fd = -1;
}

static void end_daemon(struct ty_http_server *s)
{
    s->freeing = true;
    if (s->daemon) {
        refuse_new(s);
        /* No connection may be suspended when the daemon stops. */
        for (struct ty_http_server_conn *c = s->conns[TY_HTTP_SERVER_CONN_HANDLER].first, *next; c;
             c = next) {
            next = c->next;
            ty_http_server_give_up(c);
        }
        MHD_stop_daemon(s->daemon);
    } else if (s->listen_fd >= 0)
        close(s->listen_fd);
}

static void drop_handle(struct ty_http_server *s)
{
    ty_http_server_cert_unref(s->id);
    free(s);
}

int ty_http_server_new(const struct ty_http_server_opts *opts, struct ty_http_server **ret,
                       struct ty_err *err)
{
    struct ty_http_server *s = ty_xalloc(calloc(1, sizeof(*s)));
    int r = 0;
    s->o = *opts;
    s->listen_fd = opts->fd > 0 ? opts->fd : -1;
    s->with_tls = opts->tls != NULL;
    fill_in(&s->o);
    if (s->listen_fd < 0)
        r = ty_http_server_listen(opts->address, opts->port, &s->listen_fd, err);
    if (r == 0 && opts->tls)
        r = ty_http_server_tls_check(opts->tls, err);
    if (r == 0)
        r = start_daemon(s, opts->tls, err);
    if (r < 0) {
        end_daemon(s);
        drop_handle(s);
        return r;
    }
    s->port = ty_http_server_port_of(s->listen_fd);
    watch_epoll(s);
    *ret = s;
    return 0;
}

int ty_http_server_port(const struct ty_http_server *s)
{
    return s->port;
}

size_t ty_http_server_connections(const struct ty_http_server *s)
{
    return s->n_conns;
}

uint64_t ty_http_server_closed(const struct ty_http_server *s, enum ty_http_server_close_reason why)
{
    return s->cuts[why];
}

void ty_http_server_stop(struct ty_http_server *s, int64_t grace_ms, void (*stopped)(void *ctx),
                         void *ctx)
{
    uv_update_time(s->o.loop);
    s->stopping = true;
    s->stopped = stopped;
    s->stopped_ctx = ctx;
    s->stop_by_ms = ty_http_server_now(s) + grace_ms;
    refuse_new(s);
    ty_http_server_conn_close_idle(s);
    uv_timer_start(&s->again, on_again, 0,
                   0); /* `stopped` is called from the loop, not from here */
    if (s->n_conns)
        ty_http_server_sweep(s, 10);
}

static void on_handle_closed(uv_handle_t *h)
{
    struct ty_http_server *s = h->data;

    if (--s->handles == 0)
        drop_handle(s);
}

void ty_http_server_free(struct ty_http_server *s)
{
    if (!s || s->freeing)
        return;
    uv_poll_stop(&s->poll); /* before its descriptor is closed */
    end_daemon(s);
    uv_close((uv_handle_t *)&s->poll, on_handle_closed);
    uv_close((uv_handle_t *)&s->kick, on_handle_closed);
    uv_close((uv_handle_t *)&s->again, on_handle_closed);
    uv_close((uv_handle_t *)&s->sweep, on_handle_closed);
}
