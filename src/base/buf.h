/* A growing byte buffer with a ceiling; its capacity doubles. A write that would exceed the ceiling
 * sets `full` and leaves the content unchanged, as do all later writes, so callers check once at
 * the end. */
#ifndef TY_BASE_BUF_H
#define TY_BASE_BUF_H

#include "base/arena.h"
#include "base/str.h"

struct ty_buf {
    char *p;
    size_t n, cap, ceiling; /* ceiling 0: none */
    bool full;
};

void ty_buf_grow(struct ty_buf *b, size_t more); /* makes room for `more` bytes, or sets full */
void ty_buf_printf(struct ty_buf *b, const char *fmt, ...) TY_PRINTF(2, 3);
void ty_buf_done(struct ty_buf *b);               /* frees; the struct may be used again */
struct ty_str ty_buf_str(const struct ty_buf *b); /* borrows: valid until the next change */

static inline void ty_buf_put(struct ty_buf *b, const void *p, size_t n)
{
    if (b->cap - b->n < n)
        ty_buf_grow(b, n);
    if (b->full || n == 0)
        return;
    memcpy(b->p + b->n, p, n);
    b->n += n;
}
static inline void ty_buf_chr(struct ty_buf *b, char c)
{
    ty_buf_put(b, &c, 1);
}
static inline void ty_buf_add(struct ty_buf *b, struct ty_str s)
{
    ty_buf_put(b, s.p, s.n);
}
static inline void ty_buf_cstr(struct ty_buf *b, const char *c)
{
    ty_buf_put(b, c, strlen(c));
}
#define ty_auto_buf TY_AUTO(ty_buf_done) struct ty_buf

#endif
