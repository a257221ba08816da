/* clang-format off */
/* Closes connections when there are too many, or too little memory for them. The client's address is
 * not considered: an API server may share one with all other clients. Connections that wait for their
 * client are closed, the longest waiting first:
 *
 *   connections   state                                           condition
 *   over 3/4      between two requests                            no unread bytes
 *   over 3/4      in a handshake, request line or headers         the same, in this state for HEAD_MS
 *   over 15/16    in a handshake, request line or headers         the same, in this state for HURRY_MS
 *   over 15/16    in a body, or with a response that the client   the same, in this state for BODY_MS
 *                 does not read
 *
 * Unread bytes in the socket mean that the server is slow and not the client, as when a thousand pods
 * start at once. A request that its handler has is never closed. The rest of the limit above 3/4, and
 * the backlog of the listening socket, are for clients that connect in the meantime. */
/* clang-format on */
#include <sys/ioctl.h>

#include "base/budget.h"
#include "net/http_server_inner.h"

#define HEAD_MS  1000
#define HURRY_MS 250
#define BODY_MS  2000
#define LOOKS    16 /* connections to check for one that can be closed */
#define SHARE    4  /* the fraction of the budget that one server may use */

/* ---- connections ---- */

static size_t count_conns(const struct ty_http_server *s)
{
    return s->n_conns - s->conns[TY_HTTP_SERVER_CONN_CUT].n;
}

bool ty_http_server_limit_exceeded(const struct ty_http_server *s)
{
    return count_conns(s) > s->o.connections - s->o.connections / 4;
}

static bool is_full(const struct ty_http_server *s)
{
    return count_conns(s) > s->o.connections - s->o.connections / 16;
}

static bool waits_for_client(const struct ty_http_server_conn *c)
{
    int unread = 0;

    return ioctl(c->fd, FIONREAD, &unread) < 0 || unread == 0;
}

/* Closes the longest in this state, if it has been in it for so long. */
static bool cut_one(struct ty_http_server *s, enum ty_http_server_conn_state state,
                    int64_t least_ms, enum ty_http_server_close_reason why)
{
    struct ty_http_server_conn *c = s->conns[state].first;
    int64_t now = ty_http_server_now(s);

    for (int i = 0; c && i < LOOKS && now - c->since_ms >= least_ms; i++, c = c->next)
        if (waits_for_client(c)) {
            ty_http_server_conn_close(c, why);
            return true;
        }
    return false;
}

static bool cut_waiting(struct ty_http_server *s, bool hurry, enum ty_http_server_close_reason why)
{
    return cut_one(s, TY_HTTP_SERVER_CONN_IDLE, 0, why) ||
           cut_one(s, TY_HTTP_SERVER_CONN_HEAD, hurry ? HURRY_MS : HEAD_MS, why) ||
           (hurry && (cut_one(s, TY_HTTP_SERVER_CONN_BODY, BODY_MS, why) ||
                      cut_one(s, TY_HTTP_SERVER_CONN_ANSWER, BODY_MS, why)));
}

void ty_http_server_limit_shed(struct ty_http_server *s)
{
    while (ty_http_server_limit_exceeded(s) &&
           cut_waiting(s, is_full(s), TY_HTTP_SERVER_CLOSE_CROWDED))
        ;
}

/* ---- memory ---- */

/* The part of the budget that this server may still use. */
static size_t budget_left(const struct ty_http_server *s)
{
    const struct ty_budget *b = s->o.budget;
    size_t left = ty_budget_left(b);

    if (!b || !b->ceiling)
        return left;
    size_t share = b->ceiling / SHARE > s->held ? b->ceiling / SHARE - s->held : 0;
    return share < left ? share : left;
}

size_t ty_http_server_limit_conn_bytes(const struct ty_http_server *s)
{
    return s->o.header_bytes + (s->with_tls ? TY_HTTP_SERVER_CONN_TLS : TY_HTTP_SERVER_CONN_PLAIN);
}

/* The connection exists already. If there is no room for it, the longest idle one is closed: its
 * memory is freed a moment later. */
void ty_http_server_limit_add_conn(struct ty_http_server *s)
{
    size_t n = ty_http_server_limit_conn_bytes(s);

    if (budget_left(s) < n)
        cut_waiting(s, true, TY_HTTP_SERVER_CLOSE_MEMORY);
    ty_budget_charge(s->o.budget, n);
    s->held += n;
}

void ty_http_server_limit_remove_conn(struct ty_http_server *s)
{
    ty_budget_release(s->o.budget, ty_http_server_limit_conn_bytes(s));
    s->held -= ty_http_server_limit_conn_bytes(s);
}

void ty_http_server_limit_release_body(struct ty_http_server_exchange *q)
{
    if (q->conn)
        q->conn->s->held -= q->held;
    ty_budget_release(q->budget, q->held);
    q->held = 0;
    ty_buf_done(&q->body);
}

/* An API server sends a body in milliseconds: the connection that has been sending for the longest
 * is the least likely to be one. */
bool ty_http_server_limit_reserve_body(struct ty_http_server *s, struct ty_http_server_exchange *q,
                                       size_t more)
{
    while (budget_left(s) < more) {
        struct ty_http_server_conn *c = s->conns[TY_HTTP_SERVER_CONN_BODY].first;
        while (c && c != q->conn && !c->q->held)
            c = c->next;
        if (!c || c == q->conn)
            return false;
        ty_http_server_limit_release_body(c->q);
        ty_http_server_conn_close(c, TY_HTTP_SERVER_CLOSE_MEMORY);
    }
    ty_budget_charge(s->o.budget, more);
    q->held += more;
    s->held += more;
    return true;
}
