#include "trainer/warnings.h"

#include <stdarg.h>

void ty_warnings_add(struct ty_warnings *w, const char *fmt, ...)
{
    va_list ap;

    if (!w || w->n == TY_COUNT(w->v))
        return;
    va_start(ap, fmt);
    w->v[w->n++] = ty_arena_vprintf(w->arena, fmt, ap);
    va_end(ap);
}
