/* Memory on the heap. Running out of it is not an error to handle: input has ceilings, so the
 * program aborts with a message. */
#ifndef TY_BASE_XALLOC_H
#define TY_BASE_XALLOC_H

#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"

/* Returns p; aborts if it is NULL. For malloc, calloc, realloc, strdup and the like. (Were abort()
 * in another function, gcc -fanalyzer would report a leak at each call.) */
static inline void *ty_xalloc(void *p)
{
    if (!p) {
        fputs("trainyard: out of memory\n", stderr);
        abort();
    }
    return p;
}
_Noreturn void ty_xalloc_die(void);    /* for libraries that report that memory ran out */
char *ty_xalloc_cstr(struct ty_str s); /* gives a copy, NUL-terminated */

/* The capacity of an array, in items of `size` bytes, in which item n does not fit: at least twice
 * `cap`. Aborts if so many bytes cannot exist. */
size_t ty_xalloc_cap(size_t n, size_t cap, size_t size);
/* Grows an array on the heap for an item at index n, as ty_arena_room does in an arena; new items
 * are not zeroed. Use ty_xroom. */
void *ty_xalloc_room(void *v, size_t n, size_t *cap, size_t size);
/* Grows v so that v[n] may be written. */
#define ty_xroom(v, n, cap) ((v) = ty_xalloc_room((void *)(v), (n), &(cap), sizeof(*(v))))

#endif
