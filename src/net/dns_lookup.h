/* The addresses of a name. Where no name server answers, the resolver takes a minute or more and
 * cannot be stopped: so it is asked in a thread of its own that nobody waits for, neither when its
 * answer is no longer wanted nor when the program ends. (libuv's threads are waited for by both.)
 */
#ifndef TY_NET_DNS_LOOKUP_H
#define TY_NET_DNS_LOOKUP_H

#include <netdb.h>
#include <uv.h>

#include "base/err.h"

struct ty_dns_lookup; /* one question */

struct ty_dns_lookups { /* under way */
    uv_loop_t *loop;
    struct ty_dns_lookup *first;
};

/* takes found: NULL, and then `why` says why. */
typedef void ty_dns_lookup_fn(void *ctx, struct addrinfo *found, const char *why);

/* Begins to ask; strings are copied. `fn` is called once, from the loop, and then it is freed. NULL
 * and *err: it cannot be asked. A question that was left and is the same is not asked again: a
 * caller who tries every few seconds has one thread waiting for the resolver, not a crowd. */
struct ty_dns_lookup *ty_dns_lookup_start(struct ty_dns_lookups *all, const char *host,
                                          const char *port, ty_dns_lookup_fn *fn, void *ctx,
                                          struct ty_err *err);
/* The answer is not wanted any more: `fn` is not called. NULL is fine. */
void ty_dns_lookup_cancel(struct ty_dns_lookup *l);
/* Nobody wants any. The loop must turn once more before it is closed; it need not wait. */
void ty_dns_lookups_done(struct ty_dns_lookups *all);

#endif
