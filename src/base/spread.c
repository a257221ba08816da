/* Bounds belong to their own bucket. */
#include "base/spread.h"

#include <math.h>

size_t ty_spread_bounds(const double *bounds)
{
    size_t n = 0;

    while (n < TY_SPREAD_BOUNDS && bounds[n] != 0)
        n++;
    return n;
}

void ty_spread_add(struct ty_spread *s, double value)
{
    size_t i = 0;

    if (isnan(value))
        return;
    while (i < TY_SPREAD_BOUNDS && s->bounds[i] != 0 && value > s->bounds[i])
        i++;
    s->counts[i]++;
    s->n++;
    s->sum += value;
}
