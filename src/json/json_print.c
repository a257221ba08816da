/* The printer: writes the bytes that Go's encoding/json writes without HTML escaping. */
#include "json/json.h"

#include "json/json_inner.h"

static void put_string(struct ty_buf *out, const char *p, size_t n)
{
    const char *end = p + n, *odd = n ? ty_json_skip_plain(p, end) : end;

    if (out->cap - out->n < n + 2)
        ty_buf_grow(out, n + 2);
    if (odd == end && !out->full) { /* the common case */
        char *to = out->p + out->n;
        *to++ = '"';
        if (n)
            memcpy(to, p, n);
        to[n] = '"';
        out->n += n + 2;
        return;
    }
    ty_buf_chr(out, '"');
    while (p < end) {
        odd = ty_json_skip_plain(p, end);
        ty_buf_put(out, p, (size_t)(odd - p));
        p = odd;
        while (p < end && !ty_json_is_plain(*p))
            p += ty_json_escape(out, p, end);
    }
    ty_buf_chr(out, '"');
}

static void put_int(struct ty_buf *out, int64_t i)
{
    char digits[20];
    size_t at = sizeof(digits);
    uint64_t v = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
    do {
        digits[--at] = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    if (i < 0)
        digits[--at] = '-';
    ty_buf_put(out, digits + at, sizeof(digits) - at);
}

struct style {
    int indent; /* spaces for each level; below 0: one line */
    bool sorted;
};

static void put_value(struct ty_buf *out, const struct ty_json *v, const struct style *style,
                      int level);

static void put_break(struct ty_buf *out, const struct style *style, int level)
{
    static const char spaces[] = "                                ";
    if (style->indent < 0)
        return;
    ty_buf_chr(out, '\n');
    size_t n = (size_t)style->indent * (size_t)level;
    while (n > 0) {
        size_t some = n < sizeof(spaces) - 1 ? n : sizeof(spaces) - 1;
        ty_buf_put(out, spaces, some);
        n -= some;
    }
}

static void put_array(struct ty_buf *out, const struct ty_json *v, const struct style *style,
                      int level)
{
    ty_buf_chr(out, '[');
    for (uint32_t i = 0; i < v->n; i++) {
        if (i > 0)
            ty_buf_chr(out, ',');
        put_break(out, style, level + 1);
        put_value(out, v->items[i], style, level + 1);
    }
    if (v->n > 0)
        put_break(out, style, level);
    ty_buf_chr(out, ']');
}

static void put_object(struct ty_buf *out, const struct ty_json *v, const struct style *style,
                       int level)
{
    const struct ty_json_member **sorted =
        style->sorted ? ty_json_members_sorted(v->members, v->n) : NULL;
    ty_buf_chr(out, '{');
    for (uint32_t i = 0; i < v->n; i++) {
        const struct ty_json_member *m = sorted ? sorted[i] : &v->members[i];
        if (i > 0)
            ty_buf_chr(out, ',');
        put_break(out, style, level + 1);
        put_string(out, m->key.p, m->key.n);
        ty_buf_put(out, ": ", style->indent < 0 ? 1 : 2);
        put_value(out, m->value, style, level + 1);
    }
    if (v->n > 0)
        put_break(out, style, level);
    ty_buf_chr(out, '}');
    free(sorted);
}

static void put_value(struct ty_buf *out, const struct ty_json *v, const struct style *style,
                      int level)
{
    switch ((enum ty_json_type)v->type) {
    case TY_JSON_NULL:
        ty_buf_put(out, "null", 4);
        break;
    case TY_JSON_BOOL:
        ty_buf_put(out, v->b ? "true" : "false", v->b ? 4 : 5);
        break;
    case TY_JSON_INT:
        put_int(out, v->i);
        break;
    case TY_JSON_NUMBER:
        ty_buf_put(out, v->s, v->n);
        break;
    case TY_JSON_STRING:
        put_string(out, v->s, v->n);
        break;
    case TY_JSON_ARRAY:
        put_array(out, v, style, level);
        break;
    case TY_JSON_OBJECT:
        put_object(out, v, style, level);
        break;
    }
}

void ty_json_print(struct ty_buf *out, const struct ty_json *v)
{
    put_value(out, v, &(const struct style){ .indent = -1 }, 0);
}

void ty_json_pretty(struct ty_buf *out, const struct ty_json *v, int indent, bool sorted)
{
    put_value(out, v, &(const struct style){ .indent = indent, .sorted = sorted }, 0);
}

/* Parts of a tree may be shared, so its text can be much larger than the tree. The text is printed
 * to a heap buffer whose capacity doubles, hence a quarter. */
struct ty_str ty_json_text(struct ty_arena *a, const struct ty_json *v)
{
    ty_auto_buf out = { .ceiling = ty_arena_left(a) / 4 + 1 };
    ty_json_print(&out, v);
    if (out.full) {
        ty_arena_fill(a);
        return TY_LIT("");
    }
    return ty_arena_str(a, ty_buf_str(&out));
}
