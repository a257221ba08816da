/* Connections: their state, since when, and their deadline. */
#include <sys/socket.h>

#include "net/http_server_inner.h"

#define LAST_WORD_MS 1000 /* for writing the response after a deadline */
#define CROWDED_MS   50   /* interval of sweeps while there are too many */

/* ---- states ---- */

static void leave_list(struct ty_http_server_conn *c)
{
    struct ty_http_server_conn_list *list = &c->s->conns[c->state];

    *(c->prev ? &c->prev->next : &list->first) = c->next;
    *(c->next ? &c->next->prev : &list->last) = c->prev;
    list->n--;
}

static void append_to_list(struct ty_http_server_conn *c, enum ty_http_server_conn_state state)
{
    struct ty_http_server_conn_list *list = &c->s->conns[state];

    c->state = state;
    c->since_ms = ty_http_server_now(c->s);
    c->prev = list->last;
    c->next = NULL;
    ty_append(list->first, list->last, c);
    list->n++;
}

void ty_http_server_conn_enter(struct ty_http_server_conn *c, enum ty_http_server_conn_state state)
{
    if (c->state == state ||
        c->state == TY_HTTP_SERVER_CONN_CUT) /* a cut connection stays in that state */
        return;
    leave_list(c);
    append_to_list(c, state);
}

/* libmicrohttpd closes a connection whose socket is shut down; there is no other interface for
 * that. */
void ty_http_server_conn_close(struct ty_http_server_conn *c, enum ty_http_server_close_reason why)
{
    shutdown(c->fd, SHUT_RDWR);
    c->due_ms = INT64_MAX;
    c->s->cuts[why] += c->state != TY_HTTP_SERVER_CONN_CUT;
    ty_http_server_conn_enter(c, TY_HTTP_SERVER_CONN_CUT);
}

void ty_http_server_conn_close_idle(struct ty_http_server *s)
{
    static const enum ty_http_server_conn_state waiting[] = { TY_HTTP_SERVER_CONN_IDLE,
                                                              TY_HTTP_SERVER_CONN_HEAD };

    for (size_t i = 0; i < 2; i++)
        for (struct ty_http_server_conn *c = s->conns[waiting[i]].first, *next; c; c = next) {
            next = c->next;
            if (!c->q)
                ty_http_server_conn_close(c, TY_HTTP_SERVER_CLOSE_IDLE);
        }
}

/* ---- deadlines ---- */

static void sweep_state(struct ty_http_server *s, enum ty_http_server_conn_state state, bool over)
{
    int64_t now = ty_http_server_now(s);

    for (struct ty_http_server_conn *c = s->conns[state].first, *next; c; c = next) {
        next = c->next;
        if (now < c->due_ms && !over)
            continue;
        if (ty_http_server_give_up(c))
            c->due_ms = now + LAST_WORD_MS;
        else
            ty_http_server_conn_close(c, state == TY_HTTP_SERVER_CONN_IDLE
                                             ? TY_HTTP_SERVER_CLOSE_IDLE
                                             : TY_HTTP_SERVER_CLOSE_DEADLINE);
    }
}

/* Deadlines are checked only while there are connections. */
static uint64_t sweep_ms(const struct ty_http_server *s)
{
    int64_t least = s->o.deadline_ms < s->o.idle_ms ? s->o.deadline_ms : s->o.idle_ms;
    int64_t every = least / 8, most = ty_http_server_limit_exceeded(s) ? CROWDED_MS : 500;

    return (uint64_t)(s->stopping || every < 10 ? 10 : every > most ? most : every);
}

static void on_sweep(uv_timer_t *t)
{
    struct ty_http_server *s = t->data;
    bool over = s->stopping && ty_http_server_now(s) >= s->stop_by_ms;

    for (int i = 0; i < TY_HTTP_SERVER_CONN_CUT; i++)
        sweep_state(s, (enum ty_http_server_conn_state)i, over);
    ty_http_server_limit_shed(s);
    uv_timer_set_repeat(t, sweep_ms(s));
    ty_http_server_run(s);
}

void ty_http_server_sweep(struct ty_http_server *s, uint64_t every_ms)
{
    uv_timer_start(&s->sweep, on_sweep, every_ms, every_ms);
}

/* ---- begin and end ---- */

static void conn_new(struct ty_http_server *s, struct MHD_Connection *mhd, void **ctx)
{
    const union MHD_ConnectionInfo *fd =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct ty_http_server_conn *c = ty_xalloc(calloc(1, sizeof(*c)));
    bool crowded = ty_http_server_limit_exceeded(s);
    uv_update_time(s->o.loop);
    *c = (struct ty_http_server_conn){ .s = s,
                                       .mhd = mhd,
                                       .fd = fd->connect_fd,
                                       .due_ms = ty_http_server_now(s) + s->o.deadline_ms,
                                       .fresh = true };
    append_to_list(c, TY_HTTP_SERVER_CONN_HEAD);
    s->n_conns++;
    *ctx = c;
    if (s->with_tls)
        ty_http_server_tls_begin(c);
    ty_http_server_limit_add_conn(s);
    ty_http_server_limit_shed(s);
    if (!uv_is_active((uv_handle_t *)&s->sweep) || crowded != ty_http_server_limit_exceeded(s))
        ty_http_server_sweep(s, sweep_ms(s));
}

static void conn_free(struct ty_http_server_conn *c)
{
    struct ty_http_server *s = c->s;

    leave_list(c);
    ty_http_server_cert_unref(c->id);
    free(c);
    ty_http_server_limit_remove_conn(s);
    if (--s->n_conns == 0)
        uv_timer_stop(&s->sweep);
}

void ty_http_server_on_connection(void *cls, struct MHD_Connection *mhd, void **ctx,
                                  enum MHD_ConnectionNotificationCode what)
{
    if (what == MHD_CONNECTION_NOTIFY_STARTED)
        conn_new(cls, mhd, ctx);
    else if (*ctx) {
        conn_free(*ctx);
        *ctx = NULL;
    }
}
