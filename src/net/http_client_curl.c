/* Calls over libcurl: starts them and translates its results. libcurl must not be called from
 * its own callbacks, so what those start or cancel is deferred until it has returned. */
#include "net/http_client_inner.h"

#include <errno.h>

#include "net/tcp_keepalive.h"

bool ty_http_client_curl_inside(const struct ty_http_client *w)
{
    for (const struct ty_http_client_pool *p = w->pools; p; p = p->next)
        if (p->inside)
            return true;
    return false;
}

int ty_http_client_curl_load(struct ty_http_client *w, struct ty_err *err)
{
    if (w->pools)
        return 0;
    int r = ty_curl_load(&w->curl, err);
    if (r == 0)
        w->pools = ty_http_client_pool_new(w);
    return r;
}

void ty_http_client_curl_drop(struct ty_http_client_call *call)
{
    struct ty_http_client *w = call->client;
    if (call->pool) {
        ty_http_client_pool_guard(call->pool);
        w->curl.multi_remove_handle(call->pool->multi, call->easy);
        call->pool->calls--;
    }
    if (!call->easy)
        return;
    w->curl.easy_cleanup(call->easy);
    w->curl.slist_free_all(call->headers);
    w->curl.slist_free_all(call->to);
    free(call->error);
}

/* Closes old pools without calls. */
static void close_old_pools(struct ty_http_client *w)
{
    for (struct ty_http_client_pool **at = &w->pools->next; *at;) {
        struct ty_http_client_pool *p = *at;
        if (p->calls > 0) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        ty_http_client_pool_close(p);
    }
}

void ty_http_client_curl_free(struct ty_http_client *w)
{
    if (!w->pools)
        return;
    close_old_pools(w);
    ty_http_client_pool_close(w->pools);
    ty_curl_done(&w->curl);
}

/* Begin and end */

/* libcurl would accept more calls than it has HTTP/1.1 connections, and then scan all waiting calls
 * whenever one ends. */
static bool at_connection_limit(const struct ty_http_client *w)
{
    return w->set.http1 && w->set.connections && w->pools->calls >= (size_t)w->set.connections;
}

static int on_new_socket(void *ctx, curl_socket_t fd, curlsocktype what)
{
    struct ty_http_client_pool *p = ctx;
    if (what != CURLSOCKTYPE_IPCXN)
        return CURL_SOCKOPT_OK;
    ty_tcp_keepalive_set(fd, p->client->set.dead_ms);
    ty_fence_arm(&p->client->set.fence, fd);
    return ty_http_client_pool_opened(p, fd) ? CURL_SOCKOPT_OK : CURL_SOCKOPT_ERROR;
}

/* A connection belongs to the pool of the call that opened it. */
static void set_pool(struct ty_http_client_call *call, struct ty_http_client_pool *p)
{
    const struct ty_curl *curl = &call->client->curl;
    curl_sockopt_callback opened = on_new_socket;
    curl_closesocket_callback closes = ty_http_client_pool_closes;

    curl->easy_setopt(call->easy, CURLOPT_SOCKOPTFUNCTION, opened);
    curl->easy_setopt(call->easy, CURLOPT_SOCKOPTDATA, (void *)p);
    curl->easy_setopt(call->easy, CURLOPT_CLOSESOCKETFUNCTION, closes);
    curl->easy_setopt(call->easy, CURLOPT_CLOSESOCKETDATA, (void *)p);
    call->pool = p;
    p->calls++;
}

static void call_add(struct ty_http_client_call *call)
{
    struct ty_http_client *w = call->client;
    ty_http_client_link(&w->calls, call);
    set_pool(call, w->pools);
    w->curl.multi_add_handle(
        call->pool->multi,
        call->easy); /* cannot fail: the handle is new, and libcurl is not running */
}

/* In the order of their start. */
static void add_fresh(struct ty_http_client *w)
{
    while (w->fresh && !at_connection_limit(w)) {
        struct ty_http_client_call *call = w->fresh;
        ty_http_client_unlink(call);
        call_add(call);
    }
}

void ty_http_client_curl_reset(struct ty_http_client *w)
{
    for (struct ty_http_client_pool *p = w->pools; p; p = p->next)
        ty_http_client_pool_cut(p);
    ty_http_client_renew(w);
}

static bool is_cut(const struct ty_http_client_call *call)
{
    return call->cut;
}

static bool is_cancelled(const struct ty_http_client_call *call)
{
    return call->cancelled;
}

/* First cut the sockets: libcurl would send a close-notify over them, after the rest of a record.
 * Then end the calls that exist now, but not those that their callbacks start. */
void ty_http_client_curl_fenced(struct ty_http_client *w)
{
    ty_http_client_curl_reset(w);
    struct ty_http_client_call *lists[] = { w->calls, w->fresh };
    for (size_t i = 0; i < 2; i++)
        for (struct ty_http_client_call *call = lists[i]; call; call = call->next)
            call->cut = !call->conn;
    struct ty_http_client_call *call;
    while ((call = ty_http_client_find(w, is_cut)))
        ty_http_client_finish(call, &(struct ty_http_client_result){
                                        .status = ty_http_client_status(call),
                                        .fenced = true, /* it may have been reopened by now */
                                        .text = TY_FENCE_CLOSED });
    ty_http_client_curl_run_deferred(w);
}

void ty_http_client_curl_run_deferred(struct ty_http_client *w)
{
    if (!w->pools)
        return;
    add_fresh(w);
    close_old_pools(w);
}

void ty_http_client_curl_start(struct ty_http_client_call *call)
{
    struct ty_http_client *w = call->client;
    ty_http_client_options_set(call);
    call->next = NULL;
    call->at = w->fresh_end;
    *w->fresh_end = call;
    w->fresh_end = &call->next;
    if (!ty_http_client_curl_inside(w))
        add_fresh(w);
}

static void call_over(struct ty_http_client_call *call, CURLcode r)
{
    struct ty_http_client *w = call->client;
    struct ty_http_client_result end = { .status = ty_http_client_status(call),
                                         .whole = r == CURLE_OK,
                                         .text = "" };

    if (call->unwanted)
        end.text = "unwanted";
    else if (r != CURLE_OK)
        ty_http_client_failure_describe(call, r, &end);
    /* The peer does not answer: later calls should not have to time out, too. */
    if (r == CURLE_OPERATION_TIMEDOUT && call->pool == w->pools)
        ty_http_client_renew(w);
    ty_http_client_finish(call, &end);
}

static struct ty_http_client_call *done_call(struct ty_http_client *w, const CURLMsg *msg)
{
    char *p = NULL;
    w->curl.easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, &p);
    return (struct ty_http_client_call *)(void *)p;
}

void ty_http_client_curl_settle(struct ty_http_client_pool *p)
{
    struct ty_http_client *w = p->client;
    int left = 0;
    const CURLMsg *msg;
    struct ty_http_client_call *call;

    while (w->cancelled && (call = ty_http_client_find(w, is_cancelled)))
        ty_http_client_finish(call, &(struct ty_http_client_result){ 0 }); /* calls no callback */
    w->cancelled = false;
    while ((msg = w->curl.multi_info_read(p->multi, &left)))
        if (msg->msg == CURLMSG_DONE)
            call_over(done_call(w, msg), msg->data.result);
    ty_http_client_curl_run_deferred(w);
}
