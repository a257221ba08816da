/* Base64 with padding, as in Secrets and caBundles, and base64url without, as in tokens. */
#ifndef TY_BASE_BASE64_H
#define TY_BASE_BASE64_H

#include "base/arena.h"
#include "base/str.h"

/* Results live with the arena and are NUL-terminated. Decoding returns an empty string with p ==
 * NULL for invalid input; ty_base64_decode skips white space. As Go's decoder, both ignore the bits
 * of the last digit that belong to no byte. */
struct ty_str ty_base64_encode(struct ty_arena *a, struct ty_str s);
struct ty_str ty_base64_decode(struct ty_arena *a, struct ty_str s);
struct ty_str ty_base64_decode_url(struct ty_arena *a, struct ty_str s);

#endif
