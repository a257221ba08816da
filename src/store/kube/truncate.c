/* One pass over the text; scans brackets, quotes and commas only. */
#include "store/kube/truncate.h"

struct cut {
    const char *p, *end;
    struct ty_buf *out;
    size_t each;
};

static void skip_space(struct cut *c)
{
    while (c->p < c->end && (unsigned char)*c->p <= ' ')
        c->p++;
}

/* From a quote to the byte after the closing one. */
static void skip_string(struct cut *c)
{
    for (c->p++; c->p < c->end && *c->p != '"'; c->p++)
        if (*c->p == '\\')
            c->p++;
    c->p = c->p < c->end ? c->p + 1 : c->end;
}

static void skip_value(struct cut *c)
{
    size_t depth = 0;

    skip_space(c);
    while (c->p < c->end) {
        char ch = *c->p;
        if (depth == 0 && (ch == ',' || ch == '}' || ch == ']'))
            return;
        if (ch == '"') {
            skip_string(c);
            continue;
        }
        depth += ch == '{' || ch == '[';
        depth -= ch == '}' || ch == ']';
        c->p++;
    }
}

static bool cut_object(struct cut *c, int levels);

static bool cut_value(struct cut *c, int levels)
{
    const char *from = c->p;
    size_t left = c->out->ceiling > c->out->n ? c->out->ceiling - c->out->n : 0;

    skip_value(c);
    size_t n = (size_t)(c->p - from);
    if (n <= c->each && n < left) {
        ty_buf_put(c->out, from, n);
        return true;
    }
    if (levels == 0 || n == 0 || *from != '{') {
        ty_buf_cstr(c->out, "null");
        return true;
    }
    c->p = from; /* scan again: each level scans its contents once more */
    return cut_object(c, levels - 1);
}

static bool cut_member(struct cut *c, int levels)
{
    const char *key = c->p;

    if (c->p == c->end || *c->p != '"')
        return false;
    skip_string(c);
    ty_buf_put(c->out, key, (size_t)(c->p - key));
    skip_space(c);
    if (c->p == c->end || *c->p++ != ':')
        return false;
    ty_buf_chr(c->out, ':');
    skip_space(c);
    return cut_value(c, levels);
}

static bool cut_object(struct cut *c, int levels)
{
    c->p++;
    ty_buf_chr(c->out, '{');
    for (bool first = true;; first = false) {
        skip_space(c);
        if (c->p < c->end && *c->p == '}')
            break;
        if (!first && (c->p == c->end || *c->p++ != ','))
            return false;
        if (!first)
            ty_buf_chr(c->out, ',');
        skip_space(c);
        if (!cut_member(c, levels))
            return false;
    }
    c->p++;
    ty_buf_chr(c->out, '}');
    return !c->out->full;
}

bool ty_truncate_object(struct ty_buf *out, struct ty_str text, int levels, size_t each)
{
    struct cut c = { .p = text.p, .end = text.p + text.n, .out = out, .each = each };

    skip_space(&c);
    return c.p < c.end && *c.p == '{' && cut_object(&c, levels - 1);
}
