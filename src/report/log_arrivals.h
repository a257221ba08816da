/* When the bytes of a log arrived: a small index beside it, exact for its end, coarse before. */
#ifndef TY_REPORT_LOG_ARRIVALS_H
#define TY_REPORT_LOG_ARRIVALS_H

#include <stddef.h>
#include <stdint.h>

enum { TY_LOG_ARRIVALS = 32, TY_LOG_ARRIVALS_APART_MS = 5 };

/* From this offset on, bytes arrived at this time or later. */
struct ty_log_arrival {
    int64_t offset, ms;
};
struct ty_log_arrivals { /* all zero is an empty one */
    struct ty_log_arrival v[TY_LOG_ARRIVALS];
    size_t n;
    int64_t bytes; /* of the log */
};

/* Bytes were appended to the log at this time, of the wall clock: it may be set back. */
void ty_log_arrivals_add(struct ty_log_arrivals *x, int64_t bytes, int64_t ms);
/* When this byte arrived: the latest entry at or before it. n is not 0. */
int64_t ty_log_arrivals_find(const struct ty_log_arrival *v, size_t n, int64_t offset);

#endif
