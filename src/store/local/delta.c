/* A delta is a sequence of steps: a count of new bytes, the bytes, a count of bytes to copy from
 * the base, their offset. Numbers have seven bits in each byte, the lowest first. Matches are found
 * through a table of every eighth offset in the base. */
#include "store/local/delta.h"

enum { GRAM = 8, SLOTS = 2048, SHORTEST = 12 }; /* a copy costs up to five bytes itself */

static void put_number(struct ty_buf *b, size_t v)
{
    for (; v >= 128; v >>= 7)
        ty_buf_chr(b, (char)(128 | (v & 127)));
    ty_buf_chr(b, (char)v);
}

static bool get_number(struct ty_str *in, size_t *ret)
{
    size_t v = 0;

    for (unsigned shift = 0; in->n && shift < 56; shift += 7) {
        unsigned char c = (unsigned char)*in->p;
        in->p++;
        in->n--;
        v |= (size_t)(c & 127) << shift;
        if (c < 128) {
            *ret = v;
            return true;
        }
    }
    return false;
}

static size_t slot_at(const char *p)
{
    uint64_t gram;

    memcpy(&gram, p, GRAM);
    return (size_t)((gram * 0x9e3779b97f4a7c15u) >> 53); /* 11 bits: SLOTS */
}

struct match {
    size_t from, at, n; /* in the base, in the text, bytes */
};

/* The longest match around offsets where both have the same eight bytes; `least`: bytes before it
 * are written already. */
static struct match widen_match(struct ty_str base, struct ty_str text, size_t from, size_t at,
                                size_t least)
{
    struct match m = { from, at, 0 };

    while (m.from > 0 && m.at > least && base.p[m.from - 1] == text.p[m.at - 1]) {
        m.from--;
        m.at--;
    }
    while (m.from + m.n < base.n && m.at + m.n < text.n &&
           base.p[m.from + m.n] == text.p[m.at + m.n])
        m.n++;
    return m;
}

void ty_delta_encode(struct ty_str base, struct ty_str text, struct ty_buf *ret)
{
    uint32_t table[SLOTS] = { 0 }; /* offset in the base + 1 */
    size_t done = 0, at = 0;

    for (size_t i = 0; i + GRAM <= base.n && i < UINT32_MAX; i += GRAM)
        table[slot_at(base.p + i)] = (uint32_t)i + 1;
    while (at + GRAM <= text.n) {
        uint32_t place = table[slot_at(text.p + at)];
        struct match m = { 0 };
        if (place)
            m = widen_match(base, text, place - 1, at, done);
        if (m.n < SHORTEST) {
            at++;
            continue;
        }
        put_number(ret, m.at - done);
        ty_buf_put(ret, text.p + done, m.at - done);
        put_number(ret, m.n);
        put_number(ret, m.from);
        done = at = m.at + m.n;
    }
    put_number(ret, text.n - done);
    ty_buf_put(ret, text.p + done, text.n - done);
}

bool ty_delta_decode(struct ty_str base, struct ty_str delta, struct ty_buf *ret)
{
    size_t n, from;

    while (delta.n) {
        if (!get_number(&delta, &n) || n > delta.n)
            return false;
        ty_buf_put(ret, delta.p, n);
        delta.p += n;
        delta.n -= n;
        if (!delta.n)
            return true;
        if (!get_number(&delta, &n) || !get_number(&delta, &from) || from > base.n ||
            n > base.n - from)
            return false;
        ty_buf_put(ret, base.p + from, n);
    }
    return true;
}
