/* nghttp2 implements the protocol; this file has its callbacks and the translation of requests to
 * frames. */
#include "net/h2.h"

#include <errno.h>
#include <nghttp2/nghttp2.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/xalloc.h"

#define OWN_HEADERS 6 /* headers that submit_stream() adds to the caller's */
#define AUTHORITY   1 /* index of one of them */

/* Lists of thousands of objects come in one response: with the protocol's initial window of 64 kB,
 * each would need many round trips. */
#define STREAM_WINDOW     (1 << 20)
#define CONNECTION_WINDOW (4 << 20)

struct ty_h2 {
    nghttp2_session *session;
    struct ty_h2_events events;
    struct stream *streams;
    bool going; /* received GOAWAY */
};

struct stream {
    struct stream *next, **at;
    struct ty_h2 *h;
    void *user; /* NULL: no more callbacks */
    struct ty_str body;
    size_t sent;
    int32_t id;
    bool informational;
};

/* Streams */

static struct stream *stream_new(struct ty_h2 *h, const struct ty_h2_request *ask)
{
    struct stream *s = ty_xalloc(calloc(1, sizeof(*s)));
    s->h = h;
    s->user = ask->stream;
    s->body = ask->body;
    s->next = h->streams;
    s->at = &h->streams;
    if (s->next)
        s->next->at = &s->next;
    h->streams = s;
    return s;
}

static void stream_free(struct stream *s)
{
    *s->at = s->next;
    if (s->next)
        s->next->at = s->at;
    free(s);
}

/* Reports the end, once. The rest of the body is not sent: it may be freed afterwards. */
static void stream_end(struct stream *s, enum ty_h2_outcome how, const char *why)
{
    void *user = s->user;
    if (s->sent < s->body.n)
        nghttp2_submit_rst_stream(s->h->session, NGHTTP2_FLAG_NONE, s->id, NGHTTP2_CANCEL);
    s->user = NULL;
    s->body = (struct ty_str){ 0 };
    if (user)
        s->h->events.end(user, how, why);
}

static struct stream *stream_of(struct ty_h2 *h, int32_t id)
{
    return id > 0 ? nghttp2_session_get_stream_user_data(h->session, id) : NULL;
}

/* nghttp2's callbacks */

static int on_header(nghttp2_session *session TY_UNUSED, const nghttp2_frame *frame,
                     const uint8_t *name, size_t name_n, const uint8_t *value, size_t value_n,
                     uint8_t flags TY_UNUSED, void *ctx)
{
    struct ty_h2 *h = ctx;
    struct stream *s = stream_of(h, frame->hd.stream_id);
    struct ty_str key = { (const char *)name, name_n }, is = { (const char *)value, value_n };

    if (!s || !s->user)
        return 0;
    if (ty_str_is(key, ":status"))
        s->informational = is.n && is.p[0] == '1'; /* 1xx: the final response follows */
    if (!s->informational)
        h->events.header(s->user, key, is);
    return 0;
}

static int on_data(nghttp2_session *session TY_UNUSED, uint8_t flags TY_UNUSED, int32_t id,
                   const uint8_t *p, size_t n, void *ctx)
{
    struct ty_h2 *h = ctx;
    struct stream *s = stream_of(h, id);
    if (s && s->user)
        h->events.piece(s->user, (struct ty_str){ (const char *)p, n });
    return 0;
}

/* A response ends with its last frame. The stream may live longer: a server may answer before it
 * has read the body. */
static int on_frame(nghttp2_session *session TY_UNUSED, const nghttp2_frame *frame, void *ctx)
{
    struct ty_h2 *h = ctx;
    bool answers = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    struct stream *s = stream_of(h, frame->hd.stream_id);

    if (frame->hd.type == NGHTTP2_GOAWAY)
        h->going = true;
    if (s && answers && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM))
        stream_end(s, TY_H2_WHOLE, "");
    return 0;
}

static int on_sent(nghttp2_session *session TY_UNUSED, const nghttp2_frame *frame, void *ctx)
{
    struct ty_h2 *h = ctx;
    struct stream *s = frame->hd.type == NGHTTP2_HEADERS ? stream_of(h, frame->hd.stream_id) : NULL;
    if (s && s->user)
        h->events.sent(s->user);
    return 0;
}

static int on_close(nghttp2_session *session TY_UNUSED, int32_t id, uint32_t code, void *ctx)
{
    struct ty_h2 *h = ctx;
    struct stream *s = stream_of(h, id);
    char why[128];

    if (s && s->user) {
        snprintf(why, sizeof(why), "the server broke its answer off (%s)",
                 nghttp2_http2_strerror(code));
        s->sent = s->body.n; /* nothing is left to abort */
        stream_end(s, code == NGHTTP2_REFUSED_STREAM ? TY_H2_REFUSED : TY_H2_TRUNCATED, why);
    }
    if (s)
        stream_free(s);
    return 0;
}

static ssize_t on_read(nghttp2_session *session TY_UNUSED, int32_t id TY_UNUSED, uint8_t *to,
                       size_t room, uint32_t *flags, nghttp2_data_source *source,
                       void *ctx TY_UNUSED)
{
    struct stream *s = source->ptr;
    if (!s->user)
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE; /* resets the stream */
    size_t left = s->body.n - s->sent, n = left < room ? left : room;
    memcpy(to, s->body.p + s->sent, n);
    s->sent += n;
    if (s->sent == s->body.n)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (ssize_t)n;
}

/* The connection */

static nghttp2_session *session_new(struct ty_h2 *h)
{
    nghttp2_session_callbacks *calls = NULL;
    nghttp2_session *session = NULL;

    if (nghttp2_session_callbacks_new(&calls) != 0)
        ty_xalloc_die(); /* the only reason, here and below */
    nghttp2_session_callbacks_set_on_header_callback(calls, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(calls, on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(calls, on_frame);
    nghttp2_session_callbacks_set_on_frame_send_callback(calls, on_sent);
    nghttp2_session_callbacks_set_on_stream_close_callback(calls, on_close);
    if (nghttp2_session_client_new(&session, calls, h) != 0)
        ty_xalloc_die();
    nghttp2_session_callbacks_del(calls);
    return session;
}

struct ty_h2 *ty_h2_new(const struct ty_h2_events *events)
{
    static const nghttp2_settings_entry settings[] = {
        { NGHTTP2_SETTINGS_ENABLE_PUSH, 0 },
        { NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, STREAM_WINDOW },
    };
    struct ty_h2 *h = ty_xalloc(calloc(1, sizeof(*h)));
    h->events = *events;
    h->session = session_new(h);
    if (nghttp2_submit_settings(h->session, NGHTTP2_FLAG_NONE, settings, TY_COUNT(settings)) != 0 ||
        nghttp2_session_set_local_window_size(h->session, NGHTTP2_FLAG_NONE, 0,
                                              CONNECTION_WINDOW) != 0)
        ty_xalloc_die();
    return h;
}

void ty_h2_free(struct ty_h2 *h)
{
    if (!h)
        return;
    nghttp2_session_del(h->session);
    for (struct stream *s = h->streams, *next; s; s = next) {
        next = s->next;
        stream_free(s);
    }
    free(h);
}

void ty_h2_ping(struct ty_h2 *h)
{
    if (nghttp2_submit_ping(h->session, NGHTTP2_FLAG_NONE, NULL) == NGHTTP2_ERR_NOMEM)
        ty_xalloc_die();
}

bool ty_h2_open(const struct ty_h2 *h)
{
    return !h->going && nghttp2_session_check_request_allowed(h->session);
}

uint32_t ty_h2_streams(const struct ty_h2 *h)
{
    return nghttp2_session_get_remote_settings(h->session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
}

bool ty_h2_over(const struct ty_h2 *h)
{
    return !nghttp2_session_want_read(h->session) && !nghttp2_session_want_write(h->session);
}

int ty_h2_feed(struct ty_h2 *h, struct ty_str bytes, struct ty_err *err)
{
    ssize_t r = nghttp2_session_mem_recv(h->session, (const uint8_t *)bytes.p, bytes.n);
    if (r < 0)
        return ty_fail(err, -EPROTO, "the server does not keep to HTTP/2: %s",
                       nghttp2_strerror((int)r));
    if (ty_h2_over(h))
        return ty_fail(err, -EPIPE, "the server ended the connection");
    return 0;
}

struct ty_str ty_h2_take(struct ty_h2 *h)
{
    const uint8_t *p = NULL;
    ssize_t n = nghttp2_session_mem_send(h->session, &p);
    return n > 0 ? (struct ty_str){ (const char *)p, (size_t)n } : (struct ty_str){ 0 };
}

/* Requests */

struct h2_head {
    nghttp2_nv *nv;
    size_t n;
    char *names; /* room for the next name in lower case */
};

static void put_header(struct h2_head *to, const char *name, struct ty_str value)
{
    to->nv[to->n++] = (nghttp2_nv){ .name = (uint8_t *)(uintptr_t)name,
                                    .namelen = strlen(name),
                                    .value = (uint8_t *)(uintptr_t)value.p,
                                    .valuelen = value.n };
}

/* Connection-specific headers are not allowed in HTTP/2. */
static bool is_of_connection(const char *name)
{
    static const char *const them[] = { "connection", "keep-alive",        "proxy-connection",
                                        "upgrade",    "transfer-encoding", "expect" };
    for (size_t i = 0; i < TY_COUNT(them); i++)
        if (strcmp(name, them[i]) == 0)
            return true;
    return false;
}

/* "Name: value"; the name in lower case, as HTTP/2 requires. */
static void put_line(struct h2_head *to, const char *line)
{
    struct ty_str key, value = ty_str_cut(ty_str(line), ':', &key);
    char *name = to->names;

    for (size_t i = 0; i < key.n; i++)
        name[i] = (char)(key.p[i] >= 'A' && key.p[i] <= 'Z' ? key.p[i] | 0x20 : key.p[i]);
    name[key.n] = '\0';
    value = ty_str_trim(value);
    if (key.n == 0 || is_of_connection(name))
        return;
    if (strcmp(name, "host") == 0) {
        to->nv[AUTHORITY].value = (uint8_t *)(uintptr_t)value.p;
        to->nv[AUTHORITY].valuelen = value.n;
        return;
    }
    to->names += key.n + 1;
    put_header(to, name, value);
}

/* Allocates room for all headers of a request. */
static void head_new(struct h2_head *to, const struct ty_h2_request *ask)
{
    size_t n = OWN_HEADERS, bytes = 0;
    for (const char *const *line = ask->headers; line && *line; line++, n++)
        bytes += strlen(*line) + 1;
    to->nv = ty_xalloc(malloc(n * sizeof(*to->nv) + bytes));
    to->names = (char *)(to->nv + n);
    to->n = 0;
}

static int32_t submit_stream(struct stream *s, const struct ty_h2_request *ask)
{
    nghttp2_data_provider body = { .source.ptr = s, .read_callback = on_read };
    struct h2_head head;
    char length[24];

    head_new(&head, ask);
    put_header(&head, ":method", ty_str(ask->method));
    put_header(&head, ":authority", ty_str(ask->authority));
    put_header(&head, ":scheme", TY_LIT("https"));
    put_header(&head, ":path", ty_str(ask->path));
    if (ask->agent)
        put_header(&head, "user-agent", ty_str(ask->agent));
    for (const char *const *line = ask->headers; line && *line; line++)
        put_line(&head, *line);
    if (s->body.n) {
        snprintf(length, sizeof(length), "%zu", s->body.n);
        put_header(&head, "content-length", ty_str(length));
    }
    int32_t id = nghttp2_submit_request(s->h->session, NULL, head.nv, head.n,
                                        s->body.n ? &body : NULL, s); /* copies the headers */
    free(head.nv);
    return id;
}

int32_t ty_h2_start(struct ty_h2 *h, const struct ty_h2_request *ask)
{
    struct stream *s = stream_new(h, ask);
    s->id = ty_h2_open(h) ? submit_stream(s, ask) : -EPIPE;
    if (s->id > 0)
        return s->id;
    stream_free(s);
    return -EPIPE;
}

/* Does not use nghttp2's stream table, which does not contain requests that wait to be sent. */
void ty_h2_cancel(struct ty_h2 *h, int32_t id)
{
    struct stream *s = h->streams;
    while (s && s->id != id)
        s = s->next;
    if (!s)
        return;
    s->user = NULL;
    s->body = (struct ty_str){ 0 };
    s->sent = 0;
    nghttp2_submit_rst_stream(h->session, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
}
