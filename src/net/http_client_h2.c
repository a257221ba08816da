/* Calls over HTTP/2: selects the connection of a call, and handles the end of connections. A call
 * that the server certainly did not process, and a GET without a response, are sent again over the
 * next connection. */
#include "net/http_client_inner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "net/http_endpoint.h"
#include "net/tls_conn.h"

#define TRIES      3                  /* connections for one call */
#define HEAD_BYTES ((size_t)64 << 10) /* of an answer */

struct ty_http_client_conn {
    struct ty_http_client_conn *next, **at;
    struct ty_http_client *client;
    struct ty_http_endpoint place;
    struct ty_http_client_peer
        peer; /* a copy: connections are shared by calls with the same peer and endpoint */
    struct ty_tls_conn *tls;
    struct ty_h2 *h2;                               /* NULL: not connected yet */
    struct ty_http_client_call *calls, **calls_end; /* in the order of their start */
    const struct ty_http_client_call
        *telling;      /* the call whose callback is running; NULL: dropped in the meantime */
    uint64_t heard_ms; /* loop time of the last byte; 0: none yet */
    bool pinged;       /* since then */
    size_t endless;    /* calls that may run for long, such as watches and logs */
    bool old;          /* accepts no more calls: closed with its last one */
    bool reset;        /* and then without close-notify */
    bool dirty;        /* has bytes to send */
    bool inside;       /* one of its functions is running: must not be freed */
};

/* Connections */

static bool same_str(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* All streams that the server allows are used by long-running calls: another call would wait for
 * them. (A limit of 0 is a pause: another connection would not be better.) */
static bool is_taken(const struct ty_http_client_conn *l)
{
    uint32_t streams = l->h2 && l->endless ? ty_h2_streams(l->h2) : 0;
    return streams && l->endless >= streams;
}

static bool is_for(const struct ty_http_client_conn *l, const struct ty_http_endpoint *to,
                   const struct ty_http_client_peer *peer)
{
    return !l->old && (!l->h2 || ty_h2_open(l->h2)) && !is_taken(l) &&
           strcmp(l->place.authority, to->authority) == 0 && same_str(l->place.host, to->host) &&
           same_str(l->place.port, to->port) && same_str(l->peer.ca_file, peer->ca_file) &&
           same_str(l->peer.cert_file, peer->cert_file) &&
           same_str(l->peer.key_file, peer->key_file) && l->peer.insecure == peer->insecure;
}

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

static void call_leave(struct ty_http_client_call *call)
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

static void line_close(struct ty_http_client_conn *l)
{
    *l->at = l->next;
    if (l->next)
        l->next->at = l->at;
    if (l->reset)
        ty_tls_conn_reset(l->tls);
    else
        ty_tls_conn_free(l->tls);
    ty_h2_free(l->h2);
    const char *const files[] = { l->peer.ca_file, l->peer.cert_file, l->peer.key_file };
    for (size_t i = 0; i < TY_COUNT(files); i++)
        free((void *)(uintptr_t)files[i]);
    free(l);
}

/* Closes old connections without calls. */
static void close_old_conns(struct ty_http_client *w)
{
    for (struct ty_http_client_conn *l = w->lines, *next; l; l = next) {
        next = l->next;
        if (l->h2 && !ty_h2_open(l->h2))
            l->old = true;
        if (l->old && !l->calls && !l->inside)
            line_close(l);
    }
}

static void lose_conn(struct ty_http_client_conn *l, const char *why);

static bool is_over(const struct ty_http_client_conn *l)
{
    return l->h2 && l->calls && ty_h2_over(l->h2);
}

/* Once in each iteration of the loop, before it polls: bytes of several calls are sent together. A
 * connection that violated the protocol is closed when the error has been sent. */
static void on_flush(uv_prepare_t *flush)
{
    struct ty_http_client *w = flush->data;
    struct ty_http_client_conn *l;

    uv_prepare_stop(flush);
    do { /* from the start each time: callbacks may change the list */
        for (l = w->lines; l && !l->dirty && !is_over(l); l = l->next)
            ;
        if (l && l->dirty) {
            l->dirty = false;
            ty_tls_conn_flush(l->tls);
        } else if (l) {
            lose_conn(l, "the server does not keep to HTTP/2");
        }
    } while (l);
    close_old_conns(w);
}

static void schedule_flush(struct ty_http_client_conn *l)
{
    l->dirty = true;
    uv_prepare_start(l->client->flush, on_flush);
}

static const struct ty_h2_events events;

/* Sends it on a connection that accepts requests; false: it does not. */
static bool call_send(struct ty_http_client_call *call)
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
    schedule_flush(l);
    return true;
}

/* Sends it again, usually over another connection. False: too many attempts, or the fence is
 * closed. */
static bool call_again(struct ty_http_client_call *call)
{
    if (call->tries >= TRIES || !ty_fence_is_open(&call->client->set.fence))
        return false;
    call_leave(call);
    ty_http_client_unlink(call);
    call->status = 0;
    call->sent = false;
    call->answer.n = 0;
    ty_http_client_begin(call); /* by libcurl, if the server no longer supports HTTP/2 */
    return true;
}

static void call_end(struct ty_http_client_call *call, bool whole, const char *why)
{
    struct ty_http_client_result end = { .status = call->status, .whole = whole, .text = why };
    ty_http_client_finish(call, &end);
}

/* Closes a connection that is unusable, and ends its calls or sends them again. If it was never
 * ready, they end: the next attempt to connect is up to the caller. */
static void lose_conn(struct ty_http_client_conn *l, const char *why)
{
    bool was_ready = l->h2;
    l->old = true;
    l->inside = true; /* callbacks may renew: it must be closed here only */
    while (l->calls) {
        struct ty_http_client_call *call = l->calls;
        bool again = !call->sent || (strcmp(call->ask.method, "GET") == 0 && !call->status);
        call->stream = 0; /* the stream cannot be canceled any more */
        if (!was_ready || !again || !call_again(call))
            call_end(call, false, why);
    }
    line_close(l);
}

/* Events of connections */

/* The server does not support HTTP/2: libcurl restarts the calls. */
static void give_to_curl(struct ty_http_client_conn *l)
{
    struct ty_http_client *w = l->client;

    l->old = true;
    memcpy(w->without, l->place.authority, sizeof(w->without));
    while (l->calls) {
        struct ty_http_client_call *call = l->calls;
        call_leave(call);
        ty_http_client_unlink(call);
        ty_http_client_begin(call);
    }
    line_close(l);
}

static void on_ready(void *ctx, bool h2)
{
    struct ty_http_client_conn *l = ctx;
    if (!h2) {
        give_to_curl(l);
        return;
    }
    l->h2 = ty_h2_new(&events);
    for (struct ty_http_client_call *call = l->calls; call; call = call->conn_next)
        call_send(call); /* a new connection accepts them */
}

static void on_bytes(void *ctx, struct ty_str bytes)
{
    struct ty_http_client_conn *l = ctx;
    struct ty_http_client *w = l->client;
    struct ty_err err = { 0 };

    l->inside = true;
    l->heard_ms = uv_now(w->set.loop);
    l->pinged = false;
    int r = ty_h2_feed(l->h2, bytes, &err);
    l->inside = false;
    if (r < 0)
        lose_conn(l, err.text);
    else
        schedule_flush(l); /* nghttp2 may want to send an acknowledgment */
    close_old_conns(w);
}

static struct ty_str on_more(void *ctx)
{
    struct ty_http_client_conn *l = ctx;
    l->inside = true;
    struct ty_str more = ty_h2_take(l->h2);
    l->inside = false;
    return more;
}

/* If the fence stopped one connection, all are reset: the kernel holds bytes of the others, too. */
static void on_gone(void *ctx, const char *why)
{
    struct ty_http_client_conn *l = ctx;
    struct ty_http_client *w = l->client;

    do {
        lose_conn(l, why);
        for (l = w->lines; l && l->inside; l = l->next)
            ;
    } while (l && !ty_fence_is_open(&w->set.fence));
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
        call_end(call, false, "unwanted");
}

static void on_end(void *stream, enum ty_h2_outcome how, const char *why)
{
    struct ty_http_client_call *call = stream;
    call->stream = 0; /* the stream has ended: do not cancel it */
    if (how == TY_H2_REFUSED && call_again(call))
        return;
    call_end(call, how == TY_H2_WHOLE, why);
}

static const struct ty_h2_events events = {
    .sent = on_sent, .header = on_header, .piece = on_piece, .end = on_end
};

/* Called from http_client.c */

static const char *copy_str(const char *s)
{
    return s ? ty_xalloc(strdup(s)) : NULL;
}

static struct ty_http_client_conn *line_new(struct ty_http_client *w,
                                            const struct ty_http_endpoint *to,
                                            const struct ty_http_client_peer *peer)
{
    struct ty_http_client_conn *l = ty_xalloc(calloc(1, sizeof(*l)));
    l->client = w;
    l->calls_end = &l->calls;
    l->place = *to;
    l->peer.ca_file = copy_str(peer->ca_file);
    l->peer.cert_file = copy_str(peer->cert_file);
    l->peer.key_file = copy_str(peer->key_file);
    l->peer.insecure = peer->insecure;
    l->next = w->lines;
    l->at = &w->lines;
    if (l->next)
        l->next->at = &l->next;
    w->lines = l;
    struct ty_tls_conn_settings s = {
        .loop = w->set.loop,
        .lookups = &w->lookups,
        .host = l->place.host,
        .port = l->place.port,
        .name = l->place.name,
        .ca_file = l->peer.ca_file,
        .cert_file = l->peer.cert_file,
        .key_file = l->peer.key_file,
        .insecure = peer->insecure,
        .connect_ms = w->set.connect_ms,
        .dead_ms = w->set.dead_ms,
        .fence = w->set.fence.open ? &w->set.fence : NULL,
        .ready = on_ready,
        .bytes = on_bytes,
        .more = on_more,
        .gone = on_gone,
        .ctx = l,
    };
    l->tls = ty_tls_conn_new(&s);
    return l;
}

bool ty_http_client_h2_start(struct ty_http_client_call *call)
{
    static const struct ty_http_client_peer nothing_known = { 0 };
    const struct ty_http_client_peer *peer = call->ask.peer ? call->ask.peer : &nothing_known;
    struct ty_http_client *w = call->client;
    struct ty_http_client_conn *l = w->lines;
    struct ty_http_endpoint to;

    if (!w->set.h2 || ty_http_endpoint_is_proxied(peer) ||
        !ty_http_endpoint_parse(&to, call->ask.url, peer) || strcmp(w->without, to.authority) == 0)
        return false;
    while (l && !is_for(l, &to, peer))
        l = l->next;
    if (!l)
        l = line_new(w, &to, peer);
    call->path = to.path;
    call->tries++;
    call_join(l, call);
    ty_http_client_link(&w->calls, call);
    if (l->h2)
        call_send(call); /* is_for has checked that it accepts requests */
    return true;
}

void ty_http_client_h2_drop(struct ty_http_client_call *call)
{
    struct ty_http_client_conn *l = call->conn;
    if (call->stream) {
        ty_h2_cancel(l->h2, call->stream);
        schedule_flush(l);
    }
    call_leave(call);
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
    schedule_flush(l);
}

bool ty_http_client_h2_is_old(const struct ty_http_client_call *call)
{
    return call->conn->old;
}

void ty_http_client_h2_renew(struct ty_http_client *w)
{
    for (struct ty_http_client_conn *l = w->lines; l; l = l->next)
        l->old = true;
    w->without[0] = '\0';
    close_old_conns(w);
}

void ty_http_client_h2_reset(struct ty_http_client *w)
{
    for (struct ty_http_client_conn *l = w->lines; l; l = l->next)
        l->reset = true;
    ty_http_client_h2_renew(w);
}

void ty_http_client_h2_init(struct ty_http_client *w)
{
    w->flush = ty_xalloc(calloc(1, sizeof(*w->flush)));
    uv_prepare_init(w->set.loop, w->flush);
    uv_unref((uv_handle_t *)w->flush); /* calls keep the loop running, this does not */
    w->flush->data = w;
    w->lookups.loop = w->set.loop;
}

static void on_flush_closed(uv_handle_t *h)
{
    free(h);
}

void ty_http_client_h2_free(struct ty_http_client *w)
{
    if (!w->flush)
        return;
    for (struct ty_http_client_conn *l = w->lines, *next; l; l = next) {
        next = l->next;
        line_close(l);
    }
    ty_dns_lookups_done(&w->lookups);
    uv_close((uv_handle_t *)w->flush, on_flush_closed);
}
