/* Compares the difference of the two clocks with that of the last call. */
#include "controller/clock_jump.h"

int64_t ty_clock_jump(struct ty_clock_jump *j, int64_t wall_ms, int64_t steady_ms)
{
    int64_t apart = wall_ms - steady_ms, by = j->seen ? apart - j->apart_ms : 0;

    j->apart_ms = apart;
    j->seen = true;
    return by >= TY_CLOCK_JUMP_MIN_MS || by <= -TY_CLOCK_JUMP_MIN_MS ? by : 0;
}
