/* Concurrent HTTP requests with libcurl's own poll, for commands that only download. One struct
 * ty_http_multi for each run; a call lives from ty_http_multi_start until its `end` returns. */
#ifndef TY_NET_HTTP_MULTI_H
#define TY_NET_HTTP_MULTI_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

struct ty_http_multi;
struct ty_http_multi_call;

struct ty_http_multi_settings {
    const char *agent;   /* User-Agent */
    const char *ca_file; /* certificates to trust; NULL: the system's */
    int64_t connect_s;   /* connect timeout */
    int64_t stall_s;     /* timeout of a transfer slower than 1 kB a second */
};
int ty_http_multi_new(struct ty_http_multi **ret, const struct ty_http_multi_settings *s,
                      struct ty_err *err);
void ty_http_multi_free(
    struct ty_http_multi *h); /* drops running calls; their `end` is not called */

struct ty_aws_key { /* for AWS signature version 4 */
    const char *id, *secret, *region, *service;
};

enum ty_http_multi_outcome {
    TY_HTTP_MULTI_DONE, /* a complete response with any status */
    TY_HTTP_MULTI_LOST, /* no response, or an incomplete one: a retry may help */
    TY_HTTP_MULTI_FATAL /* a retry would not help: bad address, certificate, redirects, `body` */
};
struct ty_http_multi_result {
    enum ty_http_multi_outcome how;
    int status;       /* of the last response; 0 none */
    const char *text; /* the error message; "" if DONE */
};

/* Everything is borrowed until `end` returns. */
struct ty_http_multi_request {
    const char *url;
    const char *const *headers; /* "Name: value", ends with NULL; or NULL. Authorization is not sent
                                   to hosts that the first one redirects to */
    const struct ty_aws_key *key; /* NULL: unsigned. Signed requests do not follow redirects */
    /* Called with each chunk of the last response's body. A negative result ends the call. */
    int (*body)(void *ctx, struct ty_http_multi_call *call, struct ty_str piece);
    void (*end)(void *ctx, struct ty_http_multi_call *call, const struct ty_http_multi_result *end);
    void *ctx;
};
/* Starts a call; nothing happens until the next poll. May be called from `end`, not from `body`. */
int ty_http_multi_start(struct ty_http_multi *h, const struct ty_http_multi_request *ask,
                        struct ty_err *err);
/* For `body` and `end`: of the last response. */
int ty_http_multi_call_status(const struct ty_http_multi_call *call);
const char *ty_http_multi_call_header(const struct ty_http_multi_call *call,
                                      const char *name); /* or NULL; borrowed */
/* Makes progress on all calls; waits at most `wait_ms` for events. */
int ty_http_multi_poll(struct ty_http_multi *h, int wait_ms, struct ty_err *err);

#endif
