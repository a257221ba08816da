/* The last bytes of a text that arrives in pieces. */
#ifndef TY_FAILURE_LOG_TAIL_H
#define TY_FAILURE_LOG_TAIL_H

#include "base/str.h"

#define TY_LOG_TAIL_BYTES ((size_t)64 << 10)

struct ty_log_tail { /* all zero is empty; takes at most twice TY_LOG_TAIL_BYTES */
    char *p;
    size_t n, cap;
};

void ty_log_tail_add(struct ty_log_tail *t, struct ty_str chunk);
struct ty_str ty_log_tail_view(const struct ty_log_tail *t); /* borrowed until the next change */
void ty_log_tail_done(struct ty_log_tail *t);                /* the struct may be used again */
/* Gives back what is not needed for the view. */
void ty_log_tail_shrink(struct ty_log_tail *t);

#endif
