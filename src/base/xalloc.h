/* Allocations that cannot fail: out of memory aborts the program. */
#ifndef TY_BASE_XALLOC_H
#define TY_BASE_XALLOC_H

#include <stdio.h>
#include <stdlib.h>

/* Returns p; aborts if it is NULL. For malloc, calloc, realloc, strdup and the like. */
static inline void *ty_xalloc(void *p)
{
    if (!p) {
        fputs("trainyard: out of memory\n", stderr);
        abort();
    }
    return p;
}

#endif
