#include "base/base64.h"

#include <nettle/base64.h>

struct ty_str ty_base64_encode(struct ty_arena *a, struct ty_str s)
{
    size_t n = BASE64_ENCODE_RAW_LENGTH(s.n);
    char *p = ty_arena_alloc(a, n + 1, 1);
    base64_encode_raw(p, s.n, (const uint8_t *)s.p);
    return (struct ty_str){ p, n };
}

struct ty_str ty_base64_decode(struct ty_arena *a, struct ty_str s)
{
    struct base64_decode_ctx ctx;
    size_t n = BASE64_DECODE_LENGTH(s.n);
    char *p = ty_arena_alloc(a, n + 1, 1);
    base64_decode_init(&ctx);
    if (!s.n || !base64_decode_update(&ctx, &n, (uint8_t *)p, s.n, s.p) ||
        !base64_decode_final(&ctx))
        return (struct ty_str){ "", 0 };
    return (struct ty_str){ p, n };
}
