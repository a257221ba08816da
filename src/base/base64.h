/* Base64 with padding, as in Secrets and caBundles. */
#ifndef TY_BASE_BASE64_H
#define TY_BASE_BASE64_H

#include "base/arena.h"
#include "base/str.h"

/* Results live with the arena and are NUL-terminated. Decoding returns an empty string for invalid
 * input. */
struct ty_str ty_base64_encode(struct ty_arena *a, struct ty_str s);
struct ty_str ty_base64_decode(struct ty_arena *a, struct ty_str s);

#endif
