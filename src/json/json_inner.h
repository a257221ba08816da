/* Shared by the files of src/json. */
#ifndef TY_JSON_JSON_INNER_H
#define TY_JSON_JSON_INNER_H

#include "json/json.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Plain: printable ASCII that needs no escape in a JSON string. */
static inline bool ty_json_is_plain(char c)
{
    unsigned char u = (unsigned char)c;
    return u >= 0x20 && u < 0x80 && u != '"' && u != '\\';
}

/* One high bit for every byte of w that is not plain. A borrow may set bits above the first such
 * byte, never below it, so zero means that all eight are plain. */
static inline uint64_t ty_json_odd_bytes(uint64_t w)
{
    const uint64_t ones = 0x0101010101010101u, highs = 0x8080808080808080u;
    uint64_t quote = w ^ (ones * '"'), slash = w ^ (ones * '\\');
    return (w | (w - ones * 0x20) | (quote - ones) | (slash - ones)) & highs;
}

/* The first byte in [p, end) that is not plain, or end. */
static inline const char *ty_json_skip_plain(const char *p, const char *end)
{
    const char *const from = p;
#ifdef __SSE2__
    const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\');
    const __m128i low = _mm_set1_epi8(0x20);
    while (end - p >= 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
        /* Signed: bytes from 0x80 count as less than a space, too. */
        __m128i odd = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, slash)),
                                   _mm_cmplt_epi8(v, low));
        unsigned mask = (unsigned)_mm_movemask_epi8(odd);
        if (mask)
            return p + __builtin_ctz(mask);
        p += 16;
    }
#endif
    while (end - p >= 8) {
        uint64_t w;
        memcpy(&w, p, 8);
        if (ty_json_odd_bytes(w))
            break;
        p += 8;
    }
    if (p > from && p < end && end - p < 8) { /* the last eight: some of them a second time */
        uint64_t w;
        memcpy(&w, end - 8, 8);
        if (!ty_json_odd_bytes(w))
            return end;
    }
    while (p < end && ty_json_is_plain(*p))
        p++;
    return p;
}

/* Bytes of the well-formed UTF-8 character at p (1 to 4), or 0: cut, overlong, surrogate, too big.
 */
size_t ty_json_utf8_len(const char *p, const char *end);

/* Writes the character at p, which is not plain, as Go does; returns the number of bytes read. Each
 * byte that is not UTF-8 becomes U+FFFD. */
size_t ty_json_escape(struct ty_buf *out, const char *p, const char *end);

/* Decodes the escape whose backslash is at *p: writes its character to *to (never more bytes than
 * it reads) and advances both. Returns NULL, or what is wrong; then *p is unchanged. */
const char *ty_json_unescape(const char **p, const char *end, char **to);

/* Scans the number at *p, which is a digit or a minus, and advances *p. *ret_whole: it has neither
 * point nor exponent. Returns NULL, or what was expected at *p. */
const char *ty_json_scan_number(const char **p, const char *end, bool *ret_whole);

/* The members of obj sorted by key, stable: a heap array of n, freed by the caller. */
const struct ty_json_member **ty_json_members_sorted(const struct ty_json_member *members,
                                                     size_t n);

/* The first member whose key occurred before, or NULL. Never quadratic. */
const struct ty_json_member *ty_json_duplicate_member(const struct ty_json_member *members,
                                                      size_t n);

#endif
