/* Decodes quoted scalars. libfyaml 0.7.12 only checks them here: it drops an escaped space before a
 * line break, returns a length beyond its text, and miscounts doubled single quotes. */
#include "json/yaml_inner.h"

struct decoder {
    const char *p, *end;
    char *out;
    size_t n, kept; /* bytes written; of these, not to be trimmed at a line break */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static void put_rune(struct decoder *d, uint32_t c)
{
    char *to = d->out + d->n;
    if (c < 0x80) {
        to[0] = (char)c;
        d->n += 1;
    } else if (c < 0x800) {
        to[0] = (char)(0xc0 | c >> 6);
        to[1] = (char)(0x80 | (c & 0x3f));
        d->n += 2;
    } else if (c < 0x10000) {
        to[0] = (char)(0xe0 | c >> 12);
        to[1] = (char)(0x80 | (c >> 6 & 0x3f));
        to[2] = (char)(0x80 | (c & 0x3f));
        d->n += 3;
    } else {
        to[0] = (char)(0xf0 | c >> 18);
        to[1] = (char)(0x80 | (c >> 12 & 0x3f));
        to[2] = (char)(0x80 | (c >> 6 & 0x3f));
        to[3] = (char)(0x80 | (c & 0x3f));
        d->n += 4;
    }
    d->kept = d->n;
}

static bool read_hex(struct decoder *d, int digits, uint32_t *ret_c)
{
    uint32_t c = 0;
    if (d->end - d->p < digits)
        return false;
    for (; digits > 0; digits--, d->p++) {
        char low = (char)(*d->p | 0x20);
        bool ten = *d->p >= '0' && *d->p <= '9';
        if (!ten && (low < 'a' || low > 'f'))
            return false;
        c = c << 4 | (uint32_t)(ten ? *d->p - '0' : low - 'a' + 10);
    }
    *ret_c = c;
    return true;
}

/* A character by its number; surrogate pairs, as JSON writes them, are joined. */
static bool read_numbered(struct decoder *d, int digits)
{
    uint32_t c = 0, low = 0;
    if (!read_hex(d, digits, &c))
        return false;
    if (c >= 0xd800 && c <= 0xdbff && d->end - d->p >= 2 && d->p[0] == '\\' && d->p[1] == 'u') {
        d->p += 2;
        if (!read_hex(d, 4, &low) || low < 0xdc00 || low > 0xdfff)
            return false;
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    }
    if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        return false;
    put_rune(d, c);
    return true;
}

/* Skips one line break and the indentation of the next line. */
static void skip_break(struct decoder *d)
{
    if (d->p < d->end && *d->p == '\r')
        d->p++;
    if (d->p < d->end && *d->p == '\n')
        d->p++;
    while (d->p < d->end && is_blank(*d->p))
        d->p++;
}

static bool at_break(const struct decoder *d)
{
    return d->p < d->end && (*d->p == '\n' || *d->p == '\r');
}

/* One break becomes a space, every further one a line break; an escaped first one becomes nothing.
 */
static void fold_breaks(struct decoder *d, bool escaped)
{
    if (!escaped)
        while (d->n > d->kept && is_blank(d->out[d->n - 1]))
            d->n--;
    skip_break(d);
    bool more = at_break(d);
    if (!escaped && !more)
        d->out[d->n++] = ' ';
    for (; at_break(d); skip_break(d))
        d->out[d->n++] = '\n';
    d->kept = d->n;
}

static bool read_escape(struct decoder *d)
{
    static const char names[] = "0abtnvfre \"/\\NLP_\t";
    static const uint16_t runes[] = { 0,   '\a', '\b', '\t', '\n', '\v',   '\f',   '\r', 0x1b,
                                      ' ', '"',  '/',  '\\', 0x85, 0x2028, 0x2029, 0xa0, '\t' };
    d->p++;
    if (d->p == d->end)
        return false;
    if (at_break(d)) {
        fold_breaks(d, true);
        return true;
    }
    char c = *d->p++;
    if (c == 'x' || c == 'u' || c == 'U')
        return read_numbered(d, c == 'x' ? 2 : c == 'u' ? 4 : 8);
    const char *at = c ? strchr(names, c) : NULL;
    if (at)
        put_rune(d, runes[at - names]);
    return at != NULL;
}

static void put_char(struct decoder *d)
{
    d->out[d->n++] = *d->p;
    if (!is_blank(*d->p))
        d->kept = d->n;
    d->p++;
}

bool ty_yaml_unquote(struct ty_arena *a, struct ty_str raw, char quote, struct ty_str *ret_text)
{
    char special = quote == '"' ? '\\' : '\'';
    if (!memchr(raw.p, special, raw.n) && !memchr(raw.p, '\n', raw.n) &&
        !memchr(raw.p, '\r', raw.n)) {
        *ret_text = raw;
        return true;
    }
    /* Decoding never adds bytes, except for \L and \P, which turn two bytes into three. */
    struct decoder d = { .p = raw.p, .end = raw.p + raw.n };
    d.out = ty_arena_raw(a, raw.n + raw.n / 2 + 4, 1);
    while (d.p < d.end) {
        if (at_break(&d)) {
            fold_breaks(&d, false);
        } else if (*d.p != special) {
            put_char(&d);
        } else if (quote == '"') {
            if (!read_escape(&d))
                return false;
        } else {
            d.p++; /* skip the second of two quotes */
            if (d.p == d.end || *d.p != '\'')
                return false;
            put_char(&d);
        }
    }
    *ret_text = (struct ty_str){ d.out, d.n };
    return true;
}
