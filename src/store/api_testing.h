/* For tests: a loopback server in place of an API server, and a client of it on the same loop. Its
 * answers are scripted, so that rare ones can be tested; tests/cluster uses a real one. */
#ifndef TY_STORE_API_TESTING_H
#define TY_STORE_API_TESTING_H

#include "base/budget.h"
#include "base/buf.h"
#include "net/http_server_testing.h"
#include "store/kube/kube.h"
#include "json/patch.h"

enum { API_PATCHED = -200 };

/* The first row whose text is a prefix of "METHOD /path?query" answers. Without a row, a list is
 * empty, a watch stays open without events, and everything else is 404. */
struct api_row {
    const char *ask;
    int code; /* 0: never answers; API_PATCHED: 200 and body merged with the request's, at version
                 20 */
    const char *body;
};

struct api_world {
    uv_loop_t *loop;
    struct ty_http_server *serve;
    struct ty_kubeconfig config;
    struct ty_kube *kube;
    struct ty_budget budget;    /* of the client; no ceiling unless the test sets one */
    const struct api_row *rows; /* ends with { 0 } */
    struct ty_buf asked; /* "GET /path ", one line for each request except lists and watches */
    struct ty_buf body;  /* of the last request, NUL-terminated */
    struct ty_http_request *open[64]; /* requests without an answer */
    int may_write;                    /* the fence closes after so many requests; -1: never */
    int n_asked;                      /* requests that are neither lists nor watches */
    size_t n_open;
    char url[64];
};

static inline void api_hold(struct api_world *w, struct ty_http_request *q)
{
    assert_true(w->n_open < TY_COUNT(w->open));
    w->open[w->n_open++] = q;
}

/* "METHOD /path?query". */
static inline const char *api_line(const struct ty_http_request *q)
{
    return ty_arena_printf(q->arena, "%s %.*s%s%.*s", q->method, TY_ARG(q->path),
                           q->query.n ? "?" : "", TY_ARG(q->query));
}

static inline void api_patched(struct ty_http_request *q, const struct api_row *r)
{
    struct ty_json *is = ty_json_parse(q->arena, ty_str(r->body), NULL, NULL);
    const struct ty_json *sent = ty_json_parse(q->arena, q->body, NULL, NULL);

    assert_non_null(is);
    assert_non_null(sent);
    is = ty_patch_merge(q->arena, is, sent);
    ty_json_set(q->arena, ty_json_ensure_object(q->arena, is, "metadata"), "resourceVersion",
                ty_json_cstr(q->arena, "20"));
    ty_http_request_respond(q, 200, "application/json", ty_json_text(q->arena, is));
}

static inline void api_default(struct api_world *w, struct ty_http_request *q)
{
    if (ty_str_contains(q->query, TY_LIT("watch=1")))
        api_hold(w, q);
    else if (ty_str_contains(q->query, TY_LIT("limit=")))
        ty_http_request_respond(q, 200, "application/json",
                                TY_LIT("{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[]}"));
    else
        ty_http_request_respond(q, 404, "application/json",
                                TY_LIT("{\"kind\":\"Status\",\"code\":404,\"reason\":\"NotFound\","
                                       "\"message\":\"not here\"}"));
}

static inline void api_handle(void *ctx, struct ty_http_request *q)
{
    struct api_world *w = ctx;
    const char *line = api_line(q);

    if (!q->query.n || strcmp(q->method, "GET") != 0) /* neither lists nor watches */
        ty_buf_printf(&w->asked, "%s %.*s\n", q->method, TY_ARG(q->path));
    w->n_asked += !q->query.n || strcmp(q->method, "GET") != 0;
    w->body.n = 0;
    ty_buf_printf(&w->body, "%.*s%c", TY_ARG(q->body), '\0');
    for (const struct api_row *r = w->rows; r && r->ask; r++) {
        if (!ty_str_starts(ty_str(line), ty_str(r->ask)))
            continue;
        if (r->code == API_PATCHED)
            api_patched(q, r);
        else if (r->code)
            ty_http_request_respond(q, r->code, "application/json", ty_str(r->body));
        else
            api_hold(w, q);
        return;
    }
    api_default(w, q);
}

static inline bool api_may_write(void *ctx)
{
    const struct api_world *w = ctx;
    return w->may_write < 0 || w->n_asked < w->may_write;
}

/* A client of a server that does not exist. */
static inline struct ty_kube *api_nobody(uv_loop_t *loop)
{
    static const struct ty_kubeconfig config = { .server = "http://127.0.0.1:1",
                                                 .ns = "default",
                                                 .context = "" };
    struct ty_kube_settings s = { .loop = loop, .config = &config, .agent = "test" };
    struct ty_kube *kube = NULL;
    struct ty_err err = { 0 };

    assert_int_equal(ty_kube_new(&kube, &s, &err), 0);
    return kube;
}

static inline void api_begin(struct api_world *w, uv_loop_t *loop)
{
    struct ty_http_server_opts o = {
        .loop = loop, .address = "127.0.0.1", .body_bytes = 1 << 20, .handle = api_handle, .ctx = w
    };
    struct ty_err err = { 0 };

    *w = (struct api_world){ .loop = loop, .may_write = -1 };
    assert_int_equal(ty_http_server_new(&o, &w->serve, &err), 0);
    snprintf(w->url, sizeof(w->url), "http://127.0.0.1:%d", ty_http_server_port(w->serve));
    w->config = (struct ty_kubeconfig){ .server = w->url, .ns = "default", .context = "" };
    assert_int_equal(
        ty_kube_new(&w->kube,
                    &(struct ty_kube_settings){ .loop = loop,
                                                .config = &w->config,
                                                .agent = "test",
                                                .timeout_ms = 20000,
                                                .budget = &w->budget,
                                                .fence = { .open = api_may_write, .ctx = w } },
                    &err),
        0);
}

/* Requests without an answer, by the beginning of their line. Returns the index of the first;
 * n_open: none. */
static inline size_t api_find(const struct api_world *w, const char *ask)
{
    size_t i = 0;

    while (i < w->n_open && !ty_str_starts(ty_str(api_line(w->open[i])), ty_str(ask)))
        i++;
    return i;
}

static inline bool api_holds(const struct api_world *w, const char *ask)
{
    return api_find(w, ask) < w->n_open;
}

/* To inspect it. */
static inline const struct ty_http_request *api_peek(const struct api_world *w, const char *ask)
{
    if (!api_holds(w, ask))
        fail_msg("nobody waits for an answer to %s", ask);
    return w->open[api_find(w, ask)];
}

/* To answer it. */
static inline struct ty_http_request *api_take(struct api_world *w, const char *ask)
{
    api_peek(w, ask);
    size_t i = api_find(w, ask);
    struct ty_http_request *q = w->open[i];
    w->open[i] = w->open[--w->n_open];
    return q;
}

static inline void api_answer(struct api_world *w, const char *ask, struct ty_str body)
{
    ty_http_request_respond(api_take(w, ask), 200, "application/json", body);
}

/* Runs the loop until such a request arrives. */
static inline struct ty_http_request *api_wait(struct api_world *w, const char *ask)
{
    while (!api_holds(w, ask))
        uv_run(w->loop, UV_RUN_ONCE);
    return api_take(w, ask);
}

/* The requests since the last call. */
static inline const char *api_asked(struct api_world *w, struct ty_arena *a)
{
    const char *text = ty_arena_cstr(a, ty_buf_str(&w->asked));

    w->asked.n = 0;
    return text;
}

static inline void api_end(struct api_world *w)
{
    ty_kube_free(w->kube);
    ty_http_server_free(w->serve);
    for (size_t i = 0; i < w->n_open; i++)
        ty_http_request_respond(w->open[i], 503, NULL, TY_LIT("")); /* its memory */
    ty_buf_done(&w->asked);
    ty_buf_done(&w->body);
}

#endif
