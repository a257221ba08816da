/* How many values were how large: what Prometheus calls a histogram. */
#ifndef TY_BASE_SPREAD_H
#define TY_BASE_SPREAD_H

#include <stddef.h>
#include <stdint.h>

#define TY_SPREAD_BOUNDS 40

struct ty_spread {
    const double *bounds; /* upper ones, rising, ends with 0; at most TY_SPREAD_BOUNDS. Borrowed */
    uint64_t counts[TY_SPREAD_BOUNDS + 1]; /* up to each bound and above the one before it; then
                                              those above the last */
    uint64_t n;
    double sum;
};

/* A value that is no number is left out: one would make the sum useless for ever. */
void ty_spread_add(struct ty_spread *s, double value);
size_t ty_spread_bounds(const double *bounds); /* how many */

#endif
