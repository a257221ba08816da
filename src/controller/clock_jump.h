/* Detects jumps of the wall clock. Deadlines are wall time, but timers of the loop run on the
 * monotonic clock, which also stops while the machine is suspended: after a jump, deadlines must be
 * computed again. Reads no clock: the caller passes both times. */
#ifndef TY_CONTROLLER_CLOCK_JUMP_H
#define TY_CONTROLLER_CLOCK_JUMP_H

#include <stdbool.h>
#include <stdint.h>

#define TY_CLOCK_JUMP_MIN_MS 2000 /* less is clock drift, or a late timer */

struct ty_clock_jump { /* zeroed at first */
    int64_t apart_ms;
    bool seen;
};

/* How many ms the wall clock was set since the last call, negative: back; 0: it was not set. */
int64_t ty_clock_jump(struct ty_clock_jump *j, int64_t wall_ms, int64_t steady_ms);

#endif
