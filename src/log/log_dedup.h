/* What has been said lately need not be said again: a server that hangs up ends a dozen watches at
 * once, all for the same reason. Without clock; the caller says when it is. */
#ifndef TY_LOG_LOG_DEDUP_H
#define TY_LOG_LOG_DEDUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

#define TY_LOG_DEDUP_MS    30000 /* then it is news again */
#define TY_LOG_DEDUP_TEXTS 8     /* that are remembered; the oldest is forgotten */
#define TY_LOG_DEDUP_BYTES 160   /* of each that are compared */

struct ty_log_dedup { /* zeroed: nothing was said */
    struct {
        char text[TY_LOG_DEDUP_BYTES];
        size_t n;
        int64_t at_ms;
        bool used;
    } said[TY_LOG_DEDUP_TEXTS];
};

/* Was this said within TY_LOG_DEDUP_MS? If not, it is said now. now_ms: a clock that only goes
 * forward. */
bool ty_log_dedup(struct ty_log_dedup *l, struct ty_str text, int64_t now_ms);

#endif
