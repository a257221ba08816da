/* A request from its first line to the end of its answer.
 *
 *   line --> headers --> body ... --> handle --> answer --> end
 *                |                      |          ^
 *                '-- too big to read ---'   (suspended)
 */
#include "net/serve_inner.h"

#define ARENA_CEILING ((size_t)256 << 20)
/* A body over its ceiling is read to its end and thrown away, so that its sender lives to see the
 * answer: who writes into a closed connection gets an error instead. So much, not more. */
#define DRAIN_BYTES ((size_t)2 << 20)

static struct ty_serve_conn *conn_of(const struct ty_serve *s, struct MHD_Connection *mhd)
{
    const union MHD_ConnectionInfo *info =
        s->mhd.get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    return info->socket_context;
}

void *ty_serve_on_line(void *cls, const char *uri, struct MHD_Connection *mhd)
{
    struct ty_serve *s = cls;
    struct ty_serve_conn *c = conn_of(s, mhd);
    struct ty_arena *a = ty_arena_new(ARENA_CEILING);
    struct ty_served *q = ty_new(a, struct ty_served);
    char *copy = ty_arena_strndup(a, uri, strlen(uri));

    q->q.arena = a;
    q->q.query = ty_str_cut(ty_str(copy), '?', &q->q.path);
    q->conn = c;
    q->body.ceiling = s->o.body_bytes;
    c->q = q;
    if (!c->fresh) { /* the first one's time began with the connection */
        uv_update_time(s->o.loop);
        c->due_ms = ty_serve_now(s) + s->o.deadline_ms;
    }
    return q;
}

static void served_free(struct ty_served *q)
{
    ty_buf_done(&q->body);
    ty_arena_free(q->q.arena);
}

/* The connection is done with it; the handler may not be. */
void ty_serve_on_end(void *cls, struct MHD_Connection *mhd TY_UNUSED, void **con_cls,
                     enum MHD_RequestTerminationCode why TY_UNUSED)
{
    struct ty_serve *s = cls;
    struct ty_served *q = *con_cls;

    if (!q)
        return;
    *con_cls = NULL;
    struct ty_serve_conn *c = q->conn;
    c->q = NULL;
    c->fresh = false;
    c->due_ms = ty_serve_now(s) + s->o.idle_ms;
    q->conn = NULL;
    if (!q->owed)
        served_free(q);
}

/* ---- answers ---- */

const char *ty_request_header(const struct ty_request *request, const char *name)
{
    const struct ty_served *q = (const struct ty_served *)request;

    if (!q->conn)
        return NULL;
    return q->conn->s->mhd.lookup_connection_value(q->conn->mhd, MHD_HEADER_KIND, name);
}

void ty_request_add(struct ty_request *request, const char *name, const char *value)
{
    struct ty_served *q = (struct ty_served *)request;

    if (q->n_headers == TY_SERVE_HEADERS)
        return;
    q->headers[q->n_headers][0] = name;
    q->headers[q->n_headers++][1] = value;
}

static void set_answer(struct ty_served *q, int code, const char *type, struct ty_str body)
{
    q->code = code;
    q->type = type;
    q->text = (struct ty_str){ ty_arena_strndup(q->q.arena, body.p ? body.p : "", body.n), body.n };
}

static void wake(struct ty_served *q)
{
    struct ty_serve *s = q->conn->s;

    if (!q->suspended)
        return; /* answered from within the handler */
    q->suspended = false;
    s->mhd.resume_connection(q->conn->mhd);
    ty_serve_kick(s);
}

void ty_request_answer(struct ty_request *request, int code, const char *type, struct ty_str body)
{
    struct ty_served *q = (struct ty_served *)request;

    q->owed = false;
    if (!q->conn) { /* nobody waits any more */
        served_free(q);
        return;
    }
    if (q->code) /* too late: the client was told so, and its connection frees the rest */
        return;
    set_answer(q, code, type, body);
    wake(q);
}

bool ty_serve_give_up(struct ty_serve_conn *c)
{
    struct ty_served *q = c->q;

    if (!q || !q->suspended)
        return false;
    q->n_headers = 0;
    ty_request_add(&q->q, MHD_HTTP_HEADER_CONNECTION, "close");
    set_answer(q, MHD_HTTP_SERVICE_UNAVAILABLE, "text/plain; charset=utf-8",
               TY_LIT("the answer took too long\n"));
    wake(q);
    return true;
}

static enum MHD_Result send_answer(struct ty_serve *s, struct ty_served *q)
{
    struct MHD_Response *answer = NULL;
    char *text = NULL;

    memcpy(&text, &q->text.p, sizeof(text)); /* only read: it lives with the request */
    answer = s->mhd.create_response_from_buffer(q->text.n, text, MHD_RESPMEM_PERSISTENT);
    if (!answer)
        return MHD_NO;
    if (q->type)
        s->mhd.add_response_header(answer, MHD_HTTP_HEADER_CONTENT_TYPE, q->type);
    for (size_t i = 0; i < q->n_headers; i++)
        s->mhd.add_response_header(answer, q->headers[i][0], q->headers[i][1]);
    if (s->stopping)
        s->mhd.add_response_header(answer, MHD_HTTP_HEADER_CONNECTION, "close");
    enum MHD_Result r = s->mhd.queue_response(q->conn->mhd, (unsigned)q->code, answer);
    s->mhd.destroy_response(answer);
    return r;
}

static enum MHD_Result hand_over(struct ty_serve *s, struct ty_served *q)
{
    if (q->handed) /* woken */
        return q->code ? send_answer(s, q) : MHD_YES;
    q->q.body = q->q.too_big ? (struct ty_str){ "", 0 } : ty_buf_str(&q->body);
    q->handed = q->owed = true;
    s->o.handle(s->o.ctx, &q->q);
    if (q->code)
        return send_answer(s, q);
    q->suspended = true;
    s->mhd.suspend_connection(q->conn->mhd);
    return MHD_YES;
}

/* ---- reading ---- */

/* True: the body is not worth reading, the handler is asked now. */
static bool look_at_headers(struct ty_serve *s, struct ty_served *q, const char *method)
{
    const char *length = ty_request_header(&q->q, MHD_HTTP_HEADER_CONTENT_LENGTH);
    const char *expect = ty_request_header(&q->q, MHD_HTTP_HEADER_EXPECT);
    uint64_t n = 0;

    q->begun = true;
    q->q.method = ty_arena_strndup(q->q.arena, method, strlen(method));
    if (!length)
        return false;
    q->q.announced = true;
    if (!ty_parse_u64(ty_str(length), &n) || n <= s->o.body_bytes)
        return false;
    q->q.too_big = true;
    return n > DRAIN_BYTES || expect; /* who asks first is told no before sending */
}

static enum MHD_Result take(struct ty_served *q, const char *data, size_t n)
{
    q->seen += n;
    if (!q->q.too_big)
        ty_buf_put(&q->body, data, n);
    if (q->body.full) {
        ty_buf_done(&q->body);
        q->body.full = false;
        q->q.too_big = true;
    }
    /* In the middle of a body libmicrohttpd takes no answer: it can only be cut off. */
    return q->q.too_big && q->seen > DRAIN_BYTES + q->body.ceiling ? MHD_NO : MHD_YES;
}

enum MHD_Result ty_serve_on_request(void *cls, struct MHD_Connection *mhd TY_UNUSED,
                                    const char *url TY_UNUSED, const char *method,
                                    const char *version TY_UNUSED, const char *data, size_t *n,
                                    void **con_cls)
{
    struct ty_serve *s = cls;
    struct ty_served *q = *con_cls;

    if (!q->begun)
        return look_at_headers(s, q, method) ? hand_over(s, q) : MHD_YES;
    if (*n) {
        size_t got = *n;
        *n = 0;
        return take(q, data, got);
    }
    return hand_over(s, q);
}
