/* Numbers in YAML. Kubernetes parses them with go-yaml into int64, uint64 or float64 and writes
 * floats as Go's encoding/json does, so 1.0 and 1e0 reach the API as 1. This file does the same,
 * because otherwise a quantity "1e3" would be shown in another form than on a cluster. strtod and
 * printf run in the C locale: the program never calls setlocale. */
#include "json/yaml_inner.h"

#include <math.h>

#include "base/float.h"

enum { MOST_CHARS = 1100 }; /* longer than any float64 needs */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool may_start(struct ty_str s)
{
    return s.n > 0 && s.n <= MOST_CHARS &&
           (is_digit(s.p[0]) || s.p[0] == '+' || s.p[0] == '-' || s.p[0] == '.');
}

static int digit_value(char c)
{
    if (is_digit(c))
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

/* Copies s without underscores; NUL-terminated. */
static struct ty_str strip_underscores(struct ty_str s, char to[MOST_CHARS + 1])
{
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] != '_')
            to[n++] = s.p[i];
    to[n] = '\0';
    return (struct ty_str){ to, n };
}

static size_t skip_digits(struct ty_str s, size_t i)
{
    while (i < s.n && is_digit(s.p[i]))
        i++;
    return i;
}

/* Sign, digits with at most one dot, exponent: what both YAML versions call a float. */
static bool looks_float(struct ty_str s)
{
    size_t i = s.n > 0 && (s.p[0] == '-' || s.p[0] == '+');
    size_t whole = skip_digits(s, i) - i, part = 0;
    i += whole;
    if (i < s.n && s.p[i] == '.') {
        part = skip_digits(s, i + 1) - i - 1;
        i += part + 1;
    }
    if (whole + part == 0)
        return false;
    if (i < s.n && (s.p[i] == 'e' || s.p[i] == 'E')) {
        i++;
        i += i < s.n && (s.p[i] == '-' || s.p[i] == '+');
        size_t end = skip_digits(s, i);
        if (end == i)
            return false;
        i = end;
    }
    return i == s.n;
}

/* Removes the prefix of a base from *digits: 0x 0o 0b, or a leading 0 for octal. */
static unsigned base_of(struct ty_str *digits)
{
    if (digits->n < 2 || digits->p[0] != '0')
        return 10;
    char c = (char)(digits->p[1] | 0x20);
    unsigned base = c == 'x' ? 16 : c == 'b' ? 2 : 8;
    size_t cut = c == 'x' || c == 'b' || c == 'o' ? 2 : 1;
    *digits = (struct ty_str){ digits->p + cut, digits->n - cut };
    return base;
}

enum int_form { NOT_INT, INT_FITS, INT_TOO_BIG };

static enum int_form read_magnitude(struct ty_str digits, uint64_t *ret_v)
{
    unsigned base = base_of(&digits);
    enum int_form form = digits.n > 0 ? INT_FITS : NOT_INT;
    uint64_t v = 0;
    for (size_t i = 0; i < digits.n; i++) {
        int d = digit_value(digits.p[i]);
        if ((unsigned)d >= base)
            return NOT_INT;
        if (v > (UINT64_MAX - (unsigned)d) / base)
            form = INT_TOO_BIG;
        v = v * base + (unsigned)d;
    }
    *ret_v = v;
    return form;
}

static bool read_int(struct ty_arena *a, struct ty_str s, struct ty_json *v)
{
    bool sign = s.n > 0 && (s.p[0] == '-' || s.p[0] == '+');
    bool minus = sign && s.p[0] == '-';
    uint64_t u = 0;
    if (read_magnitude((struct ty_str){ s.p + sign, s.n - sign }, &u) != INT_FITS)
        return false;
    if (u <= (uint64_t)INT64_MAX + minus) {
        v->type = TY_JSON_INT;
        v->n = 0;
        v->i = minus ? (int64_t)(0 - u) : (int64_t)u;
        return true;
    }
    if (sign)
        return false;
    v->type = TY_JSON_NUMBER;
    v->s = ty_arena_printf(a, "%llu", (unsigned long long)u);
    v->n = (uint32_t)strlen(v->s);
    return true;
}

static const struct ty_float_layout json_layout = { -6, 21, 1, false };
static const struct ty_float_layout key_layout = { -4, 6, 2, true };

static struct ty_str format_float(struct ty_arena *a, double d, const struct ty_float_layout *l)
{
    ty_auto_buf out = { 0 };

    ty_float_print(&out, d, l);
    return ty_arena_str(a, ty_buf_str(&out));
}

static bool read_float(struct ty_arena *a, struct ty_str s, struct ty_json *v)
{
    double d = strtod(s.p, NULL);
    if (!isfinite(d))
        return false; /* 1e400 stays a string, as in go-yaml */
    struct ty_str text = format_float(a, d, &json_layout);
    int64_t i = 0;
    if (ty_str_parse_i64(text, &i) && !(i == 0 && text.p[0] == '-')) {
        v->type = TY_JSON_INT;
        v->n = 0;
        v->i = i;
        return true;
    }
    v->type = TY_JSON_NUMBER;
    v->s = text.p;
    v->n = (uint32_t)text.n;
    return true;
}

/* go-yaml parses a number that starts with a dot more strictly: underscores only between digits. */
static bool dotted_ok(struct ty_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] == '_' && (!is_digit(s.p[i - 1]) || i + 1 == s.n || !is_digit(s.p[i + 1])))
            return false;
    return true;
}

bool ty_yaml_number_parse(struct ty_arena *a, struct ty_str s, struct ty_json *v)
{
    char buf[MOST_CHARS + 1];
    if (!may_start(s))
        return false;
    struct ty_str plain = strip_underscores(s, buf);
    if (s.p[0] == '.')
        return dotted_ok(s) && looks_float(plain) && read_float(a, plain, v);
    return read_int(a, plain, v) || (looks_float(plain) && read_float(a, plain, v));
}

/* Starts like a date, 2001-1-1. */
static bool looks_date(struct ty_str s)
{
    size_t i = skip_digits(s, 0);
    if (i != 4 || i == s.n || s.p[i] != '-')
        return false;
    size_t month = skip_digits(s, i + 1);
    if (month == i + 1 || month > i + 3 || month == s.n || s.p[month] != '-')
        return false;
    return month + 1 < s.n && is_digit(s.p[month + 1]);
}

/* 190:20:30.5, a number to base 60 in YAML 1.1. */
static bool looks_base60(struct ty_str s)
{
    size_t i = s.n > 0 && (s.p[0] == '-' || s.p[0] == '+');
    size_t first = skip_digits(s, i);
    if (first == i || first == s.n || s.p[first] != ':')
        return false;
    for (i = first; i < s.n && s.p[i] == ':'; i = skip_digits(s, i + 1))
        if (i + 1 == s.n || !is_digit(s.p[i + 1]))
            return false;
    return i == s.n || (s.p[i] == '.' && skip_digits(s, i + 1) == s.n);
}

bool ty_yaml_number_like(struct ty_str s)
{
    char buf[MOST_CHARS + 1];
    uint64_t u = 0;
    if (!may_start(s))
        return false;
    struct ty_str plain = strip_underscores(s, buf);
    size_t sign = plain.n > 0 && (plain.p[0] == '-' || plain.p[0] == '+');
    return looks_float(plain) || looks_date(s) || looks_base60(plain) ||
           read_magnitude((struct ty_str){ plain.p + sign, plain.n - sign }, &u) != NOT_INT;
}

struct ty_str ty_yaml_number_key(struct ty_arena *a, const struct ty_json *v)
{
    struct ty_str text = { v->s, v->n };
    if (skip_digits(text, 0) == text.n)
        return text; /* a uint64 */
    return format_float(a, strtod(ty_arena_strndup(a, v->s, v->n), NULL), &key_layout);
}
