#include "trainer/z85.h"

static const char alphabet[85] = { "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                   ".-:+=^!/*?&<>()[]{}@%$#" };

struct ty_str ty_z85_encode(struct ty_arena *a, const unsigned char *bytes, size_t n)
{
    if (n % 4 != 0)
        return (struct ty_str){ "", 0 };
    char *text = ty_arena_alloc(a, n / 4 * 5 + 1, 1);
    for (size_t i = 0; i < n / 4; i++) {
        const unsigned char *b = bytes + 4 * i;
        uint32_t v = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
        for (size_t k = 5; k-- > 0; v /= 85)
            text[5 * i + k] = alphabet[v % 85];
    }
    return (struct ty_str){ text, n / 4 * 5 };
}
