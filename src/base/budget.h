/* One ceiling for the memory that input can make this process use: request bodies, the arenas in
 * which they are parsed, connections, the cache. Each part takes before it allocates and gives back
 * when it frees; who is refused answers "too large" or "not now" instead of being OOM-killed. */
#ifndef TY_BASE_BUDGET_H
#define TY_BASE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

struct ty_budget {
    size_t ceiling; /* 0: none */
    size_t used, peak;
    unsigned long refused; /* takes that did not fit, since the start */
};

/* All accept NULL: no budget, everything fits. */

/* False: it does not fit, and nothing was taken. */
bool ty_budget_reserve(struct ty_budget *b, size_t n);
/* Takes it although it may not fit: for what is there already. False: the ceiling is exceeded. */
bool ty_budget_charge(struct ty_budget *b, size_t n);
void ty_budget_release(struct ty_budget *b, size_t n);
size_t ty_budget_left(const struct ty_budget *b); /* SIZE_MAX without a ceiling */

#endif
