/* Times as text. Nothing here reads a clock: the caller has the time. */
#ifndef TY_BASE_TIME_H
#define TY_BASE_TIME_H

#include "base/arena.h"
#include "base/str.h"

/* "2026-01-02T03:04:05Z" <-> Unix seconds. Parsing takes fractions and offsets, too; fractions are
 * cut. */
struct ty_str ty_time_text(struct ty_arena *a, int64_t unix_s);
bool ty_time_parse(struct ty_str text, int64_t *ret_unix_s);

/* A duration as Go writes and reads it: "15s", "1m30s", "1.5h", "-20ms", "0". False: it is none, or
 * beyond 64 bits of nanoseconds. */
bool ty_time_parse_duration(struct ty_str text, int64_t *ret_ns);
/* A span of time as people write it: the same, or days and weeks: "30d", "2w". At least 1 ms. */
#define TY_DAY_MS ((int64_t)24 * 60 * 60 * 1000)
bool ty_time_parse_span(struct ty_str text, int64_t *ret_ms);
/* Seconds that somebody wrote, in ms, to wait for. Beyond a hundred years, either way, it is a
 * hundred years: so it can be added to a time, and does not wrap into the past. */
int64_t ty_time_wait_ms(int64_t seconds);

#endif
