/* libcurl's multi interface on a libuv loop: libcurl registers the sockets and the timeout that it
 * waits for, and is called when they are ready. */
#include "net/http_client_inner.h"

#include <unistd.h>

/* The limit of Go's servers for a connection; libcurl's default is 100. */
#define MAX_STREAMS 250L

/* A socket that libcurl waits for. libcurl unregisters a connection's socket when a response is
 * complete and registers it again with the next request; removing it from the loop's epoll set and
 * adding it again costs six system calls for each request. So the socket stays in that set until it
 * is closed. */
struct sock {
    struct sock *next, **at;
    uv_poll_t poll;
    struct ty_http_client_pool *pool;
    curl_socket_t fd;
    bool connection; /* libcurl reports its close; not so for its resolver's sockets */
    int armed;       /* events that libuv polls for, wanted or not */
};

static void pool_closed(struct ty_http_client_pool *p)
{
    p->open--;
    if (p->open == 0 && !p->client)
        free(p);
}

static void on_sock_closed(uv_handle_t *h)
{
    struct sock *s = h->data;
    pool_closed(s->pool);
    free(s);
}

static void on_timer_closed(uv_handle_t *h)
{
    pool_closed(h->data);
}

/* All bytes that libcurl sends for a call are sent from here, except close-notify: see
 * ty_http_client_pool_guard. */
static void socket_action(struct ty_http_client_pool *p, curl_socket_t fd, int what)
{
    int running = 0;
    if (!ty_fence_is_open(&p->client->set.fence)) {
        ty_http_client_curl_fenced(p->client);
        return;
    }
    p->inside++;
    p->client->curl.multi_socket_action(p->multi, fd, what, &running);
    p->inside--;
    ty_http_client_curl_settle(p); /* may close the pool */
}

static void sock_rest(struct sock *s)
{
    uv_poll_stop(&s->poll);
    s->armed = 0;
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct sock *s = poll->data;
    int what = (events & UV_READABLE ? CURL_CSELECT_IN : 0) |
               (events & UV_WRITABLE ? CURL_CSELECT_OUT : 0);

    /* Also after an error, when `what` is 0 and libcurl polls itself: a peer that resets the
     * connection may have answered before, and CURL_CSELECT_ERR would discard that. */
    if (status < 0)
        s->armed = 0; /* libuv has stopped polling */
    if (!uv_has_ref((const uv_handle_t *)poll))
        sock_rest(s); /* libcurl does not wait for it: the peer probably closed it, which libcurl
                         will detect */
    else
        socket_action(s->pool, s->fd, what);
}

static void on_time(uv_timer_t *timer)
{
    socket_action(timer->data, CURL_SOCKET_TIMEOUT, 0);
}

static struct sock *sock_find(const struct ty_http_client_pool *p, curl_socket_t fd)
{
    struct sock *s = p->socks;
    while (s && s->fd != fd)
        s = s->next;
    return s;
}

static void sock_close(struct sock *s)
{
    *s->at = s->next;
    if (s->next)
        s->next->at = s->at;
    uv_close((uv_handle_t *)&s->poll, on_sock_closed); /* stops at once: fd may be closed now */
}

static struct sock *sock_new(struct ty_http_client_pool *p, curl_socket_t fd)
{
    struct sock *s = ty_xalloc(calloc(1, sizeof(*s)));
    s->pool = p;
    s->fd = fd;
    if (uv_poll_init_socket(p->loop, &s->poll, fd) < 0) {
        free(s);
        return NULL;
    }
    s->poll.data = s;
    s->next = p->socks;
    s->at = &p->socks;
    if (s->next)
        s->next->at = &s->next;
    p->socks = s;
    p->open++;
    return s;
}

bool ty_http_client_pool_opened(struct ty_http_client_pool *p, curl_socket_t fd)
{
    struct sock *s = sock_find(p, fd); /* closed a moment ago by libcurl itself: see on_socket */
    if (s)
        sock_close(s);
    s = sock_new(p, fd);
    if (!s)
        return false;
    s->connection = true;
    uv_unref((uv_handle_t *)&s->poll);
    return true;
}

int ty_http_client_pool_closes(void *ctx, curl_socket_t fd)
{
    struct sock *s = sock_find(ctx, fd);
    struct ty_http_client_pool *p = ctx;
    if (s)
        sock_close(s);
    ty_fence_disarm(&p->client->set.fence, fd);
    return close(fd);
}

void ty_http_client_pool_cut(struct ty_http_client_pool *p)
{
    for (const struct sock *s = p->socks; s; s = s->next)
        ty_fence_cut(s->fd); /* sockets of the resolver cannot be cut */
}

void ty_http_client_pool_guard(struct ty_http_client_pool *p)
{
    if (!ty_fence_is_open(&p->client->set.fence))
        ty_http_client_pool_cut(p);
}

static bool is_connected(curl_socket_t fd)
{
    struct sockaddr_storage to;
    socklen_t n = sizeof(to);
    return getpeername(fd, (struct sockaddr *)&to, &n) == 0;
}

/* libcurl closes a socket that is not connected yet without a callback: such a socket is removed
 * from the loop's set as soon as libcurl does not wait for it, because otherwise a new socket with
 * the same number could not be added. A referenced handle keeps the loop running, and here also
 * means that libcurl waits. */
static int on_socket(CURL *easy TY_UNUSED, curl_socket_t fd, int what, void *ctx,
                     void *known TY_UNUSED)
{
    struct ty_http_client_pool *p = ctx;
    struct sock *s = sock_find(p, fd);
    int events = (what & CURL_POLL_IN ? UV_READABLE : 0) | (what & CURL_POLL_OUT ? UV_WRITABLE : 0);

    if (what == CURL_POLL_REMOVE) {
        if (s && s->connection && is_connected(fd))
            uv_unref((uv_handle_t *)&s->poll);
        else if (s)
            sock_close(s);
        return 0;
    }
    if (!s)
        s = sock_new(p, fd);
    if (!s)
        return -1;
    uv_ref((uv_handle_t *)&s->poll);
    if (s->armed == events)
        return 0;
    s->armed = events;
    return uv_poll_start(&s->poll, events, on_poll) < 0 ? -1 : 0;
}

static int on_timeout(CURLM *multi TY_UNUSED, long ms, void *ctx)
{
    struct ty_http_client_pool *p = ctx;
    if (ms < 0)
        uv_timer_stop(&p->timer);
    else
        uv_timer_start(&p->timer, on_time, (uint64_t)ms, 0);
    return 0;
}

struct ty_http_client_pool *ty_http_client_pool_new(struct ty_http_client *w)
{
    struct ty_http_client_pool *p = ty_xalloc(calloc(1, sizeof(*p)));
    p->client = w;
    p->loop = w->set.loop;
    p->multi = ty_xalloc(w->curl.multi_init());
    curl_socket_callback socket = on_socket;
    curl_multi_timer_callback timeout = on_timeout;
    w->curl.multi_setopt(p->multi, CURLMOPT_SOCKETFUNCTION, socket);
    w->curl.multi_setopt(p->multi, CURLMOPT_SOCKETDATA, (void *)p);
    w->curl.multi_setopt(p->multi, CURLMOPT_TIMERFUNCTION, timeout);
    w->curl.multi_setopt(p->multi, CURLMOPT_TIMERDATA, (void *)p);
    w->curl.multi_setopt(p->multi, CURLMOPT_MAX_CONCURRENT_STREAMS, MAX_STREAMS);
    w->curl.multi_setopt(p->multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)w->set.connections);
    if (w->set.connections) /* keep connections open even if few calls are running */
        w->curl.multi_setopt(p->multi, CURLMOPT_MAXCONNECTS, (long)w->set.connections);
    w->curl.multi_setopt(p->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
    uv_timer_init(p->loop, &p->timer);
    p->timer.data = p;
    p->open = 1;
    return p;
}

void ty_http_client_pool_close(struct ty_http_client_pool *p)
{
    ty_http_client_pool_guard(p);
    p->inside++; /* libcurl closes its sockets through on_socket */
    p->client->curl.multi_cleanup(p->multi);
    p->inside--;
    p->multi = NULL;
    p->client = NULL;
    uv_close((uv_handle_t *)&p->timer, on_timer_closed);
}
