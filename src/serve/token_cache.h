/* Caches results of TokenReviews. A pod reports about once a second with one token that lives for
 * an hour: a review for each report would be the operator's most frequent request. Refused tokens
 * are cached as well. Accepted and refused tokens are in different caches, so that clients with bad
 * tokens cannot evict accepted ones; and only as SHA-256 of token and audience, so that no token
 * can be read from this process's memory. */
#ifndef TY_SERVE_TOKEN_CACHE_H
#define TY_SERVE_TOKEN_CACHE_H

#include <stdint.h>

#include "base/str.h"

#define TY_TOKEN_CACHE_SLOTS         2048
#define TY_TOKEN_CACHE_TTL_MS        30000 /* a revoked or expired token is accepted for so long */
#define TY_TOKEN_CACHE_DENIED_TTL_MS 5000  /* a token that became valid is refused for so long */

/* Zeroed at first; owns nothing. Each hash has one slot, which a new token takes over: more tokens
 * than slots only cause more reviews. */
struct ty_token_cache {
    struct ty_token_cache_slot {
        uint8_t hash[32];
        uint64_t until_ms; /* 0: empty */
    } slot[TY_TOKEN_CACHE_SLOTS];
};

/* now_ms: a monotonic clock. */
void ty_token_cache_add(struct ty_token_cache *v, struct ty_str token, struct ty_str audience,
                        uint64_t now_ms, uint64_t for_ms);
bool ty_token_cache_has(const struct ty_token_cache *v, struct ty_str token, struct ty_str audience,
                        uint64_t now_ms);
/* It was added once, and its slot has not been taken over since. */
bool ty_token_cache_had(const struct ty_token_cache *v, struct ty_str token,
                        struct ty_str audience);

#endif
