/* The client side of one HTTP/2 connection: turns requests into bytes and bytes into responses. It
 * has no socket and no clock. */
#ifndef TY_NET_H2_H
#define TY_NET_H2_H

#include "base/err.h"
#include "base/str.h"

struct ty_h2;

enum ty_h2_outcome {
    TY_H2_WHOLE,     /* the response is complete */
    TY_H2_TRUNCATED, /* it is not */
    TY_H2_REFUSED,   /* the server says that it did not process the request: retry on another
                        connection */
};

/* Callbacks. `stream` is the pointer given at the start. After `end` there are no more for that
 * stream. They may start and cancel requests, but not feed, take or free. */
struct ty_h2_events {
    void (*sent)(void *stream); /* its headers were sent: from now on the server may have seen it */
    void (*header)(void *stream, struct ty_str name, struct ty_str value); /* ":status" first */
    void (*piece)(void *stream, struct ty_str piece);
    void (*end)(void *stream, enum ty_h2_outcome how, const char *why);
};

struct ty_h2 *ty_h2_new(const struct ty_h2_events *events); /* gives */
void ty_h2_free(struct ty_h2 *h); /* takes; streams end without a callback. NULL is fine */

struct ty_h2_request {
    const char *method, *authority, *path;
    const char *agent; /* User-Agent, or NULL */
    const char *const
        *headers;       /* "Name: value", ends with NULL; or NULL. "Host" replaces authority */
    struct ty_str body; /* lives until the stream has ended */
    void *stream;
};
/* The stream's number, > 0. Negative: this connection accepts no more requests. */
int32_t ty_h2_start(struct ty_h2 *h, const struct ty_h2_request *ask);
void ty_h2_cancel(struct ty_h2 *h, int32_t id); /* no more callbacks for it */
void ty_h2_ping(struct ty_h2 *h);               /* queued; answered apart from all streams */
bool ty_h2_open(const struct ty_h2 *h);         /* accepts requests: no GOAWAY */
/* The server's current limit of concurrent streams; further requests wait. */
uint32_t ty_h2_streams(const struct ty_h2 *h);
/* The connection is finished, though streams may be open: the server violated the protocol, and the
 * error was sent to it. */
bool ty_h2_over(const struct ty_h2 *h);

/* Processes bytes from the peer and calls the callbacks. Negative with a message: it violated the
 * protocol; the connection is unusable. */
int ty_h2_feed(struct ty_h2 *h, struct ty_str bytes, struct ty_err *err);
/* The next bytes to send; empty: nothing now. Valid until the next call. */
struct ty_str ty_h2_take(struct ty_h2 *h);

#endif
