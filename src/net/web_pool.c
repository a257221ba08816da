/* libcurl's multi interface on a libuv loop: it says which sockets and which time it waits for, and
 * is told when they come. */
#include "net/web_inner.h"

#define MAX_STREAMS 250L /* what Go's servers allow on a connection; libcurl itself says 100 */

/* A socket that libcurl waits for. */
struct sock {
    uv_poll_t poll;
    struct ty_web_pool *pool;
    curl_socket_t fd;
};

static void pool_closed(struct ty_web_pool *p)
{
    p->open--;
    if (p->open == 0 && !p->web)
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

static void act(struct ty_web_pool *p, curl_socket_t fd, int what)
{
    int running = 0;
    p->inside++;
    p->web->curl.multi_socket_action(p->multi, fd, what, &running);
    p->inside--;
    ty_web_settle(p); /* may close the pool */
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct sock *s = poll->data;
    int what = (events & UV_READABLE ? CURL_CSELECT_IN : 0) |
               (events & UV_WRITABLE ? CURL_CSELECT_OUT : 0) | (status < 0 ? CURL_CSELECT_ERR : 0);
    act(s->pool, s->fd, what);
}

static void on_time(uv_timer_t *timer)
{
    act(timer->data, CURL_SOCKET_TIMEOUT, 0);
}

static struct sock *sock_new(struct ty_web_pool *p, curl_socket_t fd)
{
    struct sock *s = calloc(1, sizeof(*s));
    if (!s)
        abort();
    s->pool = p;
    s->fd = fd;
    if (uv_poll_init_socket(p->loop, &s->poll, fd) < 0) {
        free(s);
        return NULL;
    }
    s->poll.data = s;
    p->open++;
    p->web->curl.multi_assign(p->multi, fd, s);
    return s;
}

static int on_socket(CURL *easy TY_UNUSED, curl_socket_t fd, int what, void *ctx, void *known)
{
    struct ty_web_pool *p = ctx;
    struct sock *s = known;

    if (what == CURL_POLL_REMOVE) {
        if (!s)
            return 0;
        p->web->curl.multi_assign(p->multi, fd, NULL);
        uv_close((uv_handle_t *)&s->poll, on_sock_closed); /* stops at once: fd may be closed now */
        return 0;
    }
    if (!s)
        s = sock_new(p, fd);
    if (!s)
        return -1;
    int events = (what & CURL_POLL_IN ? UV_READABLE : 0) | (what & CURL_POLL_OUT ? UV_WRITABLE : 0);
    return uv_poll_start(&s->poll, events, on_poll) < 0 ? -1 : 0;
}

static int on_timeout(CURLM *multi TY_UNUSED, long ms, void *ctx)
{
    struct ty_web_pool *p = ctx;
    if (ms < 0)
        uv_timer_stop(&p->timer);
    else
        uv_timer_start(&p->timer, on_time, (uint64_t)ms, 0);
    return 0;
}

struct ty_web_pool *ty_web_pool_new(struct ty_web *w)
{
    struct ty_web_pool *p = calloc(1, sizeof(*p));
    if (!p)
        abort();
    p->web = w;
    p->loop = w->set.loop;
    p->multi = w->curl.multi_init();
    if (!p->multi)
        abort(); /* out of memory, the only reason there is */
    curl_socket_callback socket = on_socket;
    curl_multi_timer_callback timeout = on_timeout;
    w->curl.multi_setopt(p->multi, CURLMOPT_SOCKETFUNCTION, socket);
    w->curl.multi_setopt(p->multi, CURLMOPT_SOCKETDATA, (void *)p);
    w->curl.multi_setopt(p->multi, CURLMOPT_TIMERFUNCTION, timeout);
    w->curl.multi_setopt(p->multi, CURLMOPT_TIMERDATA, (void *)p);
    w->curl.multi_setopt(p->multi, CURLMOPT_MAX_CONCURRENT_STREAMS, MAX_STREAMS);
    w->curl.multi_setopt(p->multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)w->set.connections);
    if (w->set.connections) /* what was made is kept, also when few calls are under way */
        w->curl.multi_setopt(p->multi, CURLMOPT_MAXCONNECTS, (long)w->set.connections);
    w->curl.multi_setopt(p->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
    uv_timer_init(p->loop, &p->timer);
    p->timer.data = p;
    p->open = 1;
    return p;
}

void ty_web_pool_close(struct ty_web_pool *p)
{
    p->inside++; /* it says goodbye to its sockets through on_socket */
    p->web->curl.multi_cleanup(p->multi);
    p->inside--;
    p->multi = NULL;
    p->web = NULL;
    uv_close((uv_handle_t *)&p->timer, on_timer_closed);
}
