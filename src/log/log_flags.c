/* zap's flags as controller-runtime parses them. */
#include "log/log.h"
#include <errno.h>

static const char *const level_names[] = { "debug", "info", "error", "panic", "warn" };
static const int levels[] = { TY_DEBUG, TY_INFO, TY_ERROR, TY_ERROR + 1, TY_WARN };
static const char *const times[] = { "rfc3339nano", "rfc3339", "iso8601", "epoch",
                                     "millis",      "nanos",   "nano" };

static bool same_word(struct ty_str a, const char *b)
{
    size_t i = 0;
    for (; i < a.n && b[i]; i++)
        if ((a.p[i] | 0x20) != (b[i] | 0x20))
            return false;
    return i == a.n && !b[i];
}

static int index_of(struct ty_str word, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (same_word(word, list[i]))
            return (int)i;
    return -1;
}

/* "info", or a number: higher is more verbose. */
static int read_level(struct ty_str v, int *ret, struct ty_err *err)
{
    int64_t number = 0;
    int at = index_of(v, level_names, 5);
    if (at >= 0) {
        *ret = levels[at];
        return 0;
    }
    if (!ty_str_parse_i64(v, &number) || number <= 0 || number > 127)
        return ty_fail(err, -EINVAL,
                       "invalid log level \"%.*s\": one of debug, info, error, panic, or a number "
                       "from 1 to 127",
                       TY_ARG(v));
    *ret = (int)-number;
    return 0;
}

static int read_time(struct ty_str v, enum ty_log_time *ret, struct ty_err *err)
{
    int at = index_of(v, times, 7);
    if (at < 0)
        return ty_fail(err, -EINVAL,
                       "invalid time encoding \"%.*s\": one of epoch, millis, nano, iso8601, "
                       "rfc3339, rfc3339nano",
                       TY_ARG(v));
    *ret = at > TY_LOG_NANOS ? TY_LOG_NANOS : (enum ty_log_time)at;
    return 0;
}

static int read_encoder(struct ty_str v, bool *ret, struct ty_err *err)
{
    bool console = same_word(v, "console");
    if (!console && !same_word(v, "json"))
        return ty_fail(err, -EINVAL, "invalid encoder \"%.*s\": json or console", TY_ARG(v));
    *ret = console;
    return 0;
}

/* zap's development mode: readable, with debug lines. A level or encoder that follows overrides
 * it. */
static int read_devel(struct ty_log_settings *s, struct ty_str v, struct ty_err *err)
{
    bool on = !v.n || ty_str_is(v, "true") || ty_str_is(v, "1");
    if (!on && !ty_str_is(v, "false") && !ty_str_is(v, "0"))
        return ty_fail(err, -EINVAL, "\"%.*s\" is not true or false", TY_ARG(v));
    if (on) {
        s->console = true;
        s->level = TY_DEBUG;
    }
    return 0;
}

int ty_log_flag(struct ty_log_settings *s, const char *name, const char *value, struct ty_err *err)
{
    struct ty_str v = ty_str(value), n = ty_str(name);
    int ignored, r;
    if (ty_str_is(n, "zap-log-level"))
        r = read_level(v, &s->level, err);
    else if (ty_str_is(n, "zap-encoder"))
        r = read_encoder(v, &s->console, err);
    else if (ty_str_is(n, "zap-time-encoding"))
        r = read_time(v, &s->time, err);
    else if (ty_str_is(n, "zap-stacktrace-level"))
        r = read_level(v, &ignored, err);
    else if (ty_str_is(n, "zap-devel"))
        r = read_devel(s, v, err);
    else
        return -ENOENT;
    return r < 0 ? ty_wrap(err, "--%s", name) : 0;
}
