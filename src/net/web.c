/* Calls: from an ask to libcurl's options, and from libcurl's end to ours. libcurl must not be
 * called from its own callbacks, so what those start or cancel is done when it has returned. */
#include "net/web_inner.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#define BUFFER_BYTES (16L << 10)

static void idle_arm(struct ty_web *w);

/* The client */

int ty_web_new(struct ty_web **ret, const struct ty_web_settings *s, struct ty_err *err)
{
    struct ty_web *w = calloc(1, sizeof(*w));
    if (!w)
        abort();
    w->set = *s;
    int r = ty_curl_load(&w->curl, err);
    if (r < 0) {
        free(w);
        return r;
    }
    w->idle = calloc(1, sizeof(*w->idle));
    if (!w->idle)
        abort();
    uv_timer_init(s->loop, w->idle);
    uv_unref((uv_handle_t *)w->idle); /* its calls' sockets keep the loop going */
    w->idle->data = w;
    w->pools = ty_web_pool_new(w);
    w->fresh_end = &w->fresh;
    *ret = w;
    return 0;
}

static bool inside(const struct ty_web *w)
{
    for (const struct ty_web_pool *p = w->pools; p; p = p->next)
        if (p->inside)
            return true;
    return false;
}

static void keep_handle(struct ty_web *w, CURL *easy)
{
    if (w->n_spare == SPARE_HANDLES) {
        w->curl.easy_cleanup(easy);
        return;
    }
    w->curl.easy_reset(easy);
    w->spare[w->n_spare++] = easy;
}

static void unlink_call(struct ty_web_call *call)
{
    if (call->web->fresh_end == &call->next)
        call->web->fresh_end = call->at;
    *call->at = call->next;
    if (call->next)
        call->next->at = call->at;
}

static void call_free(struct ty_web_call *call)
{
    struct ty_web *w = call->web;
    if (call->pool) {
        w->curl.multi_remove_handle(call->pool->multi, call->easy);
        call->pool->calls--;
    }
    if (call->easy)
        keep_handle(w, call->easy);
    w->curl.slist_free_all(call->headers);
    w->curl.slist_free_all(call->to);
    unlink_call(call);
    free(call);
}

/* The old pools whose calls are over. */
static void close_old_pools(struct ty_web *w)
{
    for (struct ty_web_pool **at = &w->pools->next; *at;) {
        struct ty_web_pool *p = *at;
        if (p->calls > 0) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        ty_web_pool_close(p);
    }
}

static void on_idle_closed(uv_handle_t *h)
{
    free(h);
}

void ty_web_free(struct ty_web *w)
{
    if (!w)
        return;
    struct ty_web_call *lists[] = { w->calls, w->fresh };
    for (size_t i = 0; i < 2; i++) {
        for (struct ty_web_call *call = lists[i], *next; call; call = next) {
            next = call->next;
            call_free(call);
        }
    }
    close_old_pools(w);
    ty_web_pool_close(w->pools);
    while (w->n_spare)
        w->curl.easy_cleanup(w->spare[--w->n_spare]);
    uv_close((uv_handle_t *)w->idle, on_idle_closed);
    ty_curl_done(&w->curl);
    free(w);
}

void ty_web_renew(struct ty_web *w)
{
    struct ty_web_pool *p = ty_web_pool_new(w);
    p->next = w->pools;
    w->pools = p;
    if (!inside(w))
        close_old_pools(w);
}

/* A call's options */

/* As in http.c: numbers are long, all else is a pointer. */
static void set_long(struct ty_web_call *call, CURLoption o, long v)
{
    call->web->curl.easy_setopt(call->easy, o, v);
}
static void set_ptr(struct ty_web_call *call, CURLoption o, const void *v)
{
    call->web->curl.easy_setopt(call->easy, o, v);
}

/* A peer that went away without a word: with bytes under way TCP_USER_TIMEOUT notices, without any
 * the probes do, which the same time limits. */
static int on_new_socket(void *ctx, curl_socket_t fd, curlsocktype what)
{
    struct ty_web_pool *p = ctx;
    int on = 1, dead_ms = (int)p->web->set.dead_ms;
    int every = dead_ms / 3000 > 0 ? dead_ms / 3000 : 1;
    if (what != CURLSOCKTYPE_IPCXN)
        return CURL_SOCKOPT_OK;
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &every, sizeof(every));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every, sizeof(every));
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &dead_ms, sizeof(dead_ms));
    return ty_web_pool_opened(p, fd) ? CURL_SOCKOPT_OK : CURL_SOCKOPT_ERROR;
}

static size_t on_body(char *p, size_t size, size_t n, void *ctx)
{
    struct ty_web_call *call = ctx;
    if (call->cancelled || call->idle)
        return 0; /* a short count: libcurl ends the transfer */
    call->heard_ms = uv_now(call->web->set.loop);
    if (call->piece(call->ctx, call, (struct ty_str){ p, size * n }) == 0)
        return call->cancelled ? 0 : size * n;
    call->unwanted = true;
    return 0;
}

static size_t on_header(char *p TY_UNUSED, size_t size, size_t n, void *ctx)
{
    struct ty_web_call *call = ctx;
    call->heard_ms = uv_now(call->web->set.loop);
    return size * n;
}

static void set_callbacks(struct ty_web_call *call)
{
    const struct ty_curl *curl = &call->web->curl;
    size_t (*write)(char *, size_t, size_t, void *) = on_body;
    size_t (*header)(char *, size_t, size_t, void *) = on_header;
    curl->easy_setopt(call->easy, CURLOPT_WRITEFUNCTION, write);
    curl->easy_setopt(call->easy, CURLOPT_WRITEDATA, (void *)call);
    curl->easy_setopt(call->easy, CURLOPT_HEADERFUNCTION, header);
    curl->easy_setopt(call->easy, CURLOPT_HEADERDATA, (void *)call);
    curl->easy_setopt(call->easy, CURLOPT_PRIVATE, (void *)call);
    curl->easy_setopt(call->easy, CURLOPT_ERRORBUFFER, call->error);
}

static void set_limits(struct ty_web_call *call)
{
    const struct ty_web_settings *s = &call->web->set;
    set_long(call, CURLOPT_CONNECTTIMEOUT_MS, (long)s->connect_ms);
    set_long(call, CURLOPT_NOSIGNAL, 1);
    set_long(call, CURLOPT_BUFFERSIZE, BUFFER_BYTES);
    set_long(call, CURLOPT_UPLOAD_BUFFERSIZE, BUFFER_BYTES);
    set_long(call, CURLOPT_HTTP_VERSION,
             s->http1 ? (long)CURL_HTTP_VERSION_1_1 : (long)CURL_HTTP_VERSION_2TLS);
    set_long(call, CURLOPT_PIPEWAIT, s->http1 ? 0 : 1);
}

static void set_peer(struct ty_web_call *call, const struct ty_web_peer *peer)
{
    if (!peer)
        return;
    if (peer->ca_file) {
        set_ptr(call, CURLOPT_CAINFO, peer->ca_file);
        /* Else every connection would read the system's certificates, file by file. */
        set_ptr(call, CURLOPT_CAPATH, NULL);
    }
    if (peer->cert_file)
        set_ptr(call, CURLOPT_SSLCERT, peer->cert_file);
    if (peer->key_file)
        set_ptr(call, CURLOPT_SSLKEY, peer->key_file);
    if (peer->proxy)
        set_ptr(call, CURLOPT_PROXY, peer->proxy);
    set_long(call, CURLOPT_SSL_VERIFYPEER, peer->insecure ? 0 : 1);
    set_long(call, CURLOPT_SSL_VERIFYHOST, peer->insecure ? 0 : 2);
}

static void set_request(struct ty_web_call *call, const struct ty_web_ask *ask)
{
    const struct ty_curl *curl = &call->web->curl;
    set_ptr(call, CURLOPT_URL, ask->url);
    set_long(call, CURLOPT_PATH_AS_IS, 1);
    set_ptr(call, CURLOPT_PROTOCOLS_STR, "http,https");
    set_long(call, CURLOPT_FOLLOWLOCATION, 0);
    set_ptr(call, CURLOPT_USERAGENT, call->web->set.agent);
    set_ptr(call, CURLOPT_CUSTOMREQUEST, ask->method);
    if (ask->body.n) {
        set_ptr(call, CURLOPT_POSTFIELDS, call->text);
        curl->easy_setopt(call->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)ask->body.n);
    }
    for (const char *const *line = ask->headers; line && *line; line++)
        call->headers = curl->slist_append(call->headers, *line);
    call->headers = curl->slist_append(call->headers, "Expect:"); /* no round trip more */
    set_ptr(call, CURLOPT_HTTPHEADER, call->headers);
}

/* Begin and end */

/* libcurl would take more calls than HTTP/1.1 has connections for, and then look at every one that
 * waits whenever one ends. */
static bool full(const struct ty_web *w)
{
    return w->set.http1 && w->set.connections && w->pools->calls >= (size_t)w->set.connections;
}

static void link_call(struct ty_web_call **list, struct ty_web_call *call)
{
    call->next = *list;
    call->at = list;
    if (call->next)
        call->next->at = &call->next; /* NOLINT(clang-analyzer-unix.Malloc): it knows no `at` */
    *list = call;
}

/* A connection belongs to the pool of the call that made it. */
static void set_pool(struct ty_web_call *call, struct ty_web_pool *p)
{
    const struct ty_curl *curl = &call->web->curl;
    curl_sockopt_callback opened = on_new_socket;
    curl_closesocket_callback closes = ty_web_pool_closes;

    curl->easy_setopt(call->easy, CURLOPT_SOCKOPTFUNCTION, opened);
    curl->easy_setopt(call->easy, CURLOPT_SOCKOPTDATA, (void *)p);
    curl->easy_setopt(call->easy, CURLOPT_CLOSESOCKETFUNCTION, closes);
    curl->easy_setopt(call->easy, CURLOPT_CLOSESOCKETDATA, (void *)p);
    call->pool = p;
    p->calls++;
}

static void call_add(struct ty_web_call *call)
{
    struct ty_web *w = call->web;
    uint64_t now = uv_now(w->set.loop);

    if (call->total_ms) { /* waiting is part of it */
        int64_t left = call->total_ms - (int64_t)(now - call->heard_ms);
        set_long(call, CURLOPT_TIMEOUT_MS, left > 0 ? (long)left : 1);
    }
    link_call(&w->calls, call);
    set_pool(call, w->pools);
    call->heard_ms = now;
    w->curl.multi_add_handle(call->pool->multi, call->easy); /* cannot fail: new, and not inside */
    if (call->idle_ms)
        idle_arm(w);
}

/* In the order of their start. */
static void add_fresh(struct ty_web *w)
{
    while (w->fresh && !full(w)) {
        struct ty_web_call *call = w->fresh;
        unlink_call(call);
        call_add(call);
    }
}

struct ty_web_call *ty_web_start(struct ty_web *w, const struct ty_web_ask *ask)
{
    struct ty_web_call *call = calloc(1, sizeof(*call) + ask->body.n + 1);
    if (!call)
        abort();
    call->web = w;
    call->total_ms = ask->total_ms;
    call->idle_ms = ask->idle_ms;
    call->piece = ask->piece;
    call->end = ask->end;
    call->ctx = ask->ctx;
    if (ask->body.n)
        memcpy(call->text, ask->body.p, ask->body.n);
    call->easy = w->n_spare ? w->spare[--w->n_spare] : w->curl.easy_init();
    if (!call->easy)
        abort();
    set_callbacks(call);
    set_limits(call);
    set_request(call, ask);
    set_peer(call, ask->peer);
    if (ask->peer && ask->peer->to) {
        char line[512];
        snprintf(line, sizeof(line), "::%s", ask->peer->to);
        call->to = w->curl.slist_append(NULL, line);
        set_ptr(call, CURLOPT_CONNECT_TO, call->to);
    }
    call->heard_ms = uv_now(w->set.loop);
    call->at = w->fresh_end;
    *w->fresh_end = call;
    w->fresh_end = &call->next;
    if (!inside(w))
        add_fresh(w);
    return call;
}

void ty_web_cancel(struct ty_web_call *call)
{
    if (!call)
        return;
    struct ty_web *w = call->web;
    if (inside(w)) {
        call->cancelled = true; /* freed when libcurl has returned */
        w->cancelled = true;
        return;
    }
    call_free(call);
    add_fresh(w);
}

static void call_finish(struct ty_web_call *call, CURLcode r)
{
    struct ty_web *w = call->web;
    struct ty_web_pool *p = call->pool;
    struct ty_web_end end = { .status = ty_web_status(call), .whole = r == CURLE_OK, .text = "" };
    char silent[96];

    if (call->idle) {
        snprintf(silent, sizeof(silent), "the server has said nothing for %lld s",
                 (long long)(call->idle_ms / 1000));
        end.whole = false;
        end.text = silent;
    } else if (call->unwanted) {
        end.text = "unwanted";
    } else if (r != CURLE_OK) {
        end.text = call->error[0] ? call->error : w->curl.easy_strerror(r);
    }
    /* Nobody answers there: whoever asks next should not have to find out, too. */
    if ((call->idle || r == CURLE_OPERATION_TIMEDOUT) && p == w->pools)
        ty_web_renew(w);
    if (!call->cancelled)
        call->end(call->ctx, call, &end);
    call_free(call);
}

static struct ty_web_call *done_call(struct ty_web *w, const CURLMsg *msg)
{
    char *p = NULL;
    w->curl.easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, &p);
    return (struct ty_web_call *)(void *)p;
}

static void drop_cancelled(struct ty_web *w)
{
    struct ty_web_call *lists[] = { w->calls, w->fresh };

    if (!w->cancelled)
        return;
    w->cancelled = false;
    for (size_t i = 0; i < 2; i++) {
        for (struct ty_web_call *call = lists[i], *next; call; call = next) {
            next = call->next;
            if (call->cancelled)
                call_free(call);
        }
    }
}

void ty_web_settle(struct ty_web_pool *p)
{
    struct ty_web *w = p->web;
    int left = 0;
    const CURLMsg *msg;

    drop_cancelled(w);
    while ((msg = w->curl.multi_info_read(p->multi, &left)))
        if (msg->msg == CURLMSG_DONE)
            call_finish(done_call(w, msg), msg->data.result);
    add_fresh(w);
    close_old_pools(w);
}

/* Silence */

static int64_t idle_left(const struct ty_web_call *call, uint64_t now)
{
    return (int64_t)(call->heard_ms + (uint64_t)call->idle_ms) - (int64_t)now;
}

static void on_idle(uv_timer_t *timer)
{
    struct ty_web *w = timer->data;
    uint64_t now = uv_now(w->set.loop);
    struct ty_web_call *call;

    do { /* from the start after each: `end` may have changed the list */
        for (call = w->calls; call; call = call->next)
            /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): what is freed has left the list */
            if (call->idle_ms && idle_left(call, now) <= 0)
                break;
        if (call) {
            call->idle = true;
            call_finish(call, CURLE_OK);
        }
    } while (call);
    add_fresh(w);
    close_old_pools(w);
    idle_arm(w);
}

/* The timer fires for the call that has been silent longest, as known now; one that has been heard
 * since is found well then, and the timer is set again. So bytes cost nothing here. */
static void idle_arm(struct ty_web *w)
{
    uint64_t now = uv_now(w->set.loop);
    int64_t soonest = INT64_MAX;
    for (const struct ty_web_call *call = w->calls; call; call = call->next)
        if (call->idle_ms && idle_left(call, now) < soonest)
            soonest = idle_left(call, now);
    if (soonest == INT64_MAX)
        uv_timer_stop(w->idle);
    else
        uv_timer_start(w->idle, on_idle, soonest > 0 ? (uint64_t)soonest : 1, 0);
}

int ty_web_status(const struct ty_web_call *call)
{
    long status = 0;
    call->web->curl.easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, &status);
    return (int)status;
}

const char *ty_web_header(const struct ty_web_call *call, const char *name)
{
    struct curl_header *found = NULL;
    if (call->web->curl.easy_header(call->easy, name, 0, CURLH_HEADER, -1, &found) != CURLHE_OK)
        return NULL;
    return found->value;
}
