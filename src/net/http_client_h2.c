/* Calls over HTTP/2. A call that the server certainly did not process, and a GET without a
 * response, are sent again over the next connection (http_client_h2_conn.c). */
#include "net/http_client_h2_inner.h"

#include <stdio.h>
#include <stdlib.h>

#define TRIES      3                  /* connections for one call */
#define HEAD_BYTES ((size_t)64 << 10) /* of an answer */

/* Its timeout, if it has one, is counted anew with every byte. */
static bool is_endless(const struct ty_http_client_call *call)
{
    return call->ask.idle_ms != 0 || call->ask.total_ms == 0;
}

static void call_join(struct ty_http_client_conn *l, struct ty_http_client_call *call)
{
    call->conn = l;
    call->conn_next = NULL;
    call->conn_at = l->calls_end;
    *l->calls_end = call;
    l->calls_end = &call->conn_next;
    l->endless += is_endless(call);
    ty_tls_conn_set_ref(l->tls, true);
}

void ty_http_client_h2_call_leave(struct ty_http_client_call *call)
{
    struct ty_http_client_conn *l = call->conn;
    *call->conn_at = call->conn_next;
    if (call->conn_next)
        call->conn_next->conn_at = call->conn_at;
    else
        l->calls_end = call->conn_at;
    l->endless -= is_endless(call);
    if (l->telling == call)
        l->telling = NULL;
    if (!l->calls)
        ty_tls_conn_set_ref(l->tls, false);
    call->conn = NULL;
    call->stream = 0;
}

bool ty_http_client_h2_call_send(struct ty_http_client_call *call)
{
    struct ty_http_client_conn *l = call->conn;
    struct ty_h2_request ask = {
        .method = call->ask.method,
        .authority = l->place.authority,
        .path = call->path,
        .agent = call->client->set.agent,
        .headers = call->ask.headers,
        .body = call->ask.body,
        .stream = call,
    };
    int32_t id = ty_h2_start(l->h2, &ask);
    if (id < 0)
        return false;
    call->stream = id;
    ty_http_client_h2_flush(l);
    return true;
}

bool ty_http_client_h2_call_again(struct ty_http_client_call *call)
{
    if (call->tries >= TRIES || !ty_fence_is_open(&call->client->set.fence))
        return false;
    ty_http_client_h2_call_leave(call);
    ty_http_client_unlink(call);
    call->status = 0;
    call->sent = false;
    call->answer.n = 0;
    ty_http_client_begin(call); /* by libcurl, if the server no longer supports HTTP/2 */
    return true;
}

void ty_http_client_h2_call_end(struct ty_http_client_call *call, bool whole, const char *why)
{
    struct ty_http_client_result end = { .status = call->status, .whole = whole, .text = why };
    ty_http_client_finish(call, &end);
}

/* Events of streams */

static void on_sent(void *stream)
{
    ((struct ty_http_client_call *)stream)->sent = true;
}

static void on_header(void *stream, struct ty_str name, struct ty_str value)
{
    struct ty_http_client_call *call = stream;
    int64_t status = 0;

    call->heard_ms = uv_now(call->client->set.loop);
    if (ty_str_is(name, ":status")) {
        call->status = ty_str_parse_i64(value, &status) ? (int)status : 0;
        return;
    }
    call->answer.ceiling = HEAD_BYTES;
    if (call->answer.n + name.n + value.n + 2 > HEAD_BYTES)
        return;
    ty_buf_add(&call->answer, name);
    ty_buf_chr(&call->answer, '\0');
    ty_buf_add(&call->answer, value);
    ty_buf_chr(&call->answer, '\0');
}

static void on_piece(void *stream, struct ty_str piece)
{
    struct ty_http_client_call *call = stream;
    struct ty_http_client_conn *l = call->conn;

    call->heard_ms = uv_now(call->client->set.loop);
    l->telling = call;
    int r = call->ask.piece(call->ask.ctx, call, piece);
    bool dropped = l->telling != call;
    l->telling = NULL;
    if (r < 0 && !dropped)
        ty_http_client_h2_call_end(call, false, "unwanted");
}

static void on_end(void *stream, enum ty_h2_outcome how, const char *why)
{
    struct ty_http_client_call *call = stream;
    call->stream = 0; /* the stream has ended: do not cancel it */
    if (how == TY_H2_REFUSED && ty_http_client_h2_call_again(call))
        return;
    ty_http_client_h2_call_end(call, how == TY_H2_WHOLE, why);
}

const struct ty_h2_events ty_http_client_h2_events = {
    .sent = on_sent, .header = on_header, .piece = on_piece, .end = on_end
};

/* Called from http_client.c */

bool ty_http_client_h2_start(struct ty_http_client_call *call)
{
    static const struct ty_http_client_peer nothing_known = { 0 };
    const struct ty_http_client_peer *peer = call->ask.peer ? call->ask.peer : &nothing_known;
    struct ty_http_client *w = call->client;
    struct ty_http_client_conn *l = NULL;
    struct ty_http_endpoint to;

    if (!w->set.h2 || ty_http_endpoint_is_proxied(peer) ||
        !ty_http_endpoint_parse(&to, call->ask.url, peer) || strcmp(w->without, to.authority) == 0)
        return false;
    l = ty_http_client_h2_find(w, &to, peer);
    call->path = to.path;
    call->tries++;
    call_join(l, call);
    ty_http_client_link(&w->calls, call);
    if (l->h2)
        ty_http_client_h2_call_send(call); /* it accepts requests */
    return true;
}

void ty_http_client_h2_drop(struct ty_http_client_call *call)
{
    struct ty_http_client_conn *l = call->conn;
    if (call->stream) {
        ty_h2_cancel(l->h2, call->stream);
        ty_http_client_h2_flush(l);
    }
    ty_http_client_h2_call_leave(call);
}

uint64_t ty_http_client_h2_heard_ms(const struct ty_http_client_call *call)
{
    return call->conn ? call->conn->heard_ms : 0;
}

bool ty_http_client_h2_can_ping(const struct ty_http_client_call *call)
{
    return call->conn && !call->conn->pinged;
}

void ty_http_client_h2_ping(struct ty_http_client_call *call)
{
    struct ty_http_client_conn *l = call->conn;

    l->pinged = true;
    if (!l->h2)
        return;
    ty_h2_ping(l->h2);
    ty_http_client_h2_flush(l);
}

bool ty_http_client_h2_is_old(const struct ty_http_client_call *call)
{
    return call->conn->old;
}
