/* The parser: one pass over the text, one recursion for each level (the depth is limited). Strings
 * and numbers are views into the text; only strings with escapes are copied. Items of open lists
 * are on one stack, and are copied to the arena, contiguously, when their list closes. */
#include "json/json.h"

#include <errno.h>

#include "base/xalloc.h"
#include "json/json_inner.h"

struct json_reader {
    const char *p, *end;
    const char *line_start;
    uint32_t line;
    unsigned depth, max_depth;
    size_t left;                     /* values that may still come */
    struct ty_json *node, *node_end; /* nodes that are allocated in advance */
    struct ty_json_member *stack;    /* items of open lists; heap */
    size_t top, cap;
    struct ty_arena *a;
    const char *start;
    struct ty_err *err;
};

/* Line and column are counted only when an error occurs. */
static int fail_at(struct json_reader *r, const char *at, const char *why)
{
    unsigned line = 1;
    const char *line_start = r->start;
    for (const char *p = r->start; p < at; p++) {
        if (*p == '\n') {
            line++;
            line_start = p + 1;
        }
    }
    return ty_fail(r->err, -EINVAL, "line %u, column %zu: %s", line, (size_t)(at - line_start) + 1,
                   why);
}

/* "expected WHAT, found …" for the byte at r->p. */
static int fail_expected(struct json_reader *r, const char *what)
{
    char why[160];
    if (r->p == r->end)
        snprintf(why, sizeof(why), "expected %s, but the text ends here", what);
    else if (*r->p > ' ' && *r->p < 0x7f)
        snprintf(why, sizeof(why), "expected %s, found '%c'", what, *r->p);
    else
        snprintf(why, sizeof(why), "expected %s, found byte 0x%02x", what, (unsigned char)*r->p);
    return fail_at(r, r->p, why);
}

static inline void skip_space(struct json_reader *r)
{
    while (r->p < r->end && (unsigned char)*r->p <= ' ') {
        if (*r->p == '\n') {
            r->line++;
            r->line_start = r->p + 1;
        } else if (*r->p != ' ' && *r->p != '\t' && *r->p != '\r') {
            return;
        }
        r->p++;
    }
}

/* Called after each allocation that may be large: once the arena is full, the next value fails. */
static void check_room(struct json_reader *r)
{
    if (ty_arena_full(r->a))
        r->left = 0;
}

static inline struct ty_json *new_node(struct json_reader *r, enum ty_json_type type)
{
    if (r->node == r->node_end) {
        /* A value takes at least two bytes, a typical one more than ten. */
        size_t some = (size_t)(r->end - r->p) / 16 + 4;
        if (some > 128)
            some = 128;
        r->node = ty_arena_raw(r->a, some * sizeof(*r->node), _Alignof(struct ty_json));
        r->node_end = r->node + some;
        check_room(r);
    }
    struct ty_json *v = r->node++;
    *v = (struct ty_json){
        .type = (uint8_t)type,
        .line = r->line,
        .col = (uint32_t)(r->p - r->line_start) + 1,
    };
    return v;
}

static void push_member(struct json_reader *r, struct ty_str key, struct ty_json *value)
{
    ty_xroom(r->stack, r->top, r->cap);
    r->stack[r->top++] = (struct ty_json_member){ key, value };
}

/* Strings */

/* Advances r->p, in a string, to the next quote or backslash; checks the text in between. */
static int skip_text(struct json_reader *r)
{
    while (true) {
        r->p = ty_json_skip_plain(r->p, r->end);
        if (r->p == r->end)
            return fail_at(r, r->p, "the text ends inside a string");
        if (*r->p == '"' || *r->p == '\\')
            return 0;
        if ((unsigned char)*r->p < 0x20)
            return fail_at(r, r->p, "a control character in a string must be written as an escape");
        while (r->p < r->end && (unsigned char)*r->p >= 0x80) {
            size_t n = ty_json_utf8_len(r->p, r->end);
            if (n == 0)
                return fail_at(r, r->p, "the text is not UTF-8");
            r->p += n;
        }
    }
}

/* The rest of a string whose first backslash is at r->p. Its decoded length is not known yet; the
 * bytes up to the closing quote are an upper bound. */
static int read_escaped(struct json_reader *r, const char *from, struct ty_str *ret_s)
{
    const char *quote = r->p;
    while (quote < r->end && *quote != '"')
        quote += *quote == '\\' && r->end - quote > 1 ? 2 : 1;
    char *copy = ty_arena_raw(r->a, (size_t)(quote - from), 1), *to = copy;
    while (true) {
        size_t n = (size_t)(r->p - from);
        memcpy(to, from, n);
        to += n;
        if (*r->p == '"')
            break;
        const char *wrong = ty_json_unescape(&r->p, r->end, &to);
        if (wrong)
            return fail_at(r, r->p, wrong);
        from = r->p;
        int e = skip_text(r);
        if (e < 0)
            return e;
    }
    *ret_s = (struct ty_str){ copy, (size_t)(to - copy) };
    return 0;
}

/* The string whose quote is at r->p; advances r->p. */
static inline int read_string(struct json_reader *r, struct ty_str *ret_s)
{
    const char *from = ++r->p;
    int e = skip_text(r);
    if (e < 0)
        return e;
    if (*r->p == '"') {
        *ret_s = (struct ty_str){ from, (size_t)(r->p - from) };
    } else {
        e = read_escaped(r, from, ret_s);
        if (e < 0)
            return e;
    }
    r->p++;
    return 0;
}

static int read_number(struct json_reader *r, struct ty_json **ret_v)
{
    struct ty_json *v = new_node(r, TY_JSON_NUMBER);
    const char *from = r->p;
    bool whole = false;
    const char *want = ty_json_scan_number(&r->p, r->end, &whole);
    if (want)
        return fail_expected(r, want);
    struct ty_str text = { from, (size_t)(r->p - from) };
    int64_t i;
    /* "-0" is not stored as int64, which would lose its sign. */
    if (whole && !(from[0] == '-' && from[1] == '0') && ty_str_parse_i64(text, &i)) {
        v->type = TY_JSON_INT;
        v->i = i;
    } else {
        v->s = text.p;
        v->n = (uint32_t)text.n;
    }
    *ret_v = v;
    return 0;
}

/* Lists */

static int read_value(struct json_reader *r, struct ty_json **ret_v);

static int enter_nested(struct json_reader *r)
{
    if (r->depth == r->max_depth) {
        char why[80];
        snprintf(why, sizeof(why), "nested deeper than %u levels", r->max_depth);
        return fail_at(r, r->p, why);
    }
    r->depth++;
    r->p++;
    skip_space(r);
    return 0;
}

static void close_array(struct json_reader *r, struct ty_json *v, size_t base)
{
    size_t n = r->top - base;
    v->n = v->cap = (uint32_t)n;
    v->items = NULL;
    if (n > 0) {
        v->items = ty_arena_raw(r->a, n * sizeof(struct ty_json *), _Alignof(struct ty_json *));
        for (size_t i = 0; i < n; i++)
            v->items[i] = r->stack[base + i].value;
        check_room(r);
    }
    r->top = base;
    r->depth--;
    r->p++;
}

static int read_array(struct json_reader *r, struct ty_json **ret_v)
{
    struct ty_json *v = new_node(r, TY_JSON_ARRAY), *item = NULL;
    size_t base = r->top;
    int e = enter_nested(r);
    if (e < 0)
        return e;
    bool more = r->p == r->end || *r->p != ']';
    while (more) {
        e = read_value(r, &item);
        if (e < 0)
            return e;
        push_member(r, (struct ty_str){ 0 }, item);
        skip_space(r);
        if (r->p == r->end || (*r->p != ',' && *r->p != ']'))
            return fail_expected(r, "',' or ']' after a list item");
        more = *r->p == ',';
        if (more) {
            r->p++;
            skip_space(r);
        }
    }
    close_array(r, v, base);
    *ret_v = v;
    return 0;
}

static int fail_twice(struct json_reader *r, const struct ty_json_member *m)
{
    char why[160];
    const char *at = m->key.p;
    snprintf(why, sizeof(why), "the key \"%.*s\" is there twice",
             (int)(m->key.n > 100 ? 100 : m->key.n), m->key.p);
    if ((uintptr_t)at > (uintptr_t)r->start && (uintptr_t)at <= (uintptr_t)r->end)
        return fail_at(r, at - 1, why);
    /* A key with escapes is a copy without a position: use that of its value. */
    return ty_fail(r->err, -EINVAL, "line %u, column %u: %s", m->value->line, m->value->col, why);
}

static int close_object(struct json_reader *r, struct ty_json *v, size_t base, bool maybe_twice)
{
    size_t n = r->top - base;
    const struct ty_json_member *twice =
        maybe_twice ? ty_json_duplicate_member(r->stack + base, n) : NULL;
    if (twice)
        return fail_twice(r, twice);
    v->n = v->cap = (uint32_t)n;
    v->members = NULL;
    if (n > 0) {
        v->members = ty_arena_raw(r->a, n * sizeof(*v->members), _Alignof(struct ty_json_member));
        memcpy(v->members, r->stack + base, n * sizeof(*v->members));
        check_room(r);
    }
    r->top = base;
    r->depth--;
    r->p++;
    return 0;
}

/* One of 64 bits for a key: keys with different bits differ, so most objects need no comparisons.
 */
static inline uint64_t key_bit(struct ty_str key)
{
    unsigned h = (unsigned)key.n;
    if (key.n > 0)
        h += (unsigned char)key.p[0] * 7u + (unsigned char)key.p[key.n - 1] * 31u;
    return (uint64_t)1 << (h & 63);
}

static int read_member(struct json_reader *r, struct ty_str *ret_key)
{
    struct ty_json *v = NULL;
    if (r->p == r->end || *r->p != '"')
        return fail_expected(r, "a key in quotes");
    int e = read_string(r, ret_key);
    if (e < 0)
        return e;
    skip_space(r);
    if (r->p == r->end || *r->p != ':')
        return fail_expected(r, "':' after a key");
    r->p++;
    skip_space(r);
    e = read_value(r, &v);
    if (e < 0)
        return e;
    push_member(r, *ret_key, v);
    skip_space(r);
    if (r->p == r->end || (*r->p != ',' && *r->p != '}'))
        return fail_expected(r, "',' or '}' after a member");
    return 0;
}

static int read_object(struct json_reader *r, struct ty_json **ret_v)
{
    struct ty_json *v = new_node(r, TY_JSON_OBJECT);
    size_t base = r->top;
    uint64_t seen = 0;
    bool maybe_twice = false;
    int e = enter_nested(r);
    if (e < 0)
        return e;
    bool more = r->p == r->end || *r->p != '}';
    while (more) {
        struct ty_str key = { 0 };
        e = read_member(r, &key);
        if (e < 0)
            return e;
        uint64_t bit = key_bit(key);
        maybe_twice |= (seen & bit) != 0;
        seen |= bit;
        more = *r->p == ',';
        if (more) {
            r->p++;
            skip_space(r);
        }
    }
    *ret_v = v;
    return close_object(r, v, base, maybe_twice);
}

static int read_text(struct json_reader *r, struct ty_json **ret_v)
{
    struct ty_json *v = new_node(r, TY_JSON_STRING);
    struct ty_str s = { 0 };
    int e = read_string(r, &s);
    if (e < 0)
        return e;
    v->s = s.p;
    v->n = (uint32_t)s.n;
    *ret_v = v;
    return 0;
}

static int read_word(struct json_reader *r, const char *word, struct ty_json *v,
                     struct ty_json **ret_v)
{
    size_t n = strlen(word);
    if ((size_t)(r->end - r->p) < n || memcmp(r->p, word, n) != 0)
        return fail_expected(r, "a value");
    r->p += n;
    v->b = *word == 't';
    *ret_v = v;
    return 0;
}

static int fail_many(struct json_reader *r)
{
    bool full = ty_arena_full(r->a);
    int code = full ? -EFBIG : -E2BIG;
    fail_at(r, r->p,
            full ? "the text takes more memory than it may"
                 : "there are more values than are taken here");
    if (r->err)
        r->err->code = code;
    return code;
}

/* The value at r->p; advances r->p. */
static int read_value(struct json_reader *r, struct ty_json **ret_v)
{
    if (r->p == r->end)
        return fail_expected(r, "a value");
    if (r->left-- == 0)
        return fail_many(r);
    switch (*r->p) {
    case '"':
        return read_text(r, ret_v);
    case '{':
        return read_object(r, ret_v);
    case '[':
        return read_array(r, ret_v);
    case 't':
        return read_word(r, "true", new_node(r, TY_JSON_BOOL), ret_v);
    case 'f':
        return read_word(r, "false", new_node(r, TY_JSON_BOOL), ret_v);
    case 'n':
        return read_word(r, "null", new_node(r, TY_JSON_NULL), ret_v);
    default:
        if (*r->p != '-' && (*r->p < '0' || *r->p > '9'))
            return fail_expected(r, "a value");
        return read_number(r, ret_v);
    }
}

struct ty_json *ty_json_parse(struct ty_arena *a, struct ty_str text,
                              const struct ty_json_limits *limits, struct ty_err *err)
{
    size_t most = limits && limits->bytes ? limits->bytes : TY_JSON_MAX_BYTES;
    if (!text.p)
        text = TY_LIT("");
    struct json_reader r = {
        .p = text.p,
        .end = text.p + text.n,
        .start = text.p,
        .line_start = text.p,
        .line = 1,
        .max_depth = limits && limits->depth ? limits->depth : TY_JSON_MAX_DEPTH,
        .left = limits && limits->values ? limits->values : SIZE_MAX,
        .a = a,
        .err = err,
    };
    struct ty_json *v = NULL;
    if (text.n > most || text.n > UINT32_MAX) {
        ty_fail(err, -E2BIG, "line 1, column 1: the text has %zu bytes, more than the %zu allowed",
                text.n, most);
        return NULL;
    }
    skip_space(&r);
    int e = read_value(&r, &v);
    if (e == 0) {
        skip_space(&r);
        if (r.p != r.end)
            e = fail_expected(&r, "the end of the text");
        else if (ty_arena_full(a))
            e = fail_many(&r);
    }
    free(r.stack);
    return e == 0 ? v : NULL;
}
