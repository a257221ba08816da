#include "base/buf.h"

#include "base/xalloc.h"

void ty_buf_grow(struct ty_buf *b, size_t more)
{
    if (b->full || b->cap - b->n >= more)
        return;
    size_t most = b->ceiling ? b->ceiling : SIZE_MAX / 2;
    if (more > most || b->n > most - more) {
        b->full = true;
        return;
    }
    size_t cap = b->cap < 128 ? 256 : b->cap > most / 2 ? most : b->cap * 2;
    if (cap < b->n + more)
        cap = b->n + more;
    if (cap > most)
        cap = most;
    b->p = ty_xalloc(realloc(b->p, cap));
    b->cap = cap;
}

void ty_buf_printf(struct ty_buf *b, const char *fmt, ...)
{
    char small[512];
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(small, sizeof(small), fmt, ap);
    if (n >= 0 && (size_t)n < sizeof(small)) {
        ty_buf_put(b, small, (size_t)n);
    } else if (n >= 0) {
        char *big = ty_xalloc(malloc((size_t)n + 1)); /* the buffer may have no room for the NUL */
        vsnprintf(big, (size_t)n + 1, fmt, again);
        ty_buf_put(b, big, (size_t)n);
        free(big);
    }
    va_end(again);
    va_end(ap);
}

void ty_buf_done(struct ty_buf *b)
{
    free(b->p);
    *b = (struct ty_buf){ .ceiling = b->ceiling };
}

struct ty_str ty_buf_str(const struct ty_buf *b)
{
    return (struct ty_str){ b->p, b->n };
}
