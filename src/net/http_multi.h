/* HTTP requests, many at once, on libcurl's own poll: for commands that do nothing but download.
 * One struct ty_http_multi a run; a call lives from ty_http_multi_start to the return of its `end`.
 */
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
    int64_t connect_s;   /* time to reach a peer */
    int64_t stall_s;     /* time a peer may send less than 1 kB a second */
};
int ty_http_multi_new(struct ty_http_multi **ret, const struct ty_http_multi_settings *s,
                      struct ty_err *err);
void ty_http_multi_free(
    struct ty_http_multi *h); /* drops the calls under way; their `end` is not called */

struct ty_aws_key { /* signs requests, version 4 */
    const char *id, *secret, *region, *service;
};

enum ty_http_multi_outcome {
    TY_HTTP_MULTI_DONE, /* a whole answer, whatever its status */
    TY_HTTP_MULTI_LOST, /* no answer or not all of it: trying again may help */
    TY_HTTP_MULTI_FATAL /* trying again gives the same: bad address, certificate, redirects, `body`
                         */
};
struct ty_http_multi_result {
    enum ty_http_multi_outcome how;
    int status;       /* of the last answer; 0 none */
    const char *text; /* what went wrong, for people; "" when DONE */
};

/* All is borrowed until `end` returns. */
struct ty_http_multi_request {
    const char *url;
    const char *const *headers; /* "Name: value", ends with NULL; or NULL. Authorization is not told
                                   to hosts that the first one redirects to */
    const struct ty_aws_key *key; /* NULL: unsigned. Signed requests do not follow redirects */
    /* A piece of the last answer's body, in order. Negative ends the call. */
    int (*body)(void *ctx, struct ty_http_multi_call *call, struct ty_str piece);
    void (*end)(void *ctx, struct ty_http_multi_call *call, const struct ty_http_multi_result *end);
    void *ctx;
};
/* Begins; nothing happens until the next turn. May be called from `end`, not from `body`. */
int ty_http_multi_start(struct ty_http_multi *h, const struct ty_http_multi_request *ask,
                        struct ty_err *err);
/* For `body` and `end`: of the last answer. */
int ty_http_multi_call_status(const struct ty_http_multi_call *call);
const char *ty_http_multi_call_header(const struct ty_http_multi_call *call,
                                      const char *name); /* or NULL; borrowed */
/* Moves all calls on, waiting at most `wait_ms` for something to do. */
int ty_http_multi_poll(struct ty_http_multi *h, int wait_ms, struct ty_err *err);

#endif
