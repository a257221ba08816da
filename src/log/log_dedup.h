/* Suppresses messages that were logged recently: a server that closes its connections ends a dozen
 * watches at once, all for the same reason. Reads no clock: the caller passes the time. */
#ifndef TY_LOG_LOG_DEDUP_H
#define TY_LOG_LOG_DEDUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

#define TY_LOG_DEDUP_MS    30000 /* then it is logged again */
#define TY_LOG_DEDUP_TEXTS 8     /* in memory; a new one replaces the oldest */
#define TY_LOG_DEDUP_BYTES 160   /* of each that are compared */

struct ty_log_dedup { /* zeroed at first */
    struct {
        char text[TY_LOG_DEDUP_BYTES];
        size_t n;
        int64_t at_ms;
        bool used;
    } said[TY_LOG_DEDUP_TEXTS];
};

/* Whether text was logged within TY_LOG_DEDUP_MS; if not, records it as logged now. now_ms: a
 * monotonic clock. */
bool ty_log_dedup(struct ty_log_dedup *l, struct ty_str text, int64_t now_ms);

#endif
