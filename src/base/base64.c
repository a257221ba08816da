#include "base/base64.h"

#include <nettle/base64.h>

struct ty_str ty_base64_encode(struct ty_arena *a, struct ty_str s)
{
    size_t n = BASE64_ENCODE_RAW_LENGTH(s.n);
    char *p = ty_arena_alloc(a, n + 1, 1);
    base64_encode_raw(p, s.n, (const uint8_t *)s.p);
    return (struct ty_str){ p, n };
}

static int digit_of(char c, bool url)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == (url ? '-' : '+') ? 62 : c == (url ? '_' : '/') ? 63 : -1;
}

/* Not nettle's: that refuses what Go accepts (bits that belong to no byte) and wants padding. */
static struct ty_str decode(struct ty_arena *a, struct ty_str s, bool url)
{
    char *out = ty_arena_raw(a, s.n / 4 * 3 + 4, 1);
    size_t n = 0, digits = 0, pads = 0;
    uint32_t bits = 0;

    for (size_t i = 0; i < s.n; i++) {
        int d = digit_of(s.p[i], url);
        if (!url && memchr(" \t\n\v\f\r", s.p[i], 6))
            continue;
        if (!url && s.p[i] == '=') {
            pads++;
            continue;
        }
        if (d < 0 || pads)
            return (struct ty_str){ 0 };
        bits = bits << 6 | (uint32_t)d;
        if (++digits % 4 != 1) /* the second digit completes the first byte, and so on */
            out[n++] = (char)(bits >> (4 - digits % 4) % 4 * 2 & 0xff);
    }
    if (digits % 4 == 1 || (!url && pads != (4 - digits % 4) % 4))
        return (struct ty_str){ 0 };
    out[n] = '\0';
    return (struct ty_str){ out, n };
}

struct ty_str ty_base64_decode(struct ty_arena *a, struct ty_str s)
{
    return decode(a, s, false);
}

struct ty_str ty_base64_decode_url(struct ty_arena *a, struct ty_str s)
{
    return decode(a, s, true);
}
