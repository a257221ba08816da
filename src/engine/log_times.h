/* When the bytes of a log file arrived: LOG.times, lines of "OFFSET MILLISECONDS", since the log
 * itself stays as the program wrote it. Bounded: an entry for at least 100 ms of output, and after
 * TY_LOG_TIMES_MAX entries every second one is dropped and the interval doubles. */
#ifndef TY_ENGINE_LOG_TIMES_H
#define TY_ENGINE_LOG_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TY_LOG_TIMES_MAX 4096

/* The writer's state; all zero for a new log. */
struct ty_log_times {
    int64_t last_ms, every_ms;
    size_t n;
};
/* Whether an entry is due; else ty_log_times_note does nothing. Times are the wall clock's: one is
 * also due when that was set back. */
static inline bool ty_log_times_due(const struct ty_log_times *t, int64_t now_ms)
{
    return !t->n || now_ms < t->last_ms || now_ms - t->last_ms >= t->every_ms;
}
/* Bytes from `offset` on of the log at `path` arrived now. Failures are ignored: times are then
 * less precise. */
void ty_log_times_note(struct ty_log_times *t, const char *path, int64_t offset, int64_t now_ms);
/* The log was renamed. */
void ty_log_times_rotate(struct ty_log_times *t, const char *path, const char *to);

struct ty_log_times_entry {
    int64_t offset, ms;
};
struct ty_log_times_list {
    struct ty_log_times_entry *v; /* heap */
    size_t n;
};
/* Reads the times of a log; empty if there are none. */
void ty_log_times_read(const char *path, struct ty_log_times_list *ret);
void ty_log_times_done(struct ty_log_times_list *l);
/* When the byte arrived, at the precision of the entries; 0: unknown. */
int64_t ty_log_times_at(const struct ty_log_times_list *l, int64_t offset);
/* The offset of the first entry that is not before ms; -1: there is none. */
int64_t ty_log_times_since(const struct ty_log_times_list *l, int64_t ms);

#endif
