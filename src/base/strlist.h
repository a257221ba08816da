/* A list of C strings that lives with an arena. All zero is an empty list. */
#ifndef TY_BASE_STRLIST_H
#define TY_BASE_STRLIST_H

#include "base/arena.h"
#include <stdbool.h>

struct ty_strlist {
    const char **v; /* ends with NULL, which n does not count; NULL if the list is empty */
    size_t n;
};

void ty_strlist_add(struct ty_arena *a, struct ty_strlist *w,
                    const char *word); /* borrows the word */

#endif
