/* Warnings about an accepted object; the webhook sends them to the client (kubectl prints them). */
#ifndef TY_TRAINER_WARNINGS_H
#define TY_TRAINER_WARNINGS_H

#include "base/arena.h"

struct ty_warnings {
    struct ty_arena *arena; /* the texts live with it */
    const char *v[32];
    size_t n;
};
/* Drops the text if `w` is NULL or already has 32. */
void ty_warnings_add(struct ty_warnings *w, const char *fmt, ...) TY_PRINTF(2, 3);

#endif
