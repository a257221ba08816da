/* A buffer of twice the size that is kept: bytes are moved once for each TY_LOG_TAIL_BYTES. */
#include "failure/log_tail.h"

#include <stdlib.h>

#include "base/xalloc.h"

#define MOST (2 * TY_LOG_TAIL_BYTES)

static void reserve(struct ty_log_tail *t, size_t n)
{
    size_t cap = t->cap ? t->cap : 4096;

    while (cap < n && cap < MOST)
        cap *= 2;
    if (cap == t->cap)
        return;
    t->p = ty_xalloc(realloc(t->p, cap));
    t->cap = cap;
}

void ty_log_tail_add(struct ty_log_tail *t, struct ty_str chunk)
{
    if (chunk.n > TY_LOG_TAIL_BYTES) {
        chunk.p += chunk.n - TY_LOG_TAIL_BYTES;
        chunk.n = TY_LOG_TAIL_BYTES;
    }
    if (!chunk.n)
        return;
    if (t->n + chunk.n > MOST) {
        size_t kept = TY_LOG_TAIL_BYTES;
        memmove(t->p, t->p + t->n - kept, kept);
        t->n = kept;
    }
    reserve(t, t->n + chunk.n);
    memcpy(t->p + t->n, chunk.p, chunk.n);
    t->n += chunk.n;
}

struct ty_str ty_log_tail_view(const struct ty_log_tail *t)
{
    size_t n = t->n < TY_LOG_TAIL_BYTES ? t->n : TY_LOG_TAIL_BYTES;

    return n ? (struct ty_str){ t->p + t->n - n, n } : (struct ty_str){ "", 0 };
}

void ty_log_tail_shrink(struct ty_log_tail *t)
{
    struct ty_str view = ty_log_tail_view(t);

    if (!view.n) {
        ty_log_tail_done(t);
        return;
    }
    memmove(t->p, view.p, view.n);
    t->p = ty_xalloc(realloc(t->p, view.n));
    t->n = t->cap = view.n;
}

void ty_log_tail_done(struct ty_log_tail *t)
{
    free(t->p);
    *t = (struct ty_log_tail){ 0 };
}
