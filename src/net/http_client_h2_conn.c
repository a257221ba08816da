/* Connections of calls over HTTP/2: which one a call uses, their events, and their end. */
#include "net/http_client_h2_inner.h"

#include <stdlib.h>

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

void ty_http_client_h2_flush(struct ty_http_client_conn *l)
{
    l->dirty = true;
    uv_prepare_start(l->client->flush, on_flush);
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
        if (!was_ready || !again || !ty_http_client_h2_call_again(call))
            ty_http_client_h2_call_end(call, false, why);
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
        ty_http_client_h2_call_leave(call);
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
    l->h2 = ty_h2_new(&ty_http_client_h2_events);
    for (struct ty_http_client_call *call = l->calls; call; call = call->conn_next)
        ty_http_client_h2_call_send(call); /* a new connection accepts them */
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
        ty_http_client_h2_flush(l); /* nghttp2 may want to send an acknowledgment */
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

struct ty_http_client_conn *ty_http_client_h2_find(struct ty_http_client *w,
                                                   const struct ty_http_endpoint *to,
                                                   const struct ty_http_client_peer *peer)
{
    struct ty_http_client_conn *l = w->lines;

    while (l && !is_for(l, to, peer))
        l = l->next;
    return l ? l : line_new(w, to, peer);
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
