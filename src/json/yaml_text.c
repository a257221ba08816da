/* The first step of parsing YAML: checks the encoding, and splits the stream into documents. */
#include "json/json_inner.h"
#include "json/yaml_inner.h"

#include <errno.h>

/* Length of the line break at p, or 0. CR, LF and CRLF, as in YAML 1.2. */
static size_t break_len(const char *p, const char *end)
{
    if (p == end || (*p != '\n' && *p != '\r'))
        return 0;
    return *p == '\r' && end - p > 1 && p[1] == '\n' ? 2 : 1;
}

static struct ty_yaml_mark place_of(struct ty_str text, const char *at)
{
    struct ty_yaml_mark place = { 1, 1 };
    const char *end = text.p + text.n;
    for (const char *p = text.p; p < at;) {
        size_t brk = break_len(p, end);
        size_t n = brk ? brk : ty_json_utf8_len(p, end);
        p += n ? n : 1;
        place.col++;
        if (brk)
            place = (struct ty_yaml_mark){ place.line + 1, 1 };
    }
    return place;
}

static uint32_t decode_utf8(const char *p, size_t n)
{
    const unsigned char *u = (const unsigned char *)p;
    uint32_t c = n == 1 ? u[0] : (uint32_t)(u[0] & (0xff >> (n + 1)));
    for (size_t i = 1; i < n; i++)
        c = c << 6 | (u[i] & 0x3f);
    return c;
}

static bool is_control(uint32_t c)
{
    if (c < 0x20)
        return c != '\t' && c != '\n' && c != '\r';
    return (c >= 0x7f && c <= 0x9f && c != 0x85) || c == 0xfffe || c == 0xffff;
}

static int refuse_char(const char *name, struct ty_str text, const char *at, size_t n,
                       struct ty_err *err)
{
    struct ty_yaml_mark place = place_of(text, at);
    if (n == 0)
        return TY_YAML_FAIL(err, name, place, "byte 0x%02x is not UTF-8 text", (unsigned char)*at);
    uint32_t c = decode_utf8(at, n);
    if (c == 0)
        return TY_YAML_FAIL(err, name, place, "a %s; is this a text file?", "NUL byte");
    return TY_YAML_FAIL(
        err, name, place,
        "the control character U+%04X must be written as an escape in double quotes", (unsigned)c);
}

int ty_yaml_text_check(const char *name, struct ty_str text, struct ty_err *err)
{
    const char *p = text.p, *end = text.p + text.n;
    if (text.n >= 2 && (memcmp(p, "\xff\xfe", 2) == 0 || memcmp(p, "\xfe\xff", 2) == 0))
        return ty_fail(err, -EINVAL, "%s:1:1: the text is UTF-16; save it as UTF-8", name);
    while (p < end) {
        if (*p >= 0x20 && *p < 0x7f) {
            p++;
            continue;
        }
        size_t n = ty_json_utf8_len(p, end);
        if (n == 0 || is_control(decode_utf8(p, n)))
            return refuse_char(name, text, p, n, err);
        p += n;
    }
    return 0;
}

enum line_kind { LINE_BLANK, LINE_DIRECTIVE, LINE_START, LINE_END, LINE_OTHER };

static enum line_kind kind_of(struct ty_str line)
{
    if (line.n >= 3 && (line.n == 3 || line.p[3] == ' ' || line.p[3] == '\t')) {
        if (memcmp(line.p, "---", 3) == 0)
            return LINE_START;
        if (memcmp(line.p, "...", 3) == 0)
            return LINE_END;
    }
    if (line.n > 0 && line.p[0] == '%')
        return LINE_DIRECTIVE;
    for (size_t i = 0; i < line.n; i++)
        if (line.p[i] != ' ' && line.p[i] != '\t')
            return line.p[i] == '#' ? LINE_BLANK : LINE_OTHER;
    return LINE_BLANK;
}

/* A "---" begins a new part, unless only directives and comments precede it; a "..." ends one. */
bool ty_yaml_text_next(struct ty_str *rest, uint32_t *line, struct ty_yaml_part *ret_part)
{
    const char *p = rest->p, *end = rest->p + rest->n;
    bool started = false; /* content or a "---" has been seen */
    if (rest->n == 0)
        return false;
    *ret_part = (struct ty_yaml_part){ { p, rest->n }, *line };
    while (p < end) {
        const char *eol = p;
        while (eol < end && *eol != '\n' && *eol != '\r')
            eol++;
        enum line_kind kind = kind_of((struct ty_str){ p, (size_t)(eol - p) });
        if (kind == LINE_START && started)
            break;
        const char *next = eol + break_len(eol, end);
        *line += eol < end;
        started = started || kind == LINE_START || kind == LINE_OTHER;
        p = next;
        if (kind == LINE_END)
            break;
    }
    ret_part->text.n = (size_t)(p - ret_part->text.p);
    *rest = (struct ty_str){ p, (size_t)(end - p) };
    return true;
}

const char *ty_yaml_text_show(struct ty_arena *a, struct ty_str s)
{
    enum { MOST = 80 };
    size_t n = 0;
    while (n < s.n && n < MOST) {
        size_t len = ty_json_utf8_len(s.p + n, s.p + s.n);
        n += len ? len : 1;
    }
    const struct ty_json cut = { .type = TY_JSON_STRING, .n = (uint32_t)n, .s = s.p };
    struct ty_str quoted = ty_json_text(a, &cut);
    if (n == s.n)
        return quoted.p;
    return ty_arena_printf(a, "%.*s…\"", (int)quoted.n - 1, quoted.p);
}
