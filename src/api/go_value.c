#include "api/go_value.h"

#include <math.h>

#include "base/float.h"

struct code_points {
    uint32_t first, last;
};

/* Characters that Go does not consider printable: controls, spaces other than U+0020, format
 * characters, surrogates, private use, and unassigned ones at the end of the planes. */
static const struct code_points unseen[] = {
    { 0x00, 0x1f },     { 0x7f, 0xa0 },       { 0xad, 0xad },       { 0x600, 0x605 },
    { 0x61c, 0x61c },   { 0x6dd, 0x6dd },     { 0x70f, 0x70f },     { 0x1680, 0x1680 },
    { 0x180e, 0x180e }, { 0x2000, 0x200f },   { 0x2028, 0x202f },   { 0x205f, 0x206f },
    { 0x3000, 0x3000 }, { 0xd800, 0xf8ff },   { 0xfeff, 0xfeff },   { 0xfff0, 0xfffb },
    { 0xfffe, 0xffff }, { 0x1d173, 0x1d17a }, { 0xe0000, 0xe00ff }, { 0xf0000, 0x10ffff },
};

static bool is_printable(uint32_t c)
{
    for (size_t i = 0; i < TY_COUNT(unseen); i++)
        if (c >= unseen[i].first && c <= unseen[i].last)
            return false;
    return true;
}

/* Decodes the character at s; *ret_n is its length, 0 if it is not UTF-8. */
static uint32_t rune_at(struct ty_str s, size_t *ret_n)
{
    const unsigned char *p = (const unsigned char *)s.p;
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    size_t n = p[0] < 0x80   ? 1
               : p[0] < 0xc2 ? 0
               : p[0] < 0xe0 ? 2
               : p[0] < 0xf0 ? 3
               : p[0] < 0xf5 ? 4
                             : 0;
    uint32_t c = n < 2 ? p[0] : p[0] & (0x7fu >> n);

    *ret_n = 0;
    if (n == 0 || n > s.n)
        return 0;
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (p[i] & 0x3fu);
    }
    if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        return 0;
    *ret_n = n;
    return c;
}

static void quote_rune(struct ty_buf *out, uint32_t c)
{
    static const char names[] = "abtnvfr"; /* 7 to 13 */

    if (c >= 7 && c <= 13)
        ty_buf_printf(out, "\\%c", names[c - 7]);
    else if (c < 0x20 || c == 0x7f)
        ty_buf_printf(out, "\\x%02x", c);
    else
        ty_buf_printf(out, c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
}

void ty_go_quote(struct ty_buf *out, struct ty_str s)
{
    ty_buf_chr(out, '"');
    while (s.n > 0) {
        size_t n;
        uint32_t c = rune_at(s, &n);
        if (n == 0) {
            ty_buf_printf(out, "\\x%02x", (unsigned)(unsigned char)s.p[0]);
            n = 1;
        } else if (c == '"' || c == '\\') {
            ty_buf_printf(out, "\\%c", (char)c);
        } else if (is_printable(c)) {
            ty_buf_put(out, s.p, n);
        } else {
            quote_rune(out, c);
        }
        s.p += n;
        s.n -= n;
    }
    ty_buf_chr(out, '"');
}

/* %v of a float64: with an exponent from 1e+06 up. */
static void put_float(struct ty_buf *out, double d)
{
    if (isfinite(d))
        ty_float_print(out, d, &(const struct ty_float_layout){ -4, 6, 2, false });
    else
        ty_buf_cstr(out, isnan(d) ? "NaN" : d > 0 ? "+Inf" : "-Inf");
}

double ty_go_number(const struct ty_json *v)
{
    char text[512];

    if (ty_json_is(v, TY_JSON_INT))
        return (double)v->i;
    if (!ty_json_is(v, TY_JSON_NUMBER))
        return 0;
    /* Digits beyond this do not change a double. */
    size_t n = v->n < sizeof(text) ? v->n : sizeof(text) - 1;
    memcpy(text, v->s, n);
    text[n] = '\0';
    return strtod(text, NULL);
}

bool ty_go_integer(const struct ty_json *v, int64_t *ret_v)
{
    static const double safest = 9007199254740991.0; /* 2^53 - 1: JSON's safe integers */

    if (ty_json_is(v, TY_JSON_INT)) {
        *ret_v = v->i;
        return true;
    }
    if (!ty_json_is(v, TY_JSON_NUMBER))
        return false;
    double d = ty_go_number(v);
    if (!(fabs(d) <= safest) || (double)(int64_t)d != d)
        return false;
    *ret_v = (int64_t)d;
    return true;
}

/* json.Marshal of a value made of maps: sorted keys, HTML characters escaped. */
static const char *marshal_json(struct ty_arena *a, const struct ty_json *v)
{
    ty_auto_buf text = { 0 }, out = { 0 };

    ty_json_pretty(&text, v, -1, true); /* compact */
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (c == '<' || c == '>' || c == '&')
            ty_buf_printf(&out, "\\u%04x", (unsigned)c);
        else
            ty_buf_chr(&out, c);
    }
    return ty_arena_cstr(a, ty_buf_str(&out));
}

const char *ty_go_value(struct ty_arena *a, const struct ty_json *v)
{
    ty_auto_buf out = { 0 };

    switch (v ? (enum ty_json_type)v->type : TY_JSON_NULL) {
    case TY_JSON_NULL:
        return "null";
    case TY_JSON_BOOL:
        return v->b ? "true" : "false";
    case TY_JSON_INT:
        return ty_arena_printf(a, "%lld", (long long)v->i);
    case TY_JSON_NUMBER:
        put_float(&out, ty_go_number(v));
        break;
    case TY_JSON_STRING:
        ty_go_quote(&out, ty_json_as_str(v));
        break;
    case TY_JSON_ARRAY:
    case TY_JSON_OBJECT:
        return marshal_json(a, v);
    }
    return ty_arena_cstr(a, ty_buf_str(&out));
}
