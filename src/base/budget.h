/* One ceiling for all memory that input can make this process use: request bodies, the arenas in
 * which they are parsed, connections, the cache. Each user reserves before it allocates and
 * releases when it frees; when a reservation is refused, it answers "too large" or "not now", and
 * the process is not OOM-killed. */
#ifndef TY_BASE_BUDGET_H
#define TY_BASE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

struct ty_budget {
    size_t ceiling; /* 0: none */
    size_t used, peak;
    unsigned long refused; /* reservations that did not fit, since the start */
};

/* All functions accept NULL: no budget, everything fits. */

/* False: it does not fit; nothing was reserved. */
bool ty_budget_reserve(struct ty_budget *b, size_t n);
/* Counts memory that is allocated already, even beyond the ceiling. False: the ceiling is exceeded.
 */
bool ty_budget_charge(struct ty_budget *b, size_t n);
void ty_budget_release(struct ty_budget *b, size_t n);
size_t ty_budget_left(const struct ty_budget *b); /* SIZE_MAX without a ceiling */

#endif
