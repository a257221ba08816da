/* Memory that cannot be had ends the program: there is nothing sensible left to do without it. */
#ifndef TY_BASE_XALLOC_H
#define TY_BASE_XALLOC_H

#include <stdio.h>
#include <stdlib.h>

/* For malloc, calloc, realloc, strdup and their like: p, which is not NULL. */
static inline void *ty_xalloc(void *p)
{
    if (!p) {
        fputs("trainyard: out of memory\n", stderr);
        abort();
    }
    return p;
}

#endif
