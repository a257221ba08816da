#include "base/str.h"

int ty_str_cmp(struct ty_str a, struct ty_str b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int c = n > 0 ? memcmp(a.p, b.p, n) : 0;
    return c ? c : (a.n > b.n) - (a.n < b.n);
}

bool ty_str_starts(struct ty_str s, struct ty_str prefix)
{
    return s.n >= prefix.n && (prefix.n == 0 || memcmp(s.p, prefix.p, prefix.n) == 0);
}

bool ty_str_ends(struct ty_str s, struct ty_str suffix)
{
    return s.n >= suffix.n &&
           (suffix.n == 0 || memcmp(s.p + (s.n - suffix.n), suffix.p, suffix.n) == 0);
}

bool ty_str_contains(struct ty_str s, struct ty_str part)
{
    return part.n == 0 || (s.n >= part.n && memmem(s.p, s.n, part.p, part.n));
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

struct ty_str ty_str_trim(struct ty_str s)
{
    while (s.n > 0 && is_space(s.p[0]))
        s = (struct ty_str){ s.p + 1, s.n - 1 };
    while (s.n > 0 && is_space(s.p[s.n - 1]))
        s.n--;
    return s;
}

struct ty_str ty_str_head(struct ty_str s, size_t most)
{
    if (s.n <= most)
        return s;
    s.n = most;
    while (s.n > 0 && ((unsigned char)s.p[s.n] & 0xc0) == 0x80)
        s.n--;
    return s;
}

struct ty_str ty_str_cut(struct ty_str s, char c, struct ty_str *ret_head)
{
    const char *at = s.n > 0 ? memchr(s.p, c, s.n) : NULL;
    if (!at) {
        *ret_head = s;
        return (struct ty_str){ NULL, 0 };
    }
    size_t before = (size_t)(at - s.p);
    *ret_head = (struct ty_str){ s.p, before };
    return (struct ty_str){ at + 1, s.n - before - 1 };
}

bool ty_str_parse_u64(struct ty_str s, uint64_t *ret_v)
{
    uint64_t v = 0;
    if (s.n == 0)
        return false;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
        if (__builtin_mul_overflow(v, 10u, &v) ||
            __builtin_add_overflow(v, (uint64_t)(s.p[i] - '0'), &v))
            return false;
    }
    *ret_v = v;
    return true;
}

bool ty_str_parse_i64(struct ty_str s, int64_t *ret_v)
{
    bool minus = s.n > 0 && s.p[0] == '-';
    uint64_t v;
    if (!ty_str_parse_u64(minus ? (struct ty_str){ s.p + 1, s.n - 1 } : s, &v))
        return false;
    if (v > (uint64_t)INT64_MAX + minus)
        return false;
    *ret_v = minus ? (int64_t)(0 - v) : (int64_t)v;
    return true;
}

#define LONGEST_NAME 64u /* longer words are never corrected */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static unsigned min_of(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, replacements and swaps of adjacent letters that turn a into b; case is
 * ignored (Damerau-Levenshtein). Three rows of the table are enough: a swap refers two rows back.
 */
static unsigned edit_distance(struct ty_str a, struct ty_str b)
{
    unsigned rows[3][LONGEST_NAME + 1];
    for (unsigned j = 0; j <= b.n; j++)
        rows[0][j] = j;
    for (unsigned i = 1; i <= a.n; i++) {
        unsigned *row = rows[i % 3], *up = rows[(i - 1) % 3], *up2 = rows[(i + 1) % 3];
        row[0] = i;
        for (unsigned j = 1; j <= b.n; j++) {
            char ca = lower(a.p[i - 1]), cb = lower(b.p[j - 1]);
            row[j] = min_of(min_of(row[j - 1], up[j]) + 1, up[j - 1] + (ca != cb));
            if (i > 1 && j > 1 && ca == lower(b.p[j - 2]) && cb == lower(a.p[i - 2]))
                row[j] = min_of(row[j], up2[j - 2] + 1);
        }
    }
    return rows[a.n % 3][b.n];
}

const char *ty_str_nearest(struct ty_str typed, const char *const *names, size_t n)
{
    const char *best = NULL;
    if (typed.n == 0 || typed.n > LONGEST_NAME)
        return NULL;
    /* At most one mistake in three letters, and four in all; beyond that it is another word. */
    unsigned limit = min_of((unsigned)(typed.n + 2) / 3, 4) + 1;
    for (size_t i = 0; i < n; i++) {
        struct ty_str name = ty_str(names[i]);
        size_t apart = name.n > typed.n ? name.n - typed.n : typed.n - name.n;
        if (name.n == 0 || name.n > LONGEST_NAME || apart >= limit)
            continue; /* the lengths alone differ too much */
        if (ty_str_eq(name, typed))
            return names[i];
        unsigned d = edit_distance(typed, name);
        if (d < limit && d < name.n && d < typed.n) {
            limit = d;
            best = names[i];
        }
    }
    return best;
}
