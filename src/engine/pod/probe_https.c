/* Uses net/http_client.h, which loads libcurl with the first HTTPS probe. */
#include "engine/pod/probe_https.h"

#include <stdlib.h>

#include "engine/engine_inner.h"
#include "engine/pod/pod_plan.h"
#include "net/http_client.h"
#include "proc/zygote.h"

enum { CONNECT_MS = 30 * 1000, IDLE_MS = 600 * 1000 };

struct ty_probe_https {
    struct ty_http_client_call *call;
    struct ty_http_client_peer peer;
    ty_probe_https_fn *fn;
    void *ctx;
};

static bool load_client(struct ty_engine *e, const char **ret_why)
{
    struct ty_http_client_settings s = { .loop = e->o.loop,
                                         .agent = "kube-probe/trainyard",
                                         .connect_ms = CONNECT_MS,
                                         .dead_ms = CONNECT_MS };
    struct ty_err err = { 0 };

    if (!e->probes.https && ty_http_client_new(&e->probes.https, &s, &err) < 0) {
        *ret_why = ty_arena_strdup(e->lasting, err.text);
        return false;
    }
    return true;
}

/* "A: 1\r\nB: 2\r\n" as a list that ends with NULL. */
static const char *const *header_list(struct ty_arena *a, const char *text)
{
    struct ty_str rest = ty_str(text), line;
    size_t n = 0;

    for (const char *p = text; p && *p; p++)
        n += *p == '\n';
    const char **list = ty_new_n(a, const char *, n + 1);
    n = 0;
    while (rest.n) {
        rest = ty_str_cut(rest, '\n', &line);
        line = ty_str_trim(line);
        if (line.n)
            list[n++] = ty_arena_cstr(a, line);
        if (!rest.p)
            break;
    }
    return list;
}

/* Only the HTTP status counts: the body is discarded. */
static int skip_body(void *ctx TY_UNUSED, struct ty_http_client_call *call TY_UNUSED,
                     struct ty_str piece TY_UNUSED)
{
    return 0;
}

static void on_ended(void *ctx, struct ty_http_client_call *call TY_UNUSED,
                     const struct ty_http_client_result *end)
{
    struct ty_probe_https *h = ctx;
    bool ok = end->status >= 200 && end->status < 400;
    char text[256];

    if (end->status)
        snprintf(text, sizeof(text), "HTTP probe failed with statuscode: %d", end->status);
    else
        snprintf(text, sizeof(text), "%s", end->text ? end->text : "no answer");
    h->fn(h->ctx, ok, ok ? "" : text);
    free(h);
}

static int open_socket(void *ctx)
{
    return ty_zygote_socket(ctx);
}

struct ty_probe_https *ty_probe_https_start(struct ty_engine *e, const struct ty_probe *probe,
                                            const char *address, ty_probe_https_fn *fn, void *ctx,
                                            const char **ret_why)
{
    ty_auto_arena *a = ty_arena_new(TY_OBJECT_CEILING);
    struct ty_probe_https *h = load_client(e, ret_why) ? calloc(1, sizeof(*h)) : NULL;

    if (!h)
        return NULL;
    *h = (struct ty_probe_https){ .peer = { .proxy = "", .insecure = true }, .fn = fn, .ctx = ctx };
    if (e->o.pod_network) {
        h->peer.socket = open_socket;
        h->peer.socket_ctx = e->o.zygote;
    }
    struct ty_http_client_request ask = {
        .method = "GET",
        .url = ty_arena_printf(a, "https://%s:%d%s", probe->host ? probe->host : address,
                               probe->port, probe->http_path ? probe->http_path : "/"),
        .headers = probe->headers ? header_list(a, probe->headers) : NULL,
        .peer = &h->peer,
        .idle_ms = IDLE_MS,
        .piece = skip_body,
        .end = on_ended,
        .ctx = h
    };
    ty_http_client_renew(e->probes.https); /* an old connection proves nothing */
    h->call = ty_http_client_start(e->probes.https, &ask);
    return h;
}

void ty_probe_https_cancel(struct ty_probe_https *h)
{
    ty_http_client_cancel(h->call);
    free(h);
}
