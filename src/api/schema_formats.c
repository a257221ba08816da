/* The string formats that the API server checks, without a regular expression engine. */
#include <errno.h>

#include "api/schema_inner.h"

const char ty_schema_quantity_pattern[] =
    "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?"
    "(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$";

static bool digit_at(struct ty_str s, size_t i)
{
    return i < s.n && s.p[i] >= '0' && s.p[i] <= '9';
}

static bool one_of(struct ty_str s, size_t i, const char *set)
{
    return i < s.n && s.p[i] != '\0' && strchr(set, s.p[i]);
}

/* [sign] digits [. digits] or [sign] . digits: the index of its end, or 0. */
static size_t decimal_end(struct ty_str s, size_t i)
{
    size_t digits = 0;

    i += one_of(s, i, "+-");
    for (; digit_at(s, i); i++)
        digits++;
    if (one_of(s, i, "."))
        for (i++; digit_at(s, i); i++)
            digits++;
    return digits > 0 ? i : 0;
}

bool ty_schema_is_quantity(struct ty_str s)
{
    size_t i = decimal_end(s, 0);

    if (i == 0)
        return false;
    if (i == s.n)
        return true;
    if (i + 1 == s.n)
        return one_of(s, i, "numkMGTPE");
    if (i + 2 == s.n && one_of(s, i, "KMGTPE") && s.p[i + 1] == 'i')
        return true;
    return one_of(s, i, "eE") && decimal_end(s, i + 1) == s.n;
}

/* Reads n digits at *i; false if there are fewer. */
static bool skip_digits(struct ty_str s, size_t *i, size_t n, int *ret_v)
{
    int v = 0;

    for (size_t k = *i; k < *i + n; k++) {
        if (!digit_at(s, k))
            return false;
        v = v * 10 + (s.p[k] - '0');
    }
    *i += n;
    *ret_v = v;
    return true;
}

static int month_days(int year, int month)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    return days[month - 1] + (month == 2 && leap);
}

/* "Z" or "+hh:mm" at *i. */
static bool skip_zone(struct ty_str s, size_t *i, int max_hour, int max_minute)
{
    size_t k = *i + 1;
    int h, m;

    if (one_of(s, *i, "Z")) {
        (*i)++;
        return true;
    }
    if (!one_of(s, *i, "+-") || !skip_digits(s, &k, 2, &h) || !one_of(s, k, ":"))
        return false;
    k++;
    if (!skip_digits(s, &k, 2, &m) || h > max_hour || m > max_minute)
        return false;
    *i = k;
    return true;
}

/* A literal prefix, then a number of as many digits as `want` has. */
static const struct part {
    const char *before, *want, *name;
    int min, max;
} parts[] = {
    { "", "2006", "year", 0, 9999 }, { "-", "01", "month", 1, 12 },  { "-", "02", "day", 0, 99 },
    { "T", "15", "hour", 0, 23 },    { ":", "04", "minute", 0, 59 }, { ":", "05", "second", 0, 59 },
};
enum { YEAR, MONTH, DAY, PARTS = 6 };

static size_t skip_fraction(struct ty_str s, size_t i)
{
    if (one_of(s, i, ".") && digit_at(s, i + 1))
        for (i++; digit_at(s, i);)
            i++;
    return i;
}

bool ty_schema_is_date_time(struct ty_str s)
{
    int v[PARTS];
    size_t i = 0;

    for (int k = 0; k < PARTS; k++) {
        const struct part *p = &parts[k];
        if (*p->before && !one_of(s, i, *p->before == 'T' ? "Tt" : p->before))
            return false;
        i += *p->before != '\0';
        if (!skip_digits(s, &i, strlen(p->want), &v[k]) || v[k] < p->min || v[k] > p->max)
            return false;
    }
    if (v[DAY] < 1 || v[DAY] > month_days(v[YEAR], v[MONTH]))
        return false;
    i = skip_fraction(s, i);
    return (one_of(s, i, "z") && i + 1 == s.n) || (skip_zone(s, &i, 99, 99) && i == s.n);
}

static int fail_time(struct ty_str s, size_t i, const char *want, struct ty_err *err)
{
    return ty_fail(err, -EINVAL,
                   "parsing time \"%.*s\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"%.*s\" "
                   "as \"%s\"",
                   TY_ARG(s), (int)(s.n - i), s.p + i, want);
}

int ty_schema_decode_time(struct ty_str s, struct ty_err *err)
{
    int v[PARTS];
    size_t i = 0;

    for (int k = 0; k < PARTS; k++) {
        const struct part *p = &parts[k];
        if (*p->before && !one_of(s, i, p->before))
            return fail_time(s, i, p->before, err);
        i += *p->before != '\0';
        if (!skip_digits(s, &i, strlen(p->want), &v[k]))
            return fail_time(s, i, p->want, err);
        if (v[k] < p->min || v[k] > p->max)
            return ty_fail(err, -EINVAL, "parsing time \"%.*s\": %s out of range", TY_ARG(s),
                           p->name);
    }
    i = skip_fraction(s, i);
    if (!skip_zone(s, &i, 24, 60))
        return fail_time(s, i, "Z07:00", err);
    if (i < s.n)
        return ty_fail(err, -EINVAL, "parsing time \"%.*s\": extra text: \"%.*s\"", TY_ARG(s),
                       (int)(s.n - i), s.p + i);
    if (v[DAY] < 1 || v[DAY] > month_days(v[YEAR], v[MONTH]))
        return ty_fail(err, -EINVAL, "parsing time \"%.*s\": day out of range", TY_ARG(s));
    return 0;
}
