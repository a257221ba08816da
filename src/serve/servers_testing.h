/* Test fixture: a handler of the servers on a loopback port, and behind it an API server with
 * scripted answers (store/api_testing.h). */
#ifndef TY_SERVE_SERVERS_TESTING_H
#define TY_SERVE_SERVERS_TESTING_H

#include "serve/servers_inner.h"
#include "store/api_testing.h"

#ifndef DEADLINE_MS
#define DEADLINE_MS 0 /* the default */
#endif

struct servers_fixture {
    uv_loop_t loop;
    struct api_world api;
    struct ty_http_server *front;
    struct ty_config config;
    struct ty_servers servers;
    struct ty_arena *a;
    struct ty_talk talk;
};

static inline struct servers_fixture *servers_open(void (*handle)(void *, struct ty_http_request *))
{
    struct servers_fixture *w = calloc(1, sizeof(*w));
    struct ty_http_server_opts o = { .address = "127.0.0.1",
                                     .deadline_ms = DEADLINE_MS,
                                     .handle = handle };

    assert_non_null(w);
    w->a = ty_arena_new(1 << 20);
    uv_loop_init(&w->loop);
    api_begin(&w->api, &w->loop);
    w->servers.s = (struct ty_servers_settings){ .loop = &w->loop,
                                                 .kube = w->api.kube,
                                                 .status_kube = w->api.kube,
                                                 .review_kube = w->api.kube,
                                                 .config = &w->config };
    o.loop = &w->loop;
    o.ctx = &w->servers;
    assert_int_equal(ty_http_server_new(&o, &w->front, NULL), 0);
    return w;
}

static inline int servers_teardown(void **state)
{
    struct servers_fixture *w = *state;

    ty_http_server_free(w->front);
    ty_servers_request_cancel_all(&w->servers);
    api_end(&w->api);
    loop_end(&w->loop);
    ty_arena_free(w->a);
    free(w);
    return 0;
}

/* Sends a request (first line, more headers, body); returns the status code. */
static inline int servers_ask(struct servers_fixture *w, const struct api_row *rows,
                              const char *line, const char *headers, const char *body)
{
    int code = 0;
    char *text = ty_arena_printf(w->a,
                                 "%s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n%s"
                                 "Content-Length: %zu\r\n\r\n%s",
                                 line, headers, strlen(body), body);

    w->api.rows = rows;
    assert_int_equal(
        sscanf(talk(&w->talk, &w->loop, ty_http_server_port(w->front), text), "HTTP/1.1 %d", &code),
        1);
    return code;
}

#endif
