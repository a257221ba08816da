/* Asynchronous name resolution. Without a reachable name server the resolver takes a minute or more
 * and cannot be canceled; so each query runs in a detached thread, for which neither a cancellation
 * nor the end of the program waits. (libuv's thread pool would be waited for.) */
#ifndef TY_NET_DNS_LOOKUP_H
#define TY_NET_DNS_LOOKUP_H

#include <netdb.h>
#include <uv.h>

#include "base/err.h"

struct ty_dns_lookup; /* one query */

struct ty_dns_lookups { /* running queries */
    uv_loop_t *loop;
    struct ty_dns_lookup *first;
};

/* takes found: NULL on failure, with the reason in `why`. */
typedef void ty_dns_lookup_fn(void *ctx, struct addrinfo *found, const char *why);

/* Starts a query; strings are copied. `fn` is called once, from the loop; then the query is freed.
 * NULL and *err: it cannot be started. If an abandoned query is the same, it is reused: a caller
 * that retries every few seconds has only one thread waiting for the resolver. */
struct ty_dns_lookup *ty_dns_lookup_start(struct ty_dns_lookups *all, const char *host,
                                          const char *port, ty_dns_lookup_fn *fn, void *ctx,
                                          struct ty_err *err);
/* Abandons the query: `fn` is not called. NULL is fine. */
void ty_dns_lookup_cancel(struct ty_dns_lookup *l);
/* Abandons all queries. The loop must run once more before it is closed; it does not block. */
void ty_dns_lookups_done(struct ty_dns_lookups *all);

#endif
