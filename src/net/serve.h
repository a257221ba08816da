/* clang-format off */
/* An HTTP/1.1 server, with TLS or without, on a libuv loop: libmicrohttpd waits in an epoll of its
 * own, and that one waits in the loop's. No threads.
 *
 *   accept --> (handshake) --> request line, headers --> body, up to a ceiling --> handle
 *      \______________ one deadline for the whole request, ours ______________/     |
 *   next request on the same connection, within idle_ms  <------------- answer, at once or later
 */
/* clang-format on */
#ifndef TY_NET_SERVE_H
#define TY_NET_SERVE_H

#include <uv.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "net/certs.h"

struct ty_serve;

/* A whole request. Lives until it is answered, and no longer. */
struct ty_request {
    struct ty_arena *arena; /* for the handler's own use, too */
    const char *method;
    struct ty_str path, query; /* as they were sent, not decoded; the query without its '?' */
    struct ty_str body;
    bool too_big;   /* the body exceeded the ceiling: it is not here; answer 413 or what you like */
    bool announced; /* Content-Length said how long the body is; else it came in chunks, or none */
    void *user;     /* the handler's */
};

struct ty_serve_tls {
    const char *priority; /* see net/tls_options.h; NULL: TLS 1.2 and later */
};

struct ty_serve_opts { /* borrowed for the call, but for loop and ctx */
    uv_loop_t *loop;
    const char *address; /* "127.0.0.1", "::1"; NULL or "": every address of the machine */
    int port;            /* 0: any that is free */
    int fd; /* > 0: a socket that listens already, taken; address and port are unused */
    const struct ty_serve_tls *tls; /* NULL: plain HTTP */
    unsigned connections;           /* at most so many at once, the rest wait; 0: 1024 */
    size_t header_bytes;            /* request line and headers; 0: 32 KiB; more is answered 431 */
    size_t body_bytes;              /* ceiling; 0: 64 KiB */
    int64_t deadline_ms; /* from a connection's begin, or a later request's first line, to the end
                            of the answer; 0: 10 s */
    int64_t idle_ms;     /* from an answer to the next request's first line; 0: 120 s */
    /* Must answer, now or later, exactly once. */
    void (*handle)(void *ctx, struct ty_request *q);
    void *ctx;
};

int ty_serve_new(const struct ty_serve_opts *opts, struct ty_serve **ret, struct ty_err *err);
int ty_serve_port(const struct ty_serve *s);
size_t ty_serve_connections(const struct ty_serve *s);
/* What to show from the next handshake on; connections that are there keep what they have. With TLS
 * and before the first identity every handshake fails. */
int ty_serve_identity(struct ty_serve *s, const struct ty_pem *pem, struct ty_err *err);
/* Refuses new connections and ends idle ones at once, lets requests under way finish, at most
 * `grace_ms`; then calls `stopped` (may be NULL), which may free the server. */
void ty_serve_stop(struct ty_serve *s, int64_t grace_ms, void (*stopped)(void *ctx), void *ctx);
/* Ends everything now (not from within `handle`); the memory goes in the next turn of the loop.
 * Requests that were not answered yet stay valid until they are. NULL is fine. */
void ty_serve_free(struct ty_serve *s);

/* NULL if it was not sent. Any case; valid until the answer. */
const char *ty_request_header(const struct ty_request *q, const char *name);
/* One more header for the answer; at most 8. Both are borrowed until the request ends: literals, or
 * what lives with its arena. */
void ty_request_add(struct ty_request *q, const char *name, const char *value);
/* Takes the request; the body is copied. type NULL: no Content-Type. */
void ty_request_answer(struct ty_request *q, int code, const char *type, struct ty_str body);

#endif
