/* What a token says of itself, which proves nothing: for sending away, before anybody is asked, who
 * could not be let in whatever its signature is worth. Pure. */
#ifndef TY_SERVE_JWT_H
#define TY_SERVE_JWT_H

#include "base/str.h"

#define TY_JWT_BYTES ((size_t)16 << 10) /* a longer token is none */
#define TY_JWT_SKEW  300                /* seconds: clocks differ */

/* A JWT for this audience, of a ServiceAccount of this namespace, which has not ended. What it
 * takes lives with the arena, of input: a token that fills it is none. */
bool ty_jwt_is_plausible(struct ty_arena *a, struct ty_str token, struct ty_str audience,
                         struct ty_str ns, int64_t now_s);

#endif
