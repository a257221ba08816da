/* Base64 as Secrets and caBundles carry it. */
#ifndef TY_BASE_BASE64_H
#define TY_BASE_BASE64_H

#include "base/arena.h"
#include "base/str.h"

/* Both live with the arena, NUL-terminated, too. Decoding what is not base64 gives nothing. */
struct ty_str ty_base64_encode(struct ty_arena *a, struct ty_str s);
struct ty_str ty_base64_decode(struct ty_arena *a, struct ty_str s);

#endif
