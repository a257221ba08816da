/* Memory on the heap. Running out of it is not an error to handle: input has ceilings, so the
 * program aborts with a message. */
#ifndef TY_BASE_XALLOC_H
#define TY_BASE_XALLOC_H

#include <stddef.h>

#include "base/str.h"

_Noreturn void ty_xalloc_die(void);

/* Returns p; aborts if it is NULL. For malloc, calloc, realloc, strdup and the like. */
static inline void *ty_xalloc(void *p)
{
    if (!p)
        ty_xalloc_die();
    return p;
}
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
