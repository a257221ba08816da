#include "base/xalloc.h"

#include <stdint.h>

void ty_xalloc_die(void)
{
    ty_xalloc(NULL);
    abort();
}

char *ty_xalloc_cstr(struct ty_str s)
{
    char *copy = ty_xalloc(malloc(s.n + 1));

    if (s.n)
        memcpy(copy, s.p, s.n);
    copy[s.n] = '\0';
    return copy;
}

size_t ty_xalloc_cap(size_t n, size_t cap, size_t size)
{
    size_t more = cap ? cap : 8;

    do {
        if (more > SIZE_MAX / 2 / size)
            ty_xalloc_die();
        more *= 2;
    } while (more <= n);
    return more;
}

void *ty_xalloc_room(void *v, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return v;
    *cap = ty_xalloc_cap(n, *cap, size);
    return ty_xalloc(realloc(v, *cap * size));
}
