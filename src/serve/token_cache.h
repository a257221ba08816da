/* What the API server has said of tokens a moment ago. A pod reports about once a second with one
 * token that lives for an hour: asking each time would be the operator's most frequent request. Who
 * sends the same bad token again and again is not worth a question either. Kept apart, a yes and a
 * no, so that strangers cannot push out those who were let in; and only as a SHA-256 of token and
 * audience: nobody can make a second token with it, and the memory of this process gives none away.
 */
#ifndef TY_SERVE_TOKEN_CACHE_H
#define TY_SERVE_TOKEN_CACHE_H

#include <stdint.h>

#include "base/str.h"

#define TY_TOKEN_CACHE_SLOTS 2048
#define TY_TOKEN_CACHE_TTL_MS                                                                      \
    30000 /* so long is a token taken after it was revoked or has expired */
#define TY_TOKEN_CACHE_DENIED_TTL_MS 5000 /* so long is one refused after it became good */

/* Zeroed at first; owns nothing. A hash has one slot, the newcomer gets it: more than that many
 * reporters only ask more often. */
struct ty_token_cache {
    struct ty_token_cache_slot {
        uint8_t hash[32];
        uint64_t until_ms; /* 0: empty */
    } slot[TY_TOKEN_CACHE_SLOTS];
};

/* now_ms: of a clock that never goes back. */
void ty_token_cache_add(struct ty_token_cache *v, struct ty_str token, struct ty_str audience,
                        uint64_t now_ms, uint64_t for_ms);
bool ty_token_cache_has(const struct ty_token_cache *v, struct ty_str token, struct ty_str audience,
                        uint64_t now_ms);
/* It was in the table once, and nobody has taken its slot since. */
bool ty_token_cache_had(const struct ty_token_cache *v, struct ty_str token,
                        struct ty_str audience);

#endif
