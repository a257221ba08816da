/* clang-format off */
/* An HTTP/1.1 server, with TLS or without, on a libuv loop. libmicrohttpd has its own epoll instance,
 * which the loop polls. No threads.
 *
 *   accept --> (handshake) --> request line, headers --> body, up to a ceiling --> handle
 *      \______________ one deadline for the whole request _____________________/     |
 *   next request on the same connection, within idle_ms  <------------- response, at once or later
 */
/* clang-format on */
#ifndef TY_NET_HTTP_SERVER_H
#define TY_NET_HTTP_SERVER_H

#include <uv.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "net/certs.h"

struct ty_budget;
struct ty_http_server;

/* A complete request. It and everything it points to live until it is answered, even if the
 * connection is closed in the meantime: nothing is borrowed from the HTTP library. */
struct ty_http_request {
    /* Also for the handler. An input arena: a handler that loops over input checks ty_arena_full.
     * If the arena is full, the response is 413, or 503 if the budget is used up, whatever the
     * handler answers. */
    struct ty_arena *arena;
    const char *method;
    struct ty_str path, query; /* as sent, not decoded; the query without '?' */
    struct ty_str body;
    bool too_big;   /* the body exceeded the ceiling and is not here; answer 413 or similar */
    bool announced; /* there was a Content-Length; else the body was chunked, or there is none */
    void *user;     /* for the handler */
};

struct ty_http_server_tls {
    const char *priority; /* see net/tls_options.h; NULL: TLS 1.2 and later */
};

struct ty_http_server_opts { /* borrowed for the call, except loop and ctx */
    uv_loop_t *loop;
    const char *address; /* "127.0.0.1", "::1"; NULL or "": all addresses */
    int port;            /* 0: any that is free */
    int fd;              /* > 0: a listening socket, taken; address and port are not used */
    const struct ty_http_server_tls *tls; /* NULL: plain HTTP */
    /* Maximal number of connections (fewer if the process may open few files); further ones wait;
     * 0: 1024. Above three quarters of it, connections that wait for their client are closed, see
     * http_server_limit.c. */
    unsigned connections;
    size_t header_bytes; /* limit of request line and headers; 0: 16 KiB; larger ones get 431 */
    size_t body_bytes;   /* ceiling; 0: 64 KiB */
    size_t arena_bytes; /* ceiling of a request's arena: headers, data of the handler, the response;
                           0: 16 MiB */
    /* Counts connections, bodies and arenas. Outlives every request; may be NULL. One server uses
     * at most a quarter of it for connections and bodies; beyond that it answers 503. */
    struct ty_budget *budget;
    int64_t deadline_ms; /* from the start of a connection, or the first line of a later request, to
                            the end of the response; 0: 10 s */
    int64_t idle_ms;     /* from a response to the first line of the next request; 0: 120 s */
    /* Must answer, now or later, exactly once. */
    void (*handle)(void *ctx, struct ty_http_request *q);
    void *ctx;
};

int ty_http_server_new(const struct ty_http_server_opts *opts, struct ty_http_server **ret,
                       struct ty_err *err);
int ty_http_server_port(const struct ty_http_server *s);
size_t ty_http_server_connections(const struct ty_http_server *s);

/* Why the server closed connections, other than after a response. */
enum ty_http_server_close_reason {
    TY_HTTP_SERVER_CLOSE_DEADLINE, /* the request exceeded its deadline */
    TY_HTTP_SERVER_CLOSE_IDLE,     /* no next request for idle_ms */
    TY_HTTP_SERVER_CLOSE_CROWDED,  /* too many connections: it waited for its client */
    TY_HTTP_SERVER_CLOSE_MEMORY, /* the budget was used up: it was the longest idle, or the longest
                                    sending a body */
    TY_HTTP_SERVER_CLOSE_REASONS,
};
uint64_t ty_http_server_closed(const struct ty_http_server *s,
                               enum ty_http_server_close_reason why);

/* Used from the next handshake on; existing connections keep their certificate. With TLS every
 * handshake fails until the first certificate is set. */
int ty_http_server_set_cert(struct ty_http_server *s, const struct ty_pem *pem, struct ty_err *err);
/* Refuses new connections, closes idle ones at once and lets running requests finish for at most
 * `grace_ms`; then calls `stopped` (may be NULL), which may free the server. */
void ty_http_server_stop(struct ty_http_server *s, int64_t grace_ms, void (*stopped)(void *ctx),
                         void *ctx);
/* Closes everything now (not from within `handle`); the memory is freed in the next iteration of
 * the loop. Unanswered requests stay valid until they are answered. NULL is fine. */
void ty_http_server_free(struct ty_http_server *s);

/* The first header of that name, in any case; NULL if there is none. Lives with the request. */
const char *ty_http_request_header(const struct ty_http_request *q, const char *name);
/* Adds a header to the response; at most 8. Both strings are borrowed until the request ends:
 * literals, or data in its arena. */
void ty_http_request_add_header(struct ty_http_request *q, const char *name, const char *value);
/* Takes the request; the body is copied. type NULL: no Content-Type. */
void ty_http_request_respond(struct ty_http_request *q, int code, const char *type,
                             struct ty_str body);

#endif
