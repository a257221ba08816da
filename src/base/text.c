/* The tables are the ranges of Unicode 15 on which terminals agree. */
#include "base/text.h"

#include "base/arena.h"

struct code_range {
    uint32_t from, to;
};

/* East Asian Wide and Fullwidth, and emoji that are shown as such by default. */
static const struct code_range wide[] = {
    { 0x1100, 0x115f },   { 0x231a, 0x231b },   { 0x2329, 0x232a },   { 0x23e9, 0x23ec },
    { 0x23f0, 0x23f0 },   { 0x23f3, 0x23f3 },   { 0x25fd, 0x25fe },   { 0x2614, 0x2615 },
    { 0x2648, 0x2653 },   { 0x267f, 0x267f },   { 0x2693, 0x2693 },   { 0x26a1, 0x26a1 },
    { 0x26aa, 0x26ab },   { 0x26bd, 0x26be },   { 0x26c4, 0x26c5 },   { 0x26ce, 0x26ce },
    { 0x26d4, 0x26d4 },   { 0x26ea, 0x26ea },   { 0x26f2, 0x26f3 },   { 0x26f5, 0x26f5 },
    { 0x26fa, 0x26fa },   { 0x26fd, 0x26fd },   { 0x2705, 0x2705 },   { 0x270a, 0x270b },
    { 0x2728, 0x2728 },   { 0x274c, 0x274c },   { 0x274e, 0x274e },   { 0x2753, 0x2755 },
    { 0x2757, 0x2757 },   { 0x2795, 0x2797 },   { 0x27b0, 0x27b0 },   { 0x27bf, 0x27bf },
    { 0x2b1b, 0x2b1c },   { 0x2b50, 0x2b50 },   { 0x2b55, 0x2b55 },   { 0x2e80, 0x303e },
    { 0x3041, 0x4dbf },   { 0x4e00, 0xa4cf },   { 0xa960, 0xa97f },   { 0xac00, 0xd7a3 },
    { 0xf900, 0xfaff },   { 0xfe10, 0xfe19 },   { 0xfe30, 0xfe6f },   { 0xff00, 0xff60 },
    { 0xffe0, 0xffe6 },   { 0x16fe0, 0x18cff }, { 0x1b000, 0x1b2ff }, { 0x1f004, 0x1f004 },
    { 0x1f0cf, 0x1f0cf }, { 0x1f18e, 0x1f18e }, { 0x1f191, 0x1f19a }, { 0x1f200, 0x1f320 },
    { 0x1f32d, 0x1f335 }, { 0x1f337, 0x1f37c }, { 0x1f37e, 0x1f393 }, { 0x1f3a0, 0x1f3ca },
    { 0x1f3cf, 0x1f3d3 }, { 0x1f3e0, 0x1f3f0 }, { 0x1f3f4, 0x1f3f4 }, { 0x1f3f8, 0x1f43e },
    { 0x1f440, 0x1f440 }, { 0x1f442, 0x1f4fc }, { 0x1f4ff, 0x1f53d }, { 0x1f54b, 0x1f54e },
    { 0x1f550, 0x1f567 }, { 0x1f57a, 0x1f57a }, { 0x1f595, 0x1f596 }, { 0x1f5a4, 0x1f5a4 },
    { 0x1f5fb, 0x1f64f }, { 0x1f680, 0x1f6c5 }, { 0x1f6cc, 0x1f6cc }, { 0x1f6d0, 0x1f6d2 },
    { 0x1f6d5, 0x1f6df }, { 0x1f6eb, 0x1f6ff }, { 0x1f7e0, 0x1f7f0 }, { 0x1f90c, 0x1f93a },
    { 0x1f93c, 0x1f945 }, { 0x1f947, 0x1f9ff }, { 0x1fa70, 0x1faff }, { 0x20000, 0x3fffd },
};
/* Combining characters, which take no column of their own. */
static const struct code_range combining[] = {
    { 0x0300, 0x036f }, { 0x0483, 0x0489 }, { 0x0591, 0x05bd }, { 0x0610, 0x061a },
    { 0x064b, 0x065f }, { 0x0816, 0x0819 }, { 0x08e3, 0x0902 }, { 0x093a, 0x093a },
    { 0x093c, 0x093c }, { 0x0941, 0x0948 }, { 0x094d, 0x094d }, { 0x0e31, 0x0e31 },
    { 0x0e34, 0x0e3a }, { 0x0e47, 0x0e4e }, { 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff },
    { 0x20d0, 0x20ff }, { 0x302a, 0x302d }, { 0x3099, 0x309a }, { 0xfe20, 0xfe2f },
};
/* C1 controls, soft hyphen, bidirectional marks, joiners, line separators, variation selectors,
 * tags. */
static const struct code_range unwanted[] = {
    { 0x0080, 0x009f }, { 0x00ad, 0x00ad },   { 0x061c, 0x061c }, { 0x200b, 0x200f },
    { 0x2028, 0x202e }, { 0x2060, 0x206f },   { 0xfe00, 0xfe0f }, { 0xfeff, 0xfeff },
    { 0xfff9, 0xfffb }, { 0xe0000, 0xe0fff },
};

#define IN(table, c) in_ranges(table, TY_COUNT(table), c)
static bool in_ranges(const struct code_range *r, size_t n, uint32_t c)
{
    size_t lo = 0, hi = n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (c > r[mid].to)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < n && c >= r[lo].from;
}

/* Decodes the character at s.p; *ret_n is its length, or 0 if it is not valid UTF-8. s is not
 * empty. */
static uint32_t decode_utf8(struct ty_str s, size_t *ret_n)
{
    const unsigned char *p = (const unsigned char *)s.p;
    size_t n = p[0] < 0x80 ? 1 : p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : p[0] >= 0xc2 ? 2 : 0;
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    uint32_t c = n == 1 ? p[0] : n ? p[0] & (0xffu >> (n + 1)) : 0;

    *ret_n = 0;
    if (n == 0 || n > s.n || p[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (p[i] & 0x3f);
    }
    if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        return 0;
    *ret_n = n;
    return c;
}

/* Length of the escape sequence at s.p; an unterminated sequence extends to the end. */
static size_t escape_len(struct ty_str s)
{
    size_t i = 2;

    if (s.n < 2)
        return s.n;
    if (s.p[1] == '[') { /* CSI: up to a final byte */
        while (i < s.n && !(s.p[i] >= 0x40 && s.p[i] <= 0x7e))
            i++;
        return i < s.n ? i + 1 : s.n;
    }
    if (strchr("]PX^_", s.p[1])) { /* strings: up to BEL or ESC \ */
        while (i < s.n && s.p[i] != '\a' && s.p[i] != '\033')
            i++;
        if (i < s.n && s.p[i] == '\033')
            i++;
        return i < s.n ? i + 1 : s.n;
    }
    for (i = 1; i < s.n && s.p[i] >= 0x20 && s.p[i] <= 0x2f;)
        i++;
    return i < s.n ? i + 1 : s.n;
}

size_t ty_text_clean(struct ty_str text, char *ret, size_t cap)
{
    size_t out = 0;

    for (size_t i = 0; i < text.n;) {
        struct ty_str rest = { text.p + i, text.n - i };
        const char *from = rest.p;
        size_t n = 0;
        uint32_t c = decode_utf8(rest, &n);
        if (c == '\033') {
            i += escape_len(rest);
            continue;
        }
        i += n ? n : 1;
        if (n == 0 || c == '\t') {
            from = n ? " " : "?";
            n = 1;
        } else if (c < 0x20 || c == 0x7f || (c >= 0x80 && IN(unwanted, c))) {
            continue;
        }
        if (out + n > cap)
            break;
        memcpy(ret + out, from, n);
        out += n;
    }
    return out;
}

/* Length of the sequence at s.p if it only sets colors and the like (SGR: digits, then m), else 0.
 */
static size_t color_len(struct ty_str s)
{
    size_t i = 2;

    if (s.n < 3 || s.p[0] != '\033' || s.p[1] != '[')
        return 0;
    while (i < s.n && ((s.p[i] >= '0' && s.p[i] <= '9') || s.p[i] == ';' || s.p[i] == ':'))
        i++;
    return i < s.n && s.p[i] == 'm' ? i + 1 : 0;
}

size_t ty_text_clean_color(struct ty_str text, char *ret, bool *ret_colors)
{
    size_t out = 0, from = 0;

    for (size_t i = 0; i <= text.n;) {
        struct ty_str rest = { text.p + i, text.n - i };
        size_t keep = !rest.n ? 0 : rest.p[0] == '\t' ? 1 : color_len(rest);
        if (rest.n && !keep) {
            i += rest.p[0] == '\033' ? escape_len(rest) : 1;
            continue;
        }
        out += ty_text_clean((struct ty_str){ text.p + from, i - from }, ret + out, i - from);
        if (keep)
            memcpy(ret + out, rest.p, keep);
        *ret_colors |= keep > 1;
        out += keep;
        i += keep ? keep : 1;
        from = i;
    }
    return out;
}

size_t ty_text_clean_keep(struct ty_str text, const char *keep, char *ret)
{
    size_t out = 0;

    for (size_t i = 0, from = 0; i <= text.n; i++) {
        if (i < text.n && (!text.p[i] || !strchr(keep, text.p[i])))
            continue;
        out += ty_text_clean((struct ty_str){ text.p + from, i - from }, ret + out, i - from);
        if (i < text.n)
            ret[out++] = text.p[i];
        from = i + 1;
    }
    return out;
}

size_t ty_text_valid(struct ty_str text, char *ret)
{
    for (size_t i = 0; i < text.n;) {
        size_t n = 0;
        decode_utf8((struct ty_str){ text.p + i, text.n - i }, &n);
        if (n)
            memcpy(ret + i, text.p + i, n);
        else
            ret[i] = '?';
        i += n ? n : 1;
    }
    return text.n;
}

static int columns_of(uint32_t c)
{
    if (c < 0x300)
        return 1;
    return IN(combining, c) ? 0 : IN(wide, c) ? 2 : 1;
}

struct ty_str ty_text_cut(struct ty_str text, int columns)
{
    int width = 0;
    size_t i = 0;

    while (i < text.n) {
        size_t n = 0;
        uint32_t c = decode_utf8((struct ty_str){ text.p + i, text.n - i }, &n);
        width += columns_of(c);
        if (width > columns)
            break;
        i += n ? n : 1;
    }
    return (struct ty_str){ text.p, i };
}

int ty_text_width(struct ty_str text)
{
    int width = 0;

    for (size_t i = 0; i < text.n;) {
        size_t n = 0;
        width += columns_of(decode_utf8((struct ty_str){ text.p + i, text.n - i }, &n));
        i += n ? n : 1;
    }
    return width;
}
