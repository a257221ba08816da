/* A server for the tests beside this file: peer FOLDER plain|tls [DEADLINE_MS [IDLE_MS
 * [CONNECTIONS]]]. Prints its port; with tls FOLDER/ca.pem is what to trust. SIGTERM stops it with
 * 3 s of grace.
 *
 *   /echo      method, path, query, sizes and the body, as lines
 *
 *   /later?MS  answers after so long
 *
 *   /never     is never answered
 *
 *   /rotate    a new certificate from the same CA
 *
 *   /count     connections
 *
 *   /held      how many of /later and /never have come and wait */
#include <signal.h>
#include <stdio.h>

#include "base/buf.h"
#include "net/http_server.h"

struct peer {
    uv_loop_t loop;
    struct ty_arena *a;
    struct ty_pem ca;
    struct ty_http_server *s;
    uv_signal_t term;
    struct ty_http_request *never[64];
    size_t n_never, n_later;
    int64_t now_s;
};

struct later {
    uv_timer_t timer;
    struct peer *p;
    struct ty_http_request *q;
};

static int64_t number(const char *text)
{
    int64_t v = 0;
    return text && ty_str_parse_i64(ty_str(text), &v) ? v : 0;
}

static void later_closed(uv_handle_t *h)
{
    free(h->data);
}

static void on_later(uv_timer_t *t)
{
    struct later *l = t->data;

    l->p->n_later--;
    ty_http_request_respond(l->q, 200, "text/plain", TY_LIT("later\n"));
    uv_close((uv_handle_t *)t, later_closed);
}

static void answer_later(struct peer *p, struct ty_http_request *q)
{
    struct later *l = calloc(1, sizeof(*l));
    int64_t ms = 0;

    if (!l)
        abort();
    ty_str_parse_i64(q->query, &ms);
    *l = (struct later){ .p = p, .q = q };
    p->n_later++;
    uv_timer_init(&p->loop, &l->timer);
    l->timer.data = l;
    uv_timer_start(&l->timer, on_later, (uint64_t)ms, 0);
}

static int new_identity(struct peer *p, struct ty_err *err)
{
    static const char *const names[] = { "localhost", "127.0.0.1", NULL };
    struct ty_certs_request ask = {
        .name = "localhost", .names = names, .from_s = p->now_s - 60, .until_s = p->now_s + 3600
    };
    struct ty_pem pair;
    int r = ty_certs_serving(p->a, &ask, &p->ca, &pair, err);

    return r < 0 ? r : ty_http_server_set_cert(p->s, &pair, err);
}

static void echo(struct ty_http_request *q)
{
    ty_auto_buf b = { 0 };
    const char *mark = ty_http_request_header(q, "x-mark");

    ty_buf_printf(&b, "%s %.*s %.*s %zu %s%s %s\n", q->method, TY_ARG(q->path), TY_ARG(q->query),
                  q->body.n, q->announced ? "announced" : "chunked", q->too_big ? " too big" : "",
                  mark ? mark : "-");
    ty_buf_add(&b, q->body);
    ty_http_request_add_header(q, "X-Peer", "yes");
    ty_http_request_respond(q, q->too_big ? 413 : 200, "text/plain", ty_buf_str(&b));
}

static void handle(void *ctx, struct ty_http_request *q)
{
    struct peer *p = ctx;
    struct ty_err err = { 0 };
    char text[32];

    if (ty_str_is(q->path, "/later"))
        answer_later(p, q);
    else if (ty_str_is(q->path, "/never") && p->n_never < 64)
        p->never[p->n_never++] = q;
    else if (ty_str_is(q->path, "/rotate"))
        ty_http_request_respond(q, new_identity(p, &err) == 0 ? 200 : 500, NULL, ty_str(err.text));
    else if (ty_str_is(q->path, "/count") || ty_str_is(q->path, "/held")) {
        snprintf(text, sizeof(text), "%zu",
                 ty_str_is(q->path, "/count") ? ty_http_server_connections(p->s)
                                              : p->n_later + p->n_never);
        ty_http_request_respond(q, 200, NULL, ty_str(text));
    } else
        echo(q);
}

static void stopped(void *ctx)
{
    struct peer *p = ctx;

    ty_http_server_free(p->s);
    uv_close((uv_handle_t *)&p->term, NULL);
    for (size_t i = 0; i < p->n_never; i++)
        ty_http_request_respond(p->never[i], 200, NULL, TY_LIT("too late"));
}

static void on_term(uv_signal_t *h, int sig)
{
    struct peer *p = h->data;

    (void)sig;
    uv_signal_stop(h);
    ty_http_server_stop(p->s, 3000, stopped, p);
}

static int make_ca(struct peer *p, const char *dir, struct ty_err *err)
{
    struct ty_certs_request ask = { .name = "peer-ca",
                                    .from_s = p->now_s - 60,
                                    .until_s = p->now_s + 7200 };
    char *path = ty_arena_printf(p->a, "%s/ca.pem", dir);
    int r = ty_certs_ca(p->a, &ask, &p->ca, err);
    FILE *f = r == 0 ? fopen(path, "we") : NULL;
    if (r == 0 && (!f || fwrite(p->ca.cert.p, 1, p->ca.cert.n, f) != p->ca.cert.n))
        r = ty_fail(err, -1, "%s cannot be written", path);
    if (f)
        fclose(f);
    return r;
}

int main(int argc, char **argv)
{
    struct peer p = { .a = ty_arena_new(1 << 26), .now_s = (int64_t)time(NULL) };
    struct ty_http_server_tls tls = { 0 };
    struct ty_err err = { 0 };
    struct ty_http_server_opts o = {
        .loop = &p.loop, .address = "127.0.0.1", .handle = handle, .ctx = &p
    };
    bool secure = argc > 2 && strcmp(argv[2], "tls") == 0;

    if (argc < 3)
        return 2;
    uv_loop_init(&p.loop);
    o.tls = secure ? &tls : NULL;
    o.deadline_ms = argc > 3 ? number(argv[3]) : 0;
    o.idle_ms = argc > 4 ? number(argv[4]) : 0;
    o.connections = argc > 5 ? (unsigned)number(argv[5]) : 0;
    int r = secure ? make_ca(&p, argv[1], &err) : 0;
    if (r == 0)
        r = ty_http_server_new(&o, &p.s, &err);
    if (r == 0 && secure)
        r = new_identity(&p, &err);
    if (r < 0) {
        fprintf(stderr, "peer: %s\n", err.text);
        return 1;
    }
    uv_signal_init(&p.loop, &p.term);
    p.term.data = &p;
    uv_signal_start(&p.term, on_term, SIGTERM);
    printf("%d\n", ty_http_server_port(p.s));
    fflush(stdout);
    uv_run(&p.loop, UV_RUN_DEFAULT);
    uv_loop_close(&p.loop);
    ty_arena_free(p.a);
    return 0;
}
