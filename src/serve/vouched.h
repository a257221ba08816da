/* Tokens that the API server has vouched for a moment ago. A pod reports about once a second with
 * one token that lives for an hour: asking each time would be the operator's most frequent request.
 * Only a yes is kept, and only as a hash: a token that becomes good is good at once, and the memory
 * of this process gives no token away. */
#ifndef TY_SERVE_VOUCHED_H
#define TY_SERVE_VOUCHED_H

#include <stdint.h>

#include "base/str.h"

#define TY_VOUCHED_SLOTS 256
#define TY_VOUCHED_MS    30000 /* so long is a token taken after it was revoked or has expired */

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
                    uint64_t now_ms);
bool ty_vouched_for(const struct ty_vouched *v, struct ty_str token, struct ty_str audience,
                    uint64_t now_ms);

#endif
