/* For tests: the pause of a loop that waits for a condition, which is what a test does instead of
 * sleeping for long enough. */
#ifndef TY_BASE_WAIT_TESTING_H
#define TY_BASE_WAIT_TESTING_H

#include <stdbool.h>
#include <time.h>

/* Sleeps a millisecond; false when the loop, which begins with *waited_ms at 0, has had its minute.
 */
static inline bool wait_a_moment(int *waited_ms)
{
    nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    return ++*waited_ms < 60000;
}

#endif
