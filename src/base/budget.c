/* Counting, nothing else: who is refused knows what to do about it. */
#include "base/budget.h"

#include <assert.h>
#include <stdint.h>

size_t ty_budget_left(const struct ty_budget *b)
{
    if (!b || !b->ceiling)
        return SIZE_MAX;
    return b->ceiling > b->used ? b->ceiling - b->used : 0;
}

static void use(struct ty_budget *b, size_t n)
{
    b->used += n;
    if (b->used > b->peak)
        b->peak = b->used;
}

bool ty_budget_take(struct ty_budget *b, size_t n)
{
    if (!b)
        return true;
    if (n > ty_budget_left(b)) {
        b->refused++;
        return false;
    }
    use(b, n);
    return true;
}

bool ty_budget_charge(struct ty_budget *b, size_t n)
{
    if (!b)
        return true;
    use(b, n);
    return !b->ceiling || b->used <= b->ceiling;
}

void ty_budget_give(struct ty_budget *b, size_t n)
{
    if (!b)
        return;
    assert(n <= b->used);
    b->used -= n;
}
