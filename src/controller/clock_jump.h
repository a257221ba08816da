/* Was the wall clock set? Deadlines are points of wall time, but the loop waits by a clock that
 * only goes forward and stands still while the machine sleeps: when the two part, what was waited
 * for has to be reckoned anew. Without clock; the caller says what both of them show. */
#ifndef TY_CONTROLLER_CLOCK_JUMP_H
#define TY_CONTROLLER_CLOCK_JUMP_H

#include <stdbool.h>
#include <stdint.h>

#define TY_CLOCK_JUMP_MIN_MS 2000 /* less is a clock that is being trimmed, or we were late */

struct ty_clock_jump { /* zeroed: nothing was seen yet */
    int64_t apart_ms;
    bool seen;
};

/* By how many ms the wall clock was set since the last call, forward or (negative) back; 0: it was
 * not. */
int64_t ty_clock_jump(struct ty_clock_jump *j, int64_t wall_ms, int64_t steady_ms);

#endif
