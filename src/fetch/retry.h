/* Decides whether and when a request is retried, and formats error responses. */
#ifndef TY_FETCH_RETRY_H
#define TY_FETCH_RETRY_H

#include "base/arena.h"
#include "base/str.h"
#include "net/http_client.h"

struct ty_retry {
    unsigned tries; /* in a row without progress */
    unsigned most;
};

/* True: wait *ret_ms, then retry; counts the attempt. `after` is the response's Retry-After or
 * NULL, `now_s` the Unix time for its date form, `dice` a random number for the jitter. */
bool ty_retry_again(struct ty_retry *r, const struct ty_http_client_result *end, const char *after,
                    int64_t now_s, uint32_t dice, int64_t *ret_ms);
/* Seconds, or an HTTP date; -1: neither. */
int64_t ty_retry_after_s(const char *after, int64_t now_s);
/* The error text of an unsuccessful response: "403: AccessDenied: Access Denied". body: as much of
 * it as was stored. */
char *ty_retry_response_text(struct ty_arena *a, const struct ty_http_client_call *call,
                             struct ty_str body);

#endif
