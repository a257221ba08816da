/* Formats progress: speed, time left, a bar. Does not read the clock: the samples have times. */
#ifndef TY_FETCH_TRANSFER_PROGRESS_H
#define TY_FETCH_TRANSFER_PROGRESS_H

#include "base/buf.h"
#include "fetch/fetch.h"

struct ty_transfer_progress {
    int64_t at_ns, at_bytes; /* of the last sample */
    double speed;            /* bytes in a second, smoothed; 0 unknown */
};

void ty_transfer_progress_sample(struct ty_transfer_progress *m, const struct ty_fetch_progress *p);
/* "42%: 10.2 MB of 24.2 MB, 3.4 MB/s, 0:04 left, 2 of 5 files"; no percentage while the total is
 * unknown. */
void ty_transfer_progress_line(struct ty_buf *b, const struct ty_transfer_progress *m,
                               const struct ty_fetch_progress *p);
/* The same after a bar, in at most `width` columns; plain ASCII. */
void ty_transfer_progress_bar(struct ty_buf *b, const struct ty_transfer_progress *m,
                              const struct ty_fetch_progress *p, size_t width);
void ty_transfer_progress_bytes(struct ty_buf *b, double bytes); /* "24.2 MB", powers of ten */

#endif
