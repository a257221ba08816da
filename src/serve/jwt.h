/* Reads the claims of a token without verifying it, to refuse a token that no TokenReview could
 * accept without sending one. Pure. */
#ifndef TY_SERVE_JWT_H
#define TY_SERVE_JWT_H

#include "base/arena.h"

#define TY_JWT_BYTES ((size_t)16 << 10) /* a longer token is refused */
#define TY_JWT_SKEW  300                /* seconds of clock skew */

/* Whether it is an unexpired JWT for this audience, of a ServiceAccount of this namespace. Uses the
 * arena, of ty_arena_new_input: a token that fills it is refused. */
bool ty_jwt_is_plausible(struct ty_arena *a, struct ty_str token, struct ty_str audience,
                         struct ty_str ns, int64_t now_s);

#endif
