/* The client's side of one HTTP/2 connection: requests become bytes, bytes become answers. It knows
 * no socket and no clock. */
#ifndef TY_NET_H2_H
#define TY_NET_H2_H

#include "base/err.h"
#include "base/str.h"
#include "net/nghttp2.h"

struct ty_h2;

enum ty_h2_outcome {
    TY_H2_WHOLE,     /* the answer came to its end */
    TY_H2_TRUNCATED, /* it did not */
    TY_H2_REFUSED, /* the server says that it has not looked at the request: ask again elsewhere */
};

/* `stream` is what the request was started with. From `end` on nothing is told of it any more. All
 * may start and cancel requests; none may feed, take or free. */
struct ty_h2_events {
    void (*sent)(void *stream); /* its head has been taken: from here on the server may see it */
    void (*header)(void *stream, struct ty_str name, struct ty_str value); /* ":status" first */
    void (*piece)(void *stream, struct ty_str piece);
    void (*end)(void *stream, enum ty_h2_outcome how, const char *why);
};

struct ty_h2 *ty_h2_new(const struct ty_nghttp2 *lib,
                        const struct ty_h2_events *events); /* gives */
void ty_h2_free(struct ty_h2 *h); /* takes; streams end without a word. NULL is fine */

struct ty_h2_request {
    const char *method, *authority, *path;
    const char *agent; /* User-Agent, or NULL */
    const char *const
        *headers;       /* "Name: value", ends with NULL; or NULL. "Host" is the authority */
    struct ty_str body; /* lives until the stream has ended */
    void *stream;
};
/* The stream's number, > 0. Negative: this connection takes no more requests. */
int32_t ty_h2_start(struct ty_h2 *h, const struct ty_h2_request *ask);
void ty_h2_cancel(struct ty_h2 *h, int32_t id); /* nothing is told of it any more */
bool ty_h2_open(const struct ty_h2 *h);         /* takes requests: nobody has said goodbye */
/* How many streams the server lets be open at once, as far as is known; further ones wait. */
uint32_t ty_h2_streams(const struct ty_h2 *h);
/* Nobody will say anything any more, though streams may be open: the server broke the protocol, and
 * has been told so. */
bool ty_h2_over(const struct ty_h2 *h);

/* What the peer sent. Negative with a sentence: it does not keep to the protocol, the connection is
 * of no more use. Answers are told from here. */
int ty_h2_feed(struct ty_h2 *h, struct ty_str bytes, struct ty_err *err);
/* What is to be sent next, in pieces; empty: nothing now. Valid until the next call. */
struct ty_str ty_h2_take(struct ty_h2 *h);

#endif
