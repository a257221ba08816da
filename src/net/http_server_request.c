/* A request from its first line to the end of its response.
 *
 *   line --> headers --> body ... --> handle --> response --> end
 *                |                      |          ^
 *                '-- too big to read ---'   (suspended)
 */
#include <strings.h>

#include "base/budget.h"
#include "net/http_server_inner.h"

#define HANDLED_NS ((uint64_t)10 * 1000000) /* the handler's time in one iteration of the loop */
/* Of a body above its ceiling, or without room, so many bytes beyond the ceiling are read and
 * discarded, so that the client can read the response: a client that writes into a closed
 * connection gets an error instead. The request's deadline limits the time. */
#define DRAIN_BYTES ((size_t)2 << 20)
#define FIRST_BODY  ((size_t)4 << 10)

void *ty_http_server_on_line(void *cls, const char *uri, struct MHD_Connection *mhd)
{
    struct ty_http_server *s = cls;
    struct ty_http_server_conn *c =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
    struct ty_arena *a = ty_arena_new_input(s->o.arena_bytes, s->o.budget);
    struct ty_http_server_exchange *q = ty_new(a, struct ty_http_server_exchange);
    char *copy = ty_arena_strdup(a, uri);

    q->q.arena = a;
    q->q.query = ty_str_cut(ty_str(copy), '?', &q->q.path);
    q->conn = c;
    q->budget = s->o.budget;
    q->body.ceiling = s->o.body_bytes;
    q->no_room = ty_arena_full(a);
    c->q = q;
    if (!c->fresh) { /* the first request's deadline began with the connection */
        uv_update_time(s->o.loop);
        c->due_ms = ty_http_server_now(s) + s->o.deadline_ms;
    }
    ty_http_server_conn_enter(c, TY_HTTP_SERVER_CONN_HEAD);
    return q;
}

static void served_free(struct ty_http_server_exchange *q)
{
    ty_http_server_limit_release_body(q);
    ty_arena_free(q->q.arena);
}

static void not_later(struct ty_http_server_exchange *q)
{
    if (q->later)
        q->conn->s->later--;
    q->later = false;
}

/* libmicrohttpd has finished the request; the handler may not have. */
void ty_http_server_on_end(void *cls, struct MHD_Connection *mhd TY_UNUSED, void **con_cls,
                           enum MHD_RequestTerminationCode why TY_UNUSED)
{
    struct ty_http_server *s = cls;
    struct ty_http_server_exchange *q = *con_cls;

    if (!q)
        return;
    *con_cls = NULL;
    struct ty_http_server_conn *c = q->conn;
    not_later(q);
    c->q = NULL;
    c->fresh = false;
    c->due_ms = ty_http_server_now(s) + s->o.idle_ms;
    ty_http_server_conn_enter(c, TY_HTTP_SERVER_CONN_IDLE);
    s->held -= q->held;
    q->conn = NULL;
    if (!q->owed)
        served_free(q);
}

/* ---- responses ---- */

const char *ty_http_request_header(const struct ty_http_request *request, const char *name)
{
    const struct ty_http_server_exchange *q = (const struct ty_http_server_exchange *)request;

    for (size_t i = 0; i < q->n_sent; i++)
        if (strcasecmp(q->sent[i].name, name) == 0)
            return q->sent[i].value;
    return NULL;
}

void ty_http_request_add_header(struct ty_http_request *request, const char *name,
                                const char *value)
{
    struct ty_http_server_exchange *q = (struct ty_http_server_exchange *)request;

    if (q->n_headers == TY_HTTP_SERVER_HEADERS)
        return;
    q->headers[q->n_headers][0] = name;
    q->headers[q->n_headers++][1] = value;
}

static void set_answer(struct ty_http_server_exchange *q, int code, const char *type,
                       struct ty_str body)
{
    q->code = code;
    q->type = type;
    q->text = ty_arena_str(q->q.arena, body);
    if (q->conn)
        ty_http_server_conn_enter(q->conn, TY_HTTP_SERVER_CONN_ANSWER);
}

/* Replaces the handler's response, of which parts may be missing. */
static void set_no_room(struct ty_http_server_exchange *q, bool later)
{
    q->n_headers = 0;
    if (later && q->budget)
        q->budget->refused++;
    if (later)
        ty_http_request_add_header(&q->q, MHD_HTTP_HEADER_RETRY_AFTER, "1");
    set_answer(q, later ? MHD_HTTP_SERVICE_UNAVAILABLE : MHD_HTTP_CONTENT_TOO_LARGE,
               "text/plain; charset=utf-8",
               later ? TY_LIT("there is no memory for this request now\n")
                     : TY_LIT("this request takes too much memory\n"));
}

static void wake_request(struct ty_http_server_exchange *q)
{
    struct ty_http_server *s = q->conn->s;

    if (!q->suspended)
        return; /* answered from within the handler */
    q->suspended = false;
    MHD_resume_connection(q->conn->mhd);
    ty_http_server_kick(s);
}

void ty_http_request_respond(struct ty_http_request *request, int code, const char *type,
                             struct ty_str body)
{
    struct ty_http_server_exchange *q = (struct ty_http_server_exchange *)request;

    q->owed = false;
    if (!q->conn) { /* the client is gone */
        served_free(q);
        return;
    }
    if (q->code) /* too late: the client got 503, and its connection frees the rest */
        return;
    if (ty_arena_full(q->q.arena))
        set_no_room(q, ty_arena_used(q->q.arena) < q->conn->s->o.arena_bytes);
    else
        set_answer(q, code, type, body);
    wake_request(q);
}

bool ty_http_server_give_up(struct ty_http_server_conn *c)
{
    struct ty_http_server_exchange *q = c->q;

    if (!q || !q->suspended)
        return false;
    not_later(q);
    q->n_headers = 0;
    ty_http_request_add_header(&q->q, MHD_HTTP_HEADER_CONNECTION, "close");
    set_answer(q, MHD_HTTP_SERVICE_UNAVAILABLE, "text/plain; charset=utf-8",
               TY_LIT("the answer took too long\n"));
    wake_request(q);
    return true;
}

static enum MHD_Result send_answer(struct ty_http_server *s, struct ty_http_server_exchange *q)
{
    struct MHD_Response *answer = NULL;
    char *text = NULL;

    memcpy(&text, &q->text.p, sizeof(text)); /* only read: it lives with the request */
    answer = MHD_create_response_from_buffer(q->text.n, text, MHD_RESPMEM_PERSISTENT);
    if (!answer)
        return MHD_NO;
    if (q->type)
        MHD_add_response_header(answer, MHD_HTTP_HEADER_CONTENT_TYPE, q->type);
    for (size_t i = 0; i < q->n_headers; i++)
        MHD_add_response_header(answer, q->headers[i][0], q->headers[i][1]);
    if (s->stopping)
        MHD_add_response_header(answer, MHD_HTTP_HEADER_CONNECTION, "close");
    enum MHD_Result r = MHD_queue_response(q->conn->mhd, (unsigned)q->code, answer);
    MHD_destroy_response(answer);
    return r;
}

/* The handler was busy in this iteration of the loop: other work comes first, then this request. */
static enum MHD_Result put_off(struct ty_http_server *s, struct ty_http_server_exchange *q)
{
    q->later = q->suspended = true;
    s->later++;
    ty_http_server_conn_enter(
        q->conn, TY_HTTP_SERVER_CONN_HANDLER); /* it waits for the server, not for its client */
    MHD_suspend_connection(q->conn->mhd);
    ty_http_server_kick(s);
    return MHD_YES;
}

void ty_http_server_wake_later(struct ty_http_server *s)
{
    struct ty_http_server_conn *c = s->later ? s->conns[TY_HTTP_SERVER_CONN_HANDLER].first : NULL;

    while (c && !(c->q && c->q->later))
        c = c->next;
    if (!c)
        return;
    not_later(c->q);
    wake_request(c->q);
}

static enum MHD_Result hand_over(struct ty_http_server *s, struct ty_http_server_exchange *q)
{
    if (q->handed || q->code) /* resumed */
        return q->code ? send_answer(s, q) : MHD_YES;
    if (s->handled_ns > HANDLED_NS && !s->stopping)
        return put_off(s, q);
    q->handed = true;
    if (q->no_room) {
        set_no_room(q, true);
        return send_answer(s, q);
    }
    q->q.body = q->q.too_big ? (struct ty_str){ "", 0 } : ty_buf_str(&q->body);
    q->owed = true;
    ty_http_server_conn_enter(q->conn, TY_HTTP_SERVER_CONN_HANDLER);
    uint64_t begin = uv_hrtime();
    s->o.handle(s->o.ctx, &q->q);
    s->handled_ns += uv_hrtime() - begin;
    if (q->code)
        return send_answer(s, q);
    q->suspended = true;
    MHD_suspend_connection(q->conn->mhd);
    return MHD_YES;
}

/* ---- reading ---- */

/* libmicrohttpd's strings live with the connection; the handler may take longer. */
static enum MHD_Result copy_header(void *cls, enum MHD_ValueKind kind TY_UNUSED, const char *name,
                                   const char *value)
{
    struct ty_http_server_exchange *q = cls;
    struct ty_arena *a = q->q.arena;
    const char *text = value ? value : "";

    ty_room(a, q->sent, q->n_sent, q->cap_sent);
    q->sent[q->n_sent++] =
        (struct ty_http_server_header){ ty_arena_strdup(a, name), ty_arena_strdup(a, text) };
    return MHD_YES;
}

/* True: skip the body and call the handler now. */
static bool check_headers(struct ty_http_server *s, struct ty_http_server_exchange *q,
                          const char *method)
{
    q->begun = true;
    q->q.method = ty_arena_strdup(q->q.arena, method);
    MHD_get_connection_values(q->conn->mhd, MHD_HEADER_KIND, copy_header, q);
    ty_http_server_conn_enter(q->conn, TY_HTTP_SERVER_CONN_BODY);
    const char *length = ty_http_request_header(&q->q, MHD_HTTP_HEADER_CONTENT_LENGTH);
    const char *expect = ty_http_request_header(&q->q, MHD_HTTP_HEADER_EXPECT);
    uint64_t n = 0;
    if (!length)
        return false;
    q->q.announced = true;
    if (!ty_str_parse_u64(ty_str(length), &n))
        return false;
    q->q.too_big = n > s->o.body_bytes;
    /* a client with Expect: 100-continue is refused before it sends */
    return (q->q.too_big || q->no_room) && (n > DRAIN_BYTES || expect);
}

/* Makes room for n more bytes of the body; reserves them in the budget before they are allocated.
 */
static void make_room(struct ty_http_server *s, struct ty_http_server_exchange *q, size_t n)
{
    struct ty_buf *b = &q->body;
    size_t cap = b->cap < FIRST_BODY / 2 ? FIRST_BODY : b->cap * 2;

    if (b->cap - b->n >= n)
        return;
    if (n > b->ceiling || b->n > b->ceiling - n) {
        q->q.too_big = true;
        return;
    }
    cap = cap < b->n + n ? b->n + n : cap;
    cap = cap > b->ceiling ? b->ceiling : cap;
    q->no_room = !ty_http_server_limit_reserve_body(s, q, cap - b->cap);
    if (!q->no_room)
        ty_buf_grow(b, cap - b->n);
}

static enum MHD_Result take_body(struct ty_http_server *s, struct ty_http_server_exchange *q,
                                 const char *data, size_t n)
{
    q->seen += n;
    if (!q->q.too_big && !q->no_room)
        make_room(s, q, n);
    if (!q->q.too_big && !q->no_room) {
        ty_buf_put(&q->body, data, n);
        return MHD_YES;
    }
    ty_http_server_limit_release_body(q);
    /* libmicrohttpd accepts no response in the middle of a body: the connection can only be closed.
     */
    return q->seen > DRAIN_BYTES + q->body.ceiling ? MHD_NO : MHD_YES;
}

enum MHD_Result ty_http_server_on_request(void *cls, struct MHD_Connection *mhd TY_UNUSED,
                                          const char *url TY_UNUSED, const char *method,
                                          const char *version TY_UNUSED, const char *data,
                                          size_t *n, void **con_cls)
{
    struct ty_http_server *s = cls;
    struct ty_http_server_exchange *q = *con_cls;

    if (q->conn->state == TY_HTTP_SERVER_CONN_CUT && !q->handed)
        return MHD_NO; /* its body may be freed already */
    if (!q->begun)
        return check_headers(s, q, method) ? hand_over(s, q) : MHD_YES;
    if (*n) {
        size_t got = *n;
        *n = 0;
        return take_body(s, q, data, got);
    }
    return hand_over(s, q);
}
