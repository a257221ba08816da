/* Named checks, answered as Kubernetes' healthz package does. */
#include "serve/health.h"

#include "base/buf.h"
#include "net/url.h"
#include "serve/respond.h"

struct report {
    const struct ty_health *h;
    struct ty_http_request *q;
    struct ty_buf lines;
    size_t failed;
};

/* Whether the query has NAME (or NAME=, NAME=anything). */
static bool has_flag(struct ty_str query, const char *name)
{
    while (query.n) {
        struct ty_str one, key;
        query = ty_str_cut(query, '&', &one);
        ty_str_cut(one, '=', &key);
        if (ty_str_is(key, name))
            return true;
    }
    return false;
}

static bool is_excluded(const struct ty_http_request *q, const char *check)
{
    struct ty_str query = q->query;

    while (query.n) {
        struct ty_str one, key, value;
        query = ty_str_cut(query, '&', &one);
        value = ty_str_cut(one, '=', &key);
        if (ty_str_is(key, "exclude") && ty_str_is(ty_url_decode(q->arena, value), check))
            return true;
    }
    return false;
}

static void run_check(struct report *r, const struct ty_health_check *c)
{
    const char *why = c->ask(c->ctx, r->q->arena);

    if (!why) {
        ty_buf_printf(&r->lines, "[+]%s ok\n", c->name);
        return;
    }
    if (c->advice) { /* the check itself has logged why */
        ty_buf_printf(&r->lines, "[-]%s failed, does not decide: reason withheld\n", c->name);
        return;
    }
    ty_buf_printf(&r->lines, "[-]%s failed: reason withheld\n", c->name);
    r->failed++;
    if (r->h->failed)
        r->h->failed(r->h->ctx, r->h->path, c->name, why);
}

/* The path without its leading slash, as in the last line. */
static const char *endpoint_name(const struct ty_health *h)
{
    return h->path[0] == '/' ? h->path + 1 : h->path;
}

static void send_report(struct report *r)
{
    if (r->failed)
        ty_buf_printf(&r->lines, "%s check failed\n", endpoint_name(r->h));
    else if (has_flag(r->q->query, "verbose"))
        ty_buf_printf(&r->lines, "%s check passed\n", endpoint_name(r->h));
    else
        r->lines.n = 0;
    ty_respond_text(r->q, r->failed ? 500 : 200, r->lines.n ? ty_buf_str(&r->lines) : TY_LIT("ok"));
}

static void handle_all(const struct ty_health *h, struct ty_http_request *q)
{
    static const struct ty_health_check none[] = { { 0 } };
    struct report r = { .h = h, .q = q };

    for (const struct ty_health_check *c = h->checks ? h->checks : none; c->name; c++)
        if (is_excluded(q, c->name))
            ty_buf_printf(&r.lines, "[+]%s excluded: ok\n", c->name);
        else
            run_check(&r, c);
    send_report(&r);
    ty_buf_done(&r.lines);
}

static void handle_one(const struct ty_health *h, struct ty_http_request *q, struct ty_str name)
{
    for (const struct ty_health_check *c = h->checks; c && c->name; c++) {
        if (!ty_str_is(name, c->name))
            continue;
        const char *why = c->ask(c->ctx, q->arena);
        if (why && h->failed)
            h->failed(h->ctx, h->path, c->name, why);
        ty_respond_text(q, why ? 500 : 200,
                        why ? TY_LIT("internal server error: reason withheld\n") : TY_LIT("ok"));
        return;
    }
    ty_respond_text(q, 404, TY_LIT("404 page not found\n"));
}

bool ty_health_handle(const struct ty_health *h, struct ty_http_request *q)
{
    struct ty_str path = ty_str(h->path), rest = q->path;

    if (!ty_str_starts(rest, path))
        return false;
    rest = (struct ty_str){ rest.p + path.n, rest.n - path.n };
    if (rest.n && rest.p[0] != '/')
        return false;
    if (strcmp(q->method, "GET") != 0 && strcmp(q->method, "HEAD") != 0) {
        ty_http_request_add_header(q, "Allow", "GET, HEAD");
        ty_respond_text(q, 405, TY_LIT("Method Not Allowed\n"));
    } else if (rest.n <= 1)
        handle_all(h, q);
    else
        handle_one(h, q, (struct ty_str){ rest.p + 1, rest.n - 1 });
    return true;
}
