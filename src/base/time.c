#include "base/time.h"

#include <time.h>

struct ty_str ty_time_text(struct ty_arena *a, int64_t unix_s)
{
    struct tm tm = { 0 };
    time_t t = (time_t)unix_s;
    char *text = ty_arena_alloc(a, 32, 1);

    gmtime_r(&t, &tm);
    int year = snprintf(text, 32, "%04d", tm.tm_year + 1900); /* %Y writes year 1 as "1" */
    size_t rest = strftime(text + year, 32 - (size_t)year, "-%m-%dT%H:%M:%SZ", &tm);
    return (struct ty_str){ text, (size_t)year + rest };
}

/* Takes exactly n digits and then `after` (0: nothing) off the front of s. */
static bool take_digits(struct ty_str *s, size_t n, char after, int *ret_v)
{
    int v = 0;

    if (s->n < n + (after != 0))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (s->p[i] < '0' || s->p[i] > '9')
            return false;
        v = v * 10 + (s->p[i] - '0');
    }
    if (after && s->p[n] != after)
        return false;
    *s = (struct ty_str){ s->p + n + (after != 0), s->n - n - (after != 0) };
    *ret_v = v;
    return true;
}

/* Skips a fraction such as ".5": conditions have whole seconds. */
static bool skip_fraction(struct ty_str *s)
{
    size_t n = 1;

    if (s->n == 0 || s->p[0] != '.')
        return true;
    while (n < s->n && s->p[n] >= '0' && s->p[n] <= '9')
        n++;
    *s = (struct ty_str){ s->p + n, s->n - n };
    return n > 1;
}

/* Parses all of s as Z or an offset such as +02:00, into seconds. */
static bool take_zone(struct ty_str s, int *ret_s)
{
    int hours = 0, minutes = 0, sign = 1;

    *ret_s = 0;
    if (ty_str_is(s, "Z") || ty_str_is(s, "z"))
        return true;
    if (s.n == 0 || (s.p[0] != '+' && s.p[0] != '-'))
        return false;
    if (s.p[0] == '-')
        sign = -1;
    s = (struct ty_str){ s.p + 1, s.n - 1 };
    if (!take_digits(&s, 2, ':', &hours) || !take_digits(&s, 2, 0, &minutes) || s.n > 0)
        return false;
    *ret_s = sign * (hours * 3600 + minutes * 60);
    return hours < 24 && minutes < 60;
}

bool ty_time_parse(struct ty_str text, int64_t *ret_unix_s)
{
    struct tm tm = { 0 };
    int offset = 0;

    if (!take_digits(&text, 4, '-', &tm.tm_year) || !take_digits(&text, 2, '-', &tm.tm_mon) ||
        !take_digits(&text, 2, 'T', &tm.tm_mday) || !take_digits(&text, 2, ':', &tm.tm_hour) ||
        !take_digits(&text, 2, ':', &tm.tm_min) || !take_digits(&text, 2, 0, &tm.tm_sec) ||
        !skip_fraction(&text) || !take_zone(text, &offset))
        return false;
    if (tm.tm_mon < 1 || tm.tm_mon > 12 || tm.tm_mday < 1 || tm.tm_mday > 31 || tm.tm_hour > 23 ||
        tm.tm_min > 59 || tm.tm_sec > 60)
        return false;
    tm.tm_year -= 1900;
    tm.tm_mon -= 1;
    *ret_unix_s = (int64_t)timegm(&tm) - offset;
    return true;
}

/* Removes a unit from the front of s and returns it in nanoseconds; 0: no unit. No name may come
 * after one of its own prefixes. */
static int64_t take_unit(struct ty_str *s)
{
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = {
        { "ns", 1 },       { "us", 1000 },      { "\u00b5s", 1000 },  { "\u03bcs", 1000 },
        { "ms", 1000000 }, { "s", 1000000000 }, { "m", 60000000000 }, { "h", 3600000000000 },
    };
    for (size_t i = 0; i < TY_COUNT(units); i++) {
        struct ty_str name = ty_str(units[i].name);
        if (ty_str_starts(*s, name)) {
            *s = (struct ty_str){ s->p + name.n, s->n - name.n };
            return units[i].ns;
        }
    }
    return 0;
}

/* Parses a number with a unit, such as "1.5h", off the front of s. */
static bool take_span(struct ty_str *s, int64_t *ret_ns)
{
    int64_t whole = 0, part = 0, scale = 1, ns = 0, unit = 0;
    size_t digits = 0, i = 0;
    for (; i < s->n && s->p[i] >= '0' && s->p[i] <= '9'; i++, digits++)
        if (__builtin_mul_overflow(whole, 10, &whole) ||
            __builtin_add_overflow(whole, s->p[i] - '0', &whole))
            return false;
    if (i < s->n && s->p[i] == '.')
        for (i++; i < s->n && s->p[i] >= '0' && s->p[i] <= '9'; i++, digits++) {
            if (scale > 100000000) /* ignore digits below a nanosecond */
                continue;
            part = part * 10 + (s->p[i] - '0');
            scale *= 10;
        }
    *s = (struct ty_str){ s->p + i, s->n - i };
    unit = take_unit(s);
    if (!digits || !unit || __builtin_mul_overflow(whole, unit, &ns))
        return false;
    int64_t rest = (int64_t)((double)part * ((double)unit / (double)scale));
    return !__builtin_add_overflow(ns, rest, ret_ns);
}

bool ty_time_parse_duration(struct ty_str text, int64_t *ret_ns)
{
    bool minus = text.n && text.p[0] == '-';
    int64_t sum = 0;
    if (minus || (text.n && text.p[0] == '+'))
        text = (struct ty_str){ text.p + 1, text.n - 1 };
    if (ty_str_is(text, "0")) {
        *ret_ns = 0;
        return true;
    }
    if (!text.n)
        return false;
    while (text.n) {
        int64_t span = 0;
        if (!take_span(&text, &span) || __builtin_add_overflow(sum, span, &sum))
            return false;
    }
    *ret_ns = minus ? -sum : sum;
    return true;
}

#define FAR_S ((int64_t)100 * 366 * 24 * 60 * 60)
int64_t ty_time_wait_ms(int64_t seconds)
{
    if (seconds > FAR_S)
        seconds = FAR_S;
    if (seconds < -FAR_S)
        seconds = -FAR_S;
    return seconds * 1000;
}

bool ty_time_parse_span(struct ty_str text, int64_t *ret_ms)
{
    char unit = text.n ? text.p[text.n - 1] : 0;
    int64_t n = 0, ms = 0;

    if (unit == 'd' || unit == 'w') {
        if (!ty_str_parse_i64((struct ty_str){ text.p, text.n - 1 }, &n) || n <= 0 ||
            __builtin_mul_overflow(n, (int64_t)(unit == 'w' ? 7 : 1) * TY_DAY_MS, &ms))
            return false;
    } else if (!ty_time_parse_duration(text, &n)) {
        return false;
    } else {
        ms = n / 1000000;
    }
    if (ms <= 0)
        return false;
    *ret_ms = ms;
    return true;
}
