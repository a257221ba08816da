/* The operator's log: a JSON line for each entry on stderr, as controller-runtime's zap writes
 * them:
 *   {"level":"info","ts":"2026-01-02T03:04:05.000000006Z","logger":"lease",
 *    "caller":"leader/lease_client.c:12","msg":"became leader","namespace":"team","name":"job"}
 * One write(2) for each line, so lines of several processes do not mix. User text is a value,
 * never a format. Inner functions return errors; the outermost caller logs each once.
 *
 * The same error is logged TY_LOG_BURST times in TY_LOG_WINDOW_S seconds, then counted; the next
 * line, or ty_log_flush_suppressed, carries "suppressed": how often it was not logged. */
#ifndef TY_LOG_LOG_H
#define TY_LOG_LOG_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

/* zap's numbers: entries below the configured level are dropped. V(n) of logr is -n. */
enum ty_log_level { TY_DEBUG = -1, TY_INFO = 0, TY_WARN = 1, TY_ERROR = 2 };
enum ty_log_time {
    TY_LOG_RFC3339NANO,
    TY_LOG_RFC3339,
    TY_LOG_ISO8601,
    TY_LOG_EPOCH,
    TY_LOG_MILLIS,
    TY_LOG_NANOS
};

#define TY_LOG_BURST    5
#define TY_LOG_WINDOW_S 60
#define TY_LOG_SEEN_S   30

struct ty_log_settings {
    int level;    /* enum ty_log_level, or any lower number */
    bool console; /* tabs between time, level, logger, caller, text; fields as JSON */
    enum ty_log_time time;
    int fd;
    /* Unix time, ns; NULL: the system's. */
    int64_t (*now_ns)(void *ctx);
    void *ctx;
};
extern const struct ty_log_settings ty_log_default; /* info, JSON, RFC3339Nano, stderr */

/* zap's flags, by name without dashes ("zap-log-level") and value ("info", "2"; "" for a flag
 * without one). 0; -ENOENT: not a flag of zap; -EINVAL with an error. zap-stacktrace-level is
 * checked and has no effect: C has no stack traces to print. */
int ty_log_flag(struct ty_log_settings *s, const char *name, const char *value, struct ty_err *err);

struct ty_log_out;

/* Passed by pointer. A part with its own "logger" has a copy: copies share `out`. A NULL log, and
 * one without `out`, drops everything. */
struct ty_log {
    struct ty_log_out *out;
    const char *logger; /* outlives the log; NULL: omitted */
};
struct ty_log_out *ty_log_open(const struct ty_log_settings *s); /* gives */
void ty_log_close(struct ty_log_out *o);                         /* takes, flushes; NULL is fine */
void ty_log_flush_suppressed(struct ty_log_out *o); /* logs counts of suppressed errors */
static inline struct ty_log ty_log_named(const struct ty_log *l, const char *logger)
{
    return (struct ty_log){ l ? l->out : NULL, logger };
}
bool ty_log_enabled(const struct ty_log *l,
                    int level); /* whether a line of this level would be written */

/* Whether it was called with this text in the last TY_LOG_SEEN_S seconds: for one line about what
 * happens to many objects at once. The first call of many returns false. */
bool ty_log_seen(const struct ty_log *l, struct ty_str text);

struct ty_log_field {
    const char *key;
    struct ty_str s;
    int64_t i;
    char type; /* s string, i integer, b boolean, t Unix seconds as RFC 3339, j JSON as it is */
};
#define TY_S(k, v)   ((struct ty_log_field){ .key = (k), .s = ty_str(v), .type = 's' })
#define TY_STR(k, v) ((struct ty_log_field){ .key = (k), .s = (v), .type = 's' })
#define TY_I(k, v)   ((struct ty_log_field){ .key = (k), .i = (int64_t)(v), .type = 'i' })
#define TY_B(k, v)   ((struct ty_log_field){ .key = (k), .i = (v), .type = 'b' })
#define TY_T(k, v)   ((struct ty_log_field){ .key = (k), .i = (v), .type = 't' })
#define TY_J(k, v)   ((struct ty_log_field){ .key = (k), .s = (v), .type = 'j' }) /* valid JSON */

void ty_log_write(const struct ty_log *l, int level, const char *caller, const char *msg,
                  const struct ty_log_field *fields, size_t n);

/* ty_info(log, "runtime is gone", TY_STR("namespace", ns), TY_STR("name", name)); */
#define TY_LOG_LINE_(n) #n
#define TY_LOG_LINE(n)  TY_LOG_LINE_(n)
#define TY_LOG_CALLER   __FILE__ ":" TY_LOG_LINE(__LINE__)
#define TY_LOG_N(...)   (sizeof((struct ty_log_field[]){ __VA_ARGS__ }) / sizeof(struct ty_log_field))
#define ty_log(l, level, msg, ...)                                                                 \
    ty_log_write((l), (level), TY_LOG_CALLER, (msg), (const struct ty_log_field[]){ __VA_ARGS__ }, \
                 TY_LOG_N(__VA_ARGS__))
#define ty_debug(l, msg, ...) ty_log((l), TY_DEBUG, (msg), __VA_ARGS__)
#define ty_info(l, msg, ...)  ty_log((l), TY_INFO, (msg), __VA_ARGS__)
#define ty_warn(l, msg, ...)  ty_log((l), TY_WARN, (msg), __VA_ARGS__)
/* The error text becomes "error", as in zap. */
#define ty_error(l, sentence, msg, ...)                                                            \
    ty_log((l), TY_ERROR, (msg), TY_S("error", (sentence)), __VA_ARGS__)

#endif
