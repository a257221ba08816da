/* The lexical parts of JSON: UTF-8, escaping and unescaping, numbers. */
#include "json/json_inner.h"

size_t ty_json_utf8_len(const char *p, const char *end)
{
    const unsigned char *u = (const unsigned char *)p;
    size_t left = (size_t)(end - p);
    if (left == 0)
        return 0;
    if (u[0] < 0x80)
        return 1;
    size_t n = u[0] >= 0xf0 ? 4 : u[0] >= 0xe0 ? 3 : 2;
    if (u[0] < 0xc2 || u[0] > 0xf4 || left < n)
        return 0;
    /* The second byte rules out overlong forms, surrogates and what is above U+10FFFF. */
    unsigned char from = u[0] == 0xe0 ? 0xa0 : u[0] == 0xf0 ? 0x90 : 0x80;
    unsigned char to = u[0] == 0xed ? 0x9f : u[0] == 0xf4 ? 0x8f : 0xbf;
    if (u[1] < from || u[1] > to)
        return 0;
    for (size_t i = 2; i < n; i++)
        if ((u[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

static size_t put_utf8(char *to, uint32_t c)
{
    static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
    if (c < 0x80) {
        to[0] = (char)c;
        return 1;
    }
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--) {
        to[i] = (char)(0x80 | (c & 0x3f));
        c >>= 6;
    }
    to[0] = (char)(lead[n] | c);
    return n;
}

/* Short escapes: the letter after the backslash, then the character it means. */
static const char shorts[] = "\"\"\\\\n\nr\rt\tb\bf\f";

size_t ty_json_escape(struct ty_buf *out, const char *p, const char *end)
{
    static const char hex[] = "0123456789abcdef";
    unsigned char c = (unsigned char)*p;
    if (c < 0x80) {
        for (const char *s = shorts; *s; s += 2) {
            if (s[1] == *p) {
                ty_buf_put(out, (char[]){ '\\', s[0] }, 2);
                return 1;
            }
        }
        ty_buf_put(out, (char[]){ '\\', 'u', '0', '0', hex[c >> 4], hex[c & 15] }, 6);
        return 1;
    }
    size_t n = ty_json_utf8_len(p, end);
    if (n == 0) {
        ty_buf_put(out, "\\ufffd", 6);
        return 1;
    }
    if (n == 3 && memcmp(p, "\u2028", 3) == 0)
        ty_buf_put(out, "\\u2028", 6);
    else if (n == 3 && memcmp(p, "\u2029", 3) == 0)
        ty_buf_put(out, "\\u2029", 6);
    else
        ty_buf_put(out, p, n);
    return n;
}

/* The four digits of \uXXXX at p, or -1. */
static int hex4(const char *p, const char *end)
{
    int v = 0;
    if (end - p < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        int c = (unsigned char)p[i], letter = c | 0x20, digit;
        if (c >= '0' && c <= '9')
            digit = c - '0';
        else if (letter >= 'a' && letter <= 'f')
            digit = letter - 'a' + 10;
        else
            return -1;
        v = v * 16 + digit;
    }
    return v;
}

/* \uXXXX, or a pair of them: the two halves of a character above U+FFFF. */
static const char *unescape_unicode(const char **p, const char *end, char **to)
{
    int high = hex4(*p + 2, end), low = -1;
    if (high < 0)
        return "\\u needs four hexadecimal digits";
    if (high < 0xd800 || high > 0xdfff) {
        *to += put_utf8(*to, (uint32_t)high);
        *p += 6;
        return NULL;
    }
    if (end - *p >= 12 && (*p)[6] == '\\' && (*p)[7] == 'u')
        low = hex4(*p + 8, end);
    if (high > 0xdbff || low < 0xdc00 || low > 0xdfff)
        return "half of a surrogate pair";
    *to += put_utf8(*to, 0x10000 + (((uint32_t)high - 0xd800) << 10) + ((uint32_t)low - 0xdc00));
    *p += 12;
    return NULL;
}

const char *ty_json_unescape(const char **p, const char *end, char **to)
{
    char c = end - *p >= 2 ? (*p)[1] : '\0';
    if (c == 'u')
        return unescape_unicode(p, end, to);
    const char *s = shorts;
    while (*s && *s != c)
        s += 2;
    if (!*s && c != '/')
        return "no such escape: after \\ comes one of \" \\ / b f n r t u";
    *(*to)++ = c == '/' ? '/' : s[1];
    *p += 2;
    return NULL;
}

static const char *skip_digits(const char *p, const char *end)
{
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    return p;
}

const char *ty_json_scan_number(const char **p, const char *end, bool *ret_whole)
{
    const char *from = *p += **p == '-';
    *p = skip_digits(from, end);
    if (*p == from)
        return "a digit";
    if (*from == '0' && *p - from > 1) {
        *p = from + 1;
        return "no digit after a leading zero";
    }
    *ret_whole = true;
    if (*p < end && **p == '.') {
        *ret_whole = false;
        from = ++*p;
        *p = skip_digits(from, end);
        if (*p == from)
            return "a digit after the decimal point";
    }
    if (*p < end && (**p == 'e' || **p == 'E')) {
        *ret_whole = false;
        from = ++*p;
        if (from < end && (*from == '+' || *from == '-'))
            from++;
        *p = skip_digits(from, end);
        if (*p == from)
            return "a digit of the exponent";
    }
    return NULL;
}
