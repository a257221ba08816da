/* A parser for well-formed XML without a DTD: one pass, one path, one text. */
#include "fetch/xml.h"
#include "base/buf.h"

#include <errno.h>

#define MAX_PATH_BYTES 1024

struct xml_reader {
    struct ty_str rest;
    struct ty_buf text; /* since the last tag */
    char path[MAX_PATH_BYTES];
    size_t n_path;
    bool had_root;
    ty_xml_fn *fn;
    void *ctx;
    struct ty_err *err;
};

static int fail_xml(struct xml_reader *r, const char *what)
{
    return ty_fail(r->err, -EBADMSG, "the answer is not well-formed XML: %s", what);
}

static void skip_bytes(struct xml_reader *r, size_t n)
{
    r->rest = (struct ty_str){ r->rest.p + n, r->rest.n - n };
}

static bool is_ahead(const struct xml_reader *r, const char *word)
{
    return ty_str_starts(r->rest, ty_str(word));
}

/* The text before `end`; advances behind it. */
static bool read_until(struct xml_reader *r, const char *end, struct ty_str *ret)
{
    const char *at = memmem(r->rest.p, r->rest.n, end, strlen(end));
    if (!at)
        return false;
    *ret = (struct ty_str){ r->rest.p, (size_t)(at - r->rest.p) };
    skip_bytes(r, ret->n + strlen(end));
    return true;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void put_utf8(struct ty_buf *b, uint32_t c)
{
    if (c < 0x80) {
        ty_buf_chr(b, (char)c);
        return;
    }
    int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned lead[] = { 0, 0xc0, 0xe0, 0xf0 };
    ty_buf_chr(b, (char)(lead[more] | (c >> (6 * more))));
    while (more-- > 0)
        ty_buf_chr(b, (char)(0x80 | ((c >> (6 * more)) & 0x3f)));
}

/* The characters that XML 1.0 allows. */
static bool is_character(uint32_t c)
{
    return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c < 0xd800) ||
           (c >= 0xe000 && c <= 0x10ffff && c != 0xfffe && c != 0xffff);
}

/* "#38" or "#x26". */
static bool read_number(struct ty_str name, uint32_t *ret)
{
    static const char digits[] = "0123456789abcdef";
    bool hex = name.n > 1 && name.p[1] == 'x';
    uint32_t v = 0, base = hex ? 16 : 10;
    size_t i = hex ? 2 : 1;
    if (i >= name.n || name.n > i + 7) /* no more digits than 0x10ffff has: no overflow */
        return false;
    for (; i < name.n; i++) {
        const char *at = memchr(digits, name.p[i] | (name.p[i] >= 'A' ? 0x20 : 0), base);
        if (!at)
            return false;
        v = v * base + (uint32_t)(at - digits);
    }
    *ret = v;
    return is_character(v);
}

static int read_entity(struct xml_reader *r)
{
    static const struct {
        const char *name;
        char c;
    } known[] = { { "amp", '&' }, { "lt", '<' }, { "gt", '>' }, { "quot", '"' }, { "apos", '\'' } };
    struct ty_str name;
    uint32_t c;
    skip_bytes(r, 1);
    if (!read_until(r, ";", &name))
        return fail_xml(r, "an entity has no end");
    for (size_t i = 0; i < TY_COUNT(known); i++)
        if (ty_str_is(name, known[i].name)) {
            ty_buf_chr(&r->text, known[i].c);
            return 0;
        }
    if (name.n == 0 || name.p[0] != '#' || !read_number(name, &c))
        return fail_xml(r, "an unknown entity");
    put_utf8(&r->text, c);
    return 0;
}

static int open_element(struct xml_reader *r, struct ty_str name)
{
    if (r->n_path == 0 && r->had_root)
        return fail_xml(r, "a second root");
    if (r->n_path + name.n + 2 > sizeof(r->path))
        return fail_xml(r, "elements are nested too deeply");
    if (r->n_path)
        r->path[r->n_path++] = '/';
    memcpy(r->path + r->n_path, name.p, name.n);
    r->n_path += name.n;
    r->path[r->n_path] = '\0';
    r->had_root = true;
    r->text.n = 0;
    return 0;
}

static int close_element(struct xml_reader *r, struct ty_str name)
{
    const char *slash = r->n_path ? memrchr(r->path, '/', r->n_path) : NULL;
    size_t start = slash ? (size_t)(slash - r->path) + 1 : 0;
    if (r->n_path == 0 || !ty_str_eq(name, (struct ty_str){ r->path + start, r->n_path - start }))
        return fail_xml(r, "an end that fits no start");
    int done = r->fn(r->ctx, r->path, ty_buf_str(&r->text), r->err);
    r->n_path = start ? start - 1 : 0;
    r->path[r->n_path] = '\0';
    r->text.n = 0;
    return done;
}

/* The name at the start of a tag: up to white space or the end, without markup characters. */
static struct ty_str tag_name(struct ty_str tag)
{
    size_t n = 0;
    while (n < tag.n && !is_space(tag.p[n]) && !memchr("/<>&\"'=", tag.p[n], 7) && tag.p[n])
        n++;
    return (struct ty_str){ tag.p, n };
}

/* Finds the end of the tag: a '>' outside quotes. */
static bool read_tag(struct xml_reader *r, struct ty_str *ret)
{
    char quote = 0;
    for (size_t i = 0; i < r->rest.n; i++) {
        char c = r->rest.p[i];
        if (quote ? c == quote : (c == '"' || c == '\''))
            quote = quote ? 0 : c;
        else if (!quote && c == '>') {
            *ret = (struct ty_str){ r->rest.p, i };
            skip_bytes(r, i + 1);
            return true;
        }
    }
    return false;
}

static int read_element(struct xml_reader *r)
{
    struct ty_str tag;
    skip_bytes(r, 1);
    if (!read_tag(r, &tag))
        return fail_xml(r, "a tag has no end");
    bool end = tag.n && tag.p[0] == '/';
    bool empty = !end && tag.n && tag.p[tag.n - 1] == '/';
    if (end)
        tag = (struct ty_str){ tag.p + 1, tag.n - 1 };
    if (empty)
        tag.n--;
    struct ty_str name = tag_name(tag);
    if (name.n == 0 || (name.n < tag.n && !is_space(tag.p[name.n])))
        return fail_xml(r, "a tag has no name");
    if (end)
        return close_element(r, name);
    int done = open_element(r, name);
    return done == 0 && empty ? close_element(r, name) : done;
}

static int read_markup(struct xml_reader *r)
{
    struct ty_str inner;
    if (is_ahead(r, "<?") || is_ahead(r, "<!--")) {
        if (!read_until(r, is_ahead(r, "<?") ? "?>" : "-->", &inner))
            return fail_xml(r, "a comment has no end");
        return 0;
    }
    if (is_ahead(r, "<![CDATA[")) {
        skip_bytes(r, strlen("<![CDATA["));
        if (!read_until(r, "]]>", &inner))
            return fail_xml(r, "a CDATA section has no end");
        ty_buf_add(&r->text, inner);
        return 0;
    }
    if (is_ahead(r, "<!"))
        return fail_xml(r, "document types are refused");
    return read_element(r);
}

static int read_all(struct xml_reader *r)
{
    if (is_ahead(r, "\xef\xbb\xbf"))
        skip_bytes(r, 3);
    while (r->rest.n) {
        int done = 0;
        if (r->rest.p[0] == '<')
            done = read_markup(r);
        else if (r->n_path == 0 && !is_space(r->rest.p[0]))
            done = fail_xml(r, "text outside the root");
        else if (r->rest.p[0] == '&')
            done = read_entity(r);
        else {
            ty_buf_chr(&r->text, r->rest.p[0]);
            skip_bytes(r, 1);
        }
        if (done < 0)
            return done;
    }
    return r->n_path || !r->had_root ? fail_xml(r, "it ends too early") : 0;
}

int ty_xml_parse(struct ty_str xml, ty_xml_fn *fn, void *ctx, struct ty_err *err)
{
    struct xml_reader r = { .rest = xml, .fn = fn, .ctx = ctx, .err = err };
    int done = read_all(&r);
    ty_buf_done(&r.text);
    return done;
}
