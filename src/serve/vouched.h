/* What the API server has said of tokens a moment ago. A pod reports about once a second with one
 * token that lives for an hour: asking each time would be the operator's most frequent request. Who
 * sends the same bad token again and again is not worth a question either. Kept apart, a yes and a
 * no, so that strangers cannot push out those who were let in; and only as a SHA-256 of token and
 * audience: nobody can make a second token with it, and the memory of this process gives none away.
 */
#ifndef TY_SERVE_VOUCHED_H
#define TY_SERVE_VOUCHED_H

#include <stdint.h>

#include "base/str.h"

#define TY_VOUCHED_SLOTS 2048
#define TY_VOUCHED_MS    30000 /* so long is a token taken after it was revoked or has expired */
#define TY_REFUSED_MS    5000  /* so long is one refused after it became good */

/* Zeroed at first; owns nothing. A hash has one slot, the newcomer gets it: more than that many
 * reporters only ask more often. */
struct ty_vouched {
    struct ty_vouched_slot {
        uint8_t hash[32];
        uint64_t until_ms; /* 0: empty */
    } slot[TY_VOUCHED_SLOTS];
};

/* now_ms: of a clock that never goes back. */
void ty_vouched_add(struct ty_vouched *v, struct ty_str token, struct ty_str audience,
                    uint64_t now_ms, uint64_t for_ms);
bool ty_vouched_for(const struct ty_vouched *v, struct ty_str token, struct ty_str audience,
                    uint64_t now_ms);
/* It was in the table once, and nobody has taken its slot since. */
bool ty_vouched_ever(const struct ty_vouched *v, struct ty_str token, struct ty_str audience);

#endif
