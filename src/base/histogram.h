/* How many values were how large: what Prometheus calls a histogram. */
#ifndef TY_BASE_HISTOGRAM_H
#define TY_BASE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#define TY_HISTOGRAM_BOUNDS 40

struct ty_histogram {
    const double
        *bounds; /* upper ones, rising, ends with 0; at most TY_HISTOGRAM_BOUNDS. Borrowed */
    uint64_t counts[TY_HISTOGRAM_BOUNDS + 1]; /* up to each bound and above the one before it; then
                                              those above the last */
    uint64_t n;
    double sum;
};

/* A value that is no number is left out: one would make the sum useless for ever. */
void ty_histogram_observe(struct ty_histogram *s, double value);
size_t ty_histogram_bound_count(const double *bounds); /* how many */

#endif
