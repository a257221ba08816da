/* What has been said lately need not be said again: a server that hangs up ends a dozen watches at
 * once, all for the same reason. Without clock; the caller says when it is. */
#ifndef TY_CONTROL_LATELY_H
#define TY_CONTROL_LATELY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

#define TY_LATELY_MS    30000 /* then it is news again */
#define TY_LATELY_TEXTS 8     /* that are remembered; the oldest is forgotten */
#define TY_LATELY_BYTES 160   /* of each that are compared */

struct ty_lately { /* zeroed: nothing was said */
    struct {
        char text[TY_LATELY_BYTES];
        size_t n;
        int64_t at_ms;
        bool used;
    } said[TY_LATELY_TEXTS];
};

/* Was this said within TY_LATELY_MS? If not, it is said now. now_ms: a clock that only goes
 * forward. */
bool ty_lately(struct ty_lately *l, struct ty_str text, int64_t now_ms);

#endif
