/* clang-format off */
/* An HTTP/1.1 server, with TLS or without, on a libuv loop: libmicrohttpd waits in an epoll of its
 * own, and that one waits in the loop's. No threads.
 *
 *   accept --> (handshake) --> request line, headers --> body, up to a ceiling --> handle
 *      \______________ one deadline for the whole request, ours ______________/     |
 *   next request on the same connection, within idle_ms  <------------- answer, at once or later
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

/* A whole request. It and everything it points to live until it is answered, whatever becomes of
 * the connection meanwhile: nothing in it is borrowed from the HTTP library. */
struct ty_http_request {
    /* For the handler's own use, too. Of input: a handler that loops over input asks ty_arena_full.
     * The answer to a request whose arena is full is 413, or 503 where the budget is used up,
     * whatever the handler says. */
    struct ty_arena *arena;
    const char *method;
    struct ty_str path, query; /* as they were sent, not decoded; the query without its '?' */
    struct ty_str body;
    bool too_big;   /* the body exceeded the ceiling: it is not here; answer 413 or what you like */
    bool announced; /* Content-Length said how long the body is; else it came in chunks, or none */
    void *user;     /* the handler's */
};

struct ty_http_server_tls {
    const char *priority; /* see net/tls_options.h; NULL: TLS 1.2 and later */
};

struct ty_http_server_opts { /* borrowed for the call, but for loop and ctx */
    uv_loop_t *loop;
    const char *address; /* "127.0.0.1", "::1"; NULL or "": every address of the machine */
    int port;            /* 0: any that is free */
    int fd; /* > 0: a socket that listens already, taken; address and port are unused */
    const struct ty_http_server_tls *tls; /* NULL: plain HTTP */
    /* At most so many at once (fewer where the process may open few files), the rest wait; 0: 1024.
     * From three quarters of it on those that wait for their client are closed, see
     * http_server_limit.c. */
    unsigned connections;
    size_t header_bytes; /* request line and headers; 0: 16 KiB; more is answered 431 */
    size_t body_bytes;   /* ceiling; 0: 64 KiB */
    size_t arena_bytes;  /* ceiling of a request's arena: headers, what the handler makes of the
                            request, the answer; 0: 16 MiB */
    /* Counts connections, bodies and arenas. Outlives every request; may be NULL. One server takes
     * at most a quarter of it for connections and bodies; who finds no room is answered 503. */
    struct ty_budget *budget;
    int64_t deadline_ms; /* from a connection's begin, or a later request's first line, to the end
                            of the answer; 0: 10 s */
    int64_t idle_ms;     /* from an answer to the next request's first line; 0: 120 s */
    /* Must answer, now or later, exactly once. */
    void (*handle)(void *ctx, struct ty_http_request *q);
    void *ctx;
};

int ty_http_server_new(const struct ty_http_server_opts *opts, struct ty_http_server **ret,
                       struct ty_err *err);
int ty_http_server_port(const struct ty_http_server *s);
size_t ty_http_server_connections(const struct ty_http_server *s);

/* Why the server closed connections, other than after an answer. */
enum ty_http_server_close_reason {
    TY_HTTP_SERVER_CLOSE_DEADLINE, /* the request was not over in time */
    TY_HTTP_SERVER_CLOSE_IDLE,     /* no next request for idle_ms */
    TY_HTTP_SERVER_CLOSE_CROWDED,  /* too many connections: it waited for its client */
    TY_HTTP_SERVER_CLOSE_MEMORY, /* the budget was used up: it was idle, or sending a body, for the
                                    longest */
    TY_HTTP_SERVER_CLOSE_REASONS,
};
uint64_t ty_http_server_closed(const struct ty_http_server *s,
                               enum ty_http_server_close_reason why);

/* What to show from the next handshake on; connections that are there keep what they have. With TLS
 * and before the first identity every handshake fails. */
int ty_http_server_set_cert(struct ty_http_server *s, const struct ty_pem *pem, struct ty_err *err);
/* Refuses new connections and ends idle ones at once, lets requests under way finish, at most
 * `grace_ms`; then calls `stopped` (may be NULL), which may free the server. */
void ty_http_server_stop(struct ty_http_server *s, int64_t grace_ms, void (*stopped)(void *ctx),
                         void *ctx);
/* Ends everything now (not from within `handle`); the memory goes in the next turn of the loop.
 * Requests that were not answered yet stay valid until they are. NULL is fine. */
void ty_http_server_free(struct ty_http_server *s);

/* The first of that name, in any case; NULL if it was not sent. Lives with the request. */
const char *ty_http_request_header(const struct ty_http_request *q, const char *name);
/* One more header for the answer; at most 8. Both are borrowed until the request ends: literals, or
 * what lives with its arena. */
void ty_http_request_add_header(struct ty_http_request *q, const char *name, const char *value);
/* Takes the request; the body is copied. type NULL: no Content-Type. */
void ty_http_request_respond(struct ty_http_request *q, int code, const char *type,
                             struct ty_str body);

#endif
