#include "store/kube/kube_split.h"

#include <errno.h>
#include <limits.h>

#define KEEP_BYTES ((size_t)64 << 10) /* a buffer that one large object has grown is freed */

static void clear_buf(struct ty_buf *b)
{
    size_t ceiling = b->ceiling;
    if (b->cap > KEEP_BYTES)
        ty_buf_done(b);
    b->n = 0;
    b->full = false;
    b->ceiling = ceiling;
}

static int too_long(const struct ty_buf *b, const char *what, struct ty_err *err)
{
    return ty_fail(err, -EFBIG, "the server sent %s of more than %zu MB", what, b->ceiling >> 20);
}

/* Lines */

static int line_out(struct ty_str line, ty_kube_split_fn *fn, void *ctx)
{
    line = ty_str_trim(line);
    return line.n ? fn(ctx, line) : 0;
}

int ty_kube_lines_feed(struct ty_kube_lines *l, struct ty_str piece, ty_kube_split_fn *fn,
                       void *ctx, struct ty_err *err)
{
    int r = 0;
    while (piece.n && r == 0) {
        const char *nl = memchr(piece.p, '\n', piece.n);
        size_t n = nl ? (size_t)(nl - piece.p) : piece.n;
        struct ty_str line = { piece.p, n };
        if (l->part.n || !nl) {
            ty_buf_put(&l->part, piece.p, n);
            if (l->part.full)
                return too_long(&l->part, "a line", err);
            line = ty_buf_str(&l->part);
        }
        if (!nl)
            return 0;
        piece = (struct ty_str){ nl + 1, piece.n - n - 1 };
        r = line_out(line, fn, ctx);
        clear_buf(&l->part);
    }
    return r;
}

void ty_kube_lines_done(struct ty_kube_lines *l)
{
    ty_buf_done(&l->part);
}

/* Items */

enum where { REST, ITEM, LAST, GAP, BAD }; /* LAST: the last byte of an item */

/* A byte of a string: ends it at its quote, and compares it with "items". */
static void in_string(struct ty_kube_split *s, char c)
{
    static const char want[] = "items";
    if (s->escape) {
        s->escape = false;
        s->key_n = UINT_MAX;
    } else if (c == '\\') {
        s->escape = true;
    } else if (c == '"') {
        s->string = false;
        s->named = s->depth == 1 && s->key_n == sizeof(want) - 1;
    } else if (s->key_n < sizeof(want) - 1 && c == want[s->key_n]) {
        s->key_n++;
    } else {
        s->key_n = UINT_MAX;
    }
}

/* A byte outside of strings. */
static void in_json(struct ty_kube_split *s, char c)
{
    if (c == '"') {
        s->string = true;
        s->key_n = 0;
    } else if (c == '{' || c == '[') {
        s->inside = s->inside || (c == '[' && s->depth == 1 && s->named);
        s->depth++;
    } else if ((c == '}' || c == ']') && s->depth) {
        s->depth--;
    }
    if (c != ':' && (unsigned char)c > ' ')
        s->named = false; /* "items" must be followed by a colon and a bracket */
}

static enum where next_state(struct ty_kube_split *s, char c)
{
    bool inside = s->inside;
    if (s->string) {
        in_string(s, c);
        return inside ? ITEM : REST;
    }
    if (inside && s->depth == 2) { /* between items */
        if (c == ',' || (unsigned char)c <= ' ')
            return GAP;
        if (c == ']')
            s->inside = inside = false;
        else if (c != '{')
            return BAD;
    }
    in_json(s, c);
    if (!inside)
        return REST;
    return s->depth == 2 ? LAST : ITEM;
}

/* The bytes from p on with the same destination, and the destination: most bytes neither end a
 * string nor escape anything. */
static enum where next_run(struct ty_kube_split *s, const char *p, const char *end, size_t *ret_n)
{
    const char *from = p;
    if (s->string && s->inside && !s->escape)
        while (p < end && *p != '"' && *p != '\\')
            p++;
    *ret_n = p > from ? (size_t)(p - from) : 1;
    return p > from ? ITEM : next_state(s, *p);
}

static int put_bytes(struct ty_kube_split *s, enum where where, const char *p, size_t n,
                     struct ty_err *err)
{
    struct ty_buf *to = where == REST ? &s->rest : &s->item;
    if (where == GAP)
        return 0;
    ty_buf_put(to, p, n);
    return to->full ? too_long(to, where == REST ? "a list" : "an object", err) : 0;
}

/* Adjacent runs with the same destination are copied together: an object has hundreds of short
 * ones. */
int ty_kube_split_feed(struct ty_kube_split *s, struct ty_str piece, ty_kube_split_fn *fn,
                       void *ctx, struct ty_err *err)
{
    const char *p = piece.p, *end = p + piece.n, *from = p; /* [from, p) is not copied yet */
    enum where at = REST;                                   /* its destination */
    int r = 0;
    while (p < end && r == 0) {
        size_t n = 0;
        enum where now = next_run(s, p, end, &n), to = now == LAST ? ITEM : now;
        if (now == BAD)
            return ty_fail(err, -EPROTO, "the server sent a list whose items are not objects");
        if (to != at) {
            r = put_bytes(s, at, from, (size_t)(p - from), err);
            from = p;
            at = to;
        }
        p += n;
        if (r < 0 || now != LAST)
            continue;
        r = put_bytes(s, ITEM, from, (size_t)(p - from), err);
        from = p;
        if (r == 0)
            r = fn(ctx, ty_buf_str(&s->item));
        clear_buf(&s->item);
    }
    return r ? r : put_bytes(s, at, from, (size_t)(p - from), err);
}

bool ty_kube_split_whole(const struct ty_kube_split *s)
{
    return s->depth == 0 && s->rest.n > 0;
}

void ty_kube_split_reset(struct ty_kube_split *s)
{
    clear_buf(&s->item);
    clear_buf(&s->rest);
    *s = (struct ty_kube_split){ .item = s->item, .rest = s->rest };
}

void ty_kube_split_done(struct ty_kube_split *s)
{
    ty_buf_done(&s->item);
    ty_buf_done(&s->rest);
}
