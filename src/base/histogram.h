/* A Prometheus histogram: counts of values by upper bound. */
#ifndef TY_BASE_HISTOGRAM_H
#define TY_BASE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#define TY_HISTOGRAM_BOUNDS 40

struct ty_histogram {
    const double *bounds; /* upper bounds, inclusive, rising; ends with 0; at most
                             TY_HISTOGRAM_BOUNDS. Borrowed */
    uint64_t counts[TY_HISTOGRAM_BOUNDS + 1]; /* of one bucket each, not cumulative; the last is for
                                                 values above all bounds */
    uint64_t n;
    double sum;
};

/* Ignores NaN, which would make the sum NaN for ever. */
void ty_histogram_observe(struct ty_histogram *s, double value);
size_t ty_histogram_bound_count(const double *bounds);

#endif
