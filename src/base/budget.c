#include "base/budget.h"

#include <assert.h>
#include <stdint.h>

size_t ty_budget_left(const struct ty_budget *b)
{
    if (!b || !b->ceiling)
        return SIZE_MAX;
    return b->ceiling > b->used ? b->ceiling - b->used : 0;
}

static void add_used(struct ty_budget *b, size_t n)
{
    b->used += n;
    if (b->used > b->peak)
        b->peak = b->used;
}

bool ty_budget_reserve(struct ty_budget *b, size_t n)
{
    if (!b)
        return true;
    if (n > ty_budget_left(b)) {
        b->refused++;
        return false;
    }
    add_used(b, n);
    return true;
}

bool ty_budget_charge(struct ty_budget *b, size_t n)
{
    if (!b)
        return true;
    add_used(b, n);
    return !b->ceiling || b->used <= b->ceiling;
}

void ty_budget_release(struct ty_budget *b, size_t n)
{
    if (!b)
        return;
    assert(n <= b->used);
    b->used -= n;
}
