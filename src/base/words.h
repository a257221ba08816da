/* A list of words that lives with an arena. All zero is an empty one. */
#ifndef TY_BASE_WORDS_H
#define TY_BASE_WORDS_H

#include "base/arena.h"
#include <stdbool.h>

struct ty_words {
    const char **v; /* ends with NULL, which is not counted; NULL itself: no words */
    size_t n;
};

void ty_words_add(struct ty_arena *a, struct ty_words *w, const char *word); /* borrows the word */
bool ty_words_same(const struct ty_words *x, const struct ty_words *y);      /* in this order */

#endif
