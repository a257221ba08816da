#include "base/histogram.h"

#include <math.h>

size_t ty_histogram_bound_count(const double *bounds)
{
    size_t n = 0;

    while (n < TY_HISTOGRAM_BOUNDS && bounds[n] != 0)
        n++;
    return n;
}

void ty_histogram_observe(struct ty_histogram *s, double value)
{
    size_t i = 0;

    if (isnan(value))
        return;
    while (i < TY_HISTOGRAM_BOUNDS && s->bounds[i] != 0 && value > s->bounds[i])
        i++;
    s->counts[i]++;
    s->n++;
    s->sum += value;
}
