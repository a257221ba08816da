/* Conversion of times and durations from and to text. Does not read the clock. */
#ifndef TY_BASE_TIME_H
#define TY_BASE_TIME_H

#include "base/arena.h"
#include "base/str.h"

/* RFC 3339 with whole seconds, as Kubernetes writes it ("2026-01-02T03:04:05Z") <-> Unix seconds.
 * Parsing accepts fractions, which it drops, and offsets. */
struct ty_str ty_time_text(struct ty_arena *a, int64_t unix_s);
bool ty_time_parse(struct ty_str text, int64_t *ret_unix_s);

/* A Go duration: "15s", "1m30s", "1.5h", "-20ms", "0". False: not a duration, or more than 64 bits
 * of nanoseconds. */
bool ty_time_parse_duration(struct ty_str text, int64_t *ret_ns);
/* A positive time span in options: a Go duration, or days or weeks ("30d", "2w"). At least 1 ms. */
#define TY_DAY_MS ((int64_t)24 * 60 * 60 * 1000)
bool ty_time_parse_span(struct ty_str text, int64_t *ret_ms);
/* Converts seconds from user input to ms, limited to plus or minus 100 years, so that the sum with
 * a current time does not overflow. */
int64_t ty_time_wait_ms(int64_t seconds);

#endif
