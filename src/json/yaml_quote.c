/* Chooses how a string is written: plain if every YAML 1.1 and 1.2 parser reads the same string
 * back, else as go-yaml chooses: "double" for words such as yes and 1.0 and for escapes, 'single'
 * if only punctuation is the problem, a | block for several lines. */
#include "json/json_inner.h"
#include "json/yaml_inner.h"

/* The properties of a string that decide its form. */
struct traits {
    bool escape;  /* a character that needs double quotes */
    bool tab, nl; /* allowed in blocks only */
    bool text;    /* anything but line breaks */
};

/* Characters that are invisible, or line breaks for some parsers. p is well-formed, n bytes. */
static bool is_odd(const char *p, size_t n)
{
    unsigned char c = (unsigned char)*p;
    if (n == 1)
        return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
    if (n == 2)
        return c == 0xc2 && (unsigned char)p[1] < 0xa0; /* U+0080 to U+009F, NEL among them */
    return n == 3 && (memcmp(p, "\xe2\x80\xa8", 3) == 0 || memcmp(p, "\xe2\x80\xa9", 3) == 0 ||
                      memcmp(p, "\xef\xbb\xbf", 3) == 0 || memcmp(p, "\xef\xbf\xbe", 3) == 0 ||
                      memcmp(p, "\xef\xbf\xbf", 3) == 0);
}

static struct traits scan_traits(struct ty_str s)
{
    struct traits t = { 0 };
    size_t n = 1;
    for (const char *p = s.p, *end = s.p + s.n; p < end; p += n ? n : 1) {
        if (*p >= 0x20 && *p < 0x7f) { /* the common case */
            t.text = true;
            n = 1;
            continue;
        }
        n = ty_json_utf8_len(p, end);
        t.escape = t.escape || n == 0 || is_odd(p, n);
        t.nl = t.nl || *p == '\n';
        t.tab = t.tab || *p == '\t';
        t.text = t.text || *p != '\n';
    }
    return t;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Leading blank lines would hide the indentation, trailing blanks the chomping. */
static bool fits_block(struct ty_str s, const struct traits *t)
{
    size_t i = 0, end = s.n;
    if (t->escape || !t->text)
        return false;
    while (i < s.n && s.p[i] == '\n')
        i++;
    while (end > 0 && s.p[end - 1] == '\n')
        end--;
    return !is_blank(s.p[i]) && !is_blank(s.p[end - 1]);
}

/* Valid as a plain scalar outside brackets; words and numbers are checked elsewhere. */
static bool fits_plain(struct ty_str s)
{
    if (strchr("-?:,[]{}#&*!|>'\"%@` ", s.p[0]) && (s.p[0] != '-' || s.n == 1 || s.p[1] == ' '))
        return false;
    if (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == ':')
        return false;
    if (ty_str_starts(s, TY_LIT("---")) || ty_str_starts(s, TY_LIT("...")))
        return false;
    for (size_t i = 1; i < s.n; i++)
        if ((s.p[i] == ' ' && s.p[i - 1] == ':') || (s.p[i] == '#' && s.p[i - 1] == ' '))
            return false;
    return true;
}

enum ty_yaml_quoting ty_yaml_quote_choose(struct ty_str s, bool one_line)
{
    if (s.n == 0)
        return TY_YAML_DOUBLE;
    struct traits t = scan_traits(s);
    if (t.nl && !one_line && fits_block(s, &t))
        return TY_YAML_BLOCK;
    if (t.escape || t.nl || t.tab || ty_yaml_scalar_is_word(s))
        return TY_YAML_DOUBLE;
    return fits_plain(s) ? TY_YAML_PLAIN : TY_YAML_SINGLE;
}

static void put_escape(struct ty_buf *out, const char *p, size_t n)
{
    const char *shorts = "\"\"\\\\\nn\tt\rr\bb\ff";
    const unsigned char *u = (const unsigned char *)p;
    for (; n == 1 && *shorts; shorts += 2) {
        if (*shorts == *p) {
            ty_buf_put(out, (char[]){ '\\', shorts[1] }, 2);
            return;
        }
    }
    unsigned c = n == 1   ? u[0]
                 : n == 2 ? (u[0] & 0x1fu) << 6 | (u[1] & 0x3fu)
                 : n == 3 ? (u[0] & 0x0fu) << 12 | (u[1] & 0x3fu) << 6 | (u[2] & 0x3fu)
                          : 0xfffd; /* not UTF-8: show a replacement character */
    ty_buf_printf(out, "\\u%04x", c);
}

static void put_double(struct ty_buf *out, struct ty_str s)
{
    size_t n = 1;
    ty_buf_chr(out, '"');
    for (const char *p = s.p, *end = s.p + s.n; p < end; p += n ? n : 1) {
        n = ty_json_utf8_len(p, end);
        if (n == 0 || *p == '"' || *p == '\\' || *p == '\n' || *p == '\t' || is_odd(p, n))
            put_escape(out, p, n);
        else
            ty_buf_put(out, p, n);
    }
    ty_buf_chr(out, '"');
}

static void put_single(struct ty_buf *out, struct ty_str s)
{
    ty_buf_chr(out, '\'');
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '\'')
            ty_buf_chr(out, '\'');
        ty_buf_chr(out, s.p[i]);
    }
    ty_buf_chr(out, '\'');
}

void ty_yaml_quote_put(struct ty_buf *out, struct ty_str s, enum ty_yaml_quoting how)
{
    switch (how) {
    case TY_YAML_PLAIN:
        ty_buf_add(out, s);
        break;
    case TY_YAML_SINGLE:
        put_single(out, s);
        break;
    case TY_YAML_DOUBLE:
    case TY_YAML_BLOCK: /* has a header and lines of its own */
        put_double(out, s);
        break;
    }
}

void ty_yaml_quote_header(struct ty_buf *out, struct ty_str s)
{
    ty_buf_chr(out, '|');
    if (s.p[0] == '\n')
        ty_buf_chr(out, '2'); /* parsers take the indentation from the first line that has text */
    if (s.p[s.n - 1] != '\n')
        ty_buf_chr(out, '-');
    else if (s.n > 1 && s.p[s.n - 2] == '\n')
        ty_buf_chr(out, '+');
}

void ty_yaml_quote_block(struct ty_buf *out, struct ty_str s, size_t indent)
{
    for (size_t i = 0; i < s.n;) {
        const char *nl = memchr(s.p + i, '\n', s.n - i);
        size_t n = nl ? (size_t)(nl - s.p) - i : s.n - i;
        if (n > 0)
            ty_buf_printf(out, "%*s", (int)indent, "");
        ty_buf_put(out, s.p + i, n);
        ty_buf_chr(out, '\n');
        i += n + 1;
    }
}
