/* Field errors and their text, byte for byte as k8s.io/apimachinery prints them. */
#include "json/errs.h"
#include "base/hash.h"

static void print_path(struct ty_buf *out, const struct ty_field_path *p)
{
    if (p->up)
        print_path(out, p->up);
    if (p->index >= 0) {
        ty_buf_printf(out, "[%d]", p->index);
        return;
    }
    if (p->quoted)
        ty_buf_chr(out, '[');
    else if (p->up)
        ty_buf_chr(out, '.');
    ty_buf_add(out, p->key);
    if (p->quoted)
        ty_buf_chr(out, ']');
}

char *ty_errs_path_text(struct ty_arena *a, const struct ty_field_path *p)
{
    ty_auto_buf out = { 0 };
    if (p)
        print_path(&out, p);
    else
        ty_buf_cstr(&out, "<nil>");
    return ty_arena_cstr(a, ty_buf_str(&out));
}

struct ty_field_err *ty_errs_add(struct ty_errs *errs, const struct ty_field_path *at,
                                 enum ty_field_err_type why, const char *value, const char *fmt,
                                 ...)
{
    if (errs->last && ty_arena_full(errs->arena))
        return errs->last; /* the arena is full; the caller checks that, too */
    struct ty_field_err *e = ty_new(errs->arena, struct ty_field_err);
    va_list ap;
    va_start(ap, fmt);
    e->detail = ty_arena_vprintf(errs->arena, fmt, ap);
    va_end(ap);
    e->path = ty_errs_path_text(errs->arena, at);
    e->why = why;
    e->value = value;
    ty_append(errs->first, errs->last, e);
    errs->n++;
    return e;
}

struct words {
    const char *text;
    bool with_value; /* only these kinds print the value */
};

static const struct words words_of[] = {
    [TY_REQUIRED] = { "Required value", false },   [TY_INVALID] = { "Invalid value", true },
    [TY_TYPE_INVALID] = { "Invalid value", true }, [TY_UNSUPPORTED] = { "Unsupported value", true },
    [TY_FORBIDDEN] = { "Forbidden", false },       [TY_TOO_LONG] = { "Too long", false },
    [TY_TOO_MANY] = { "Too many", true },          [TY_DUPLICATE] = { "Duplicate value", true },
    [TY_INTERNAL] = { "Internal error", false },   [TY_UNKNOWN] = { "unknown field", false },
};

void ty_errs_print(struct ty_buf *out, const struct ty_field_err *e)
{
    const struct words *w = &words_of[e->why];
    if (e->why == TY_UNKNOWN) { /* kubectl's strict decoding uses another form */
        ty_buf_printf(out, "%s \"%s\"", w->text, e->path);
        return;
    }
    ty_buf_cstr(out, e->path);
    ty_buf_cstr(out, ": ");
    ty_buf_cstr(out, w->text);
    if (w->with_value && e->value) {
        ty_buf_cstr(out, ": ");
        ty_buf_cstr(out, e->value);
    }
    if (e->detail && e->detail[0]) {
        ty_buf_cstr(out, ": ");
        ty_buf_cstr(out, e->detail);
    }
}

/* Texts that were printed, as offsets in `out`, by their hash: a list may have thousands of errors.
 */
struct printed_texts {
    struct {
        size_t at, n;
    } * slots; /* n 0: free, no text is empty */
    size_t mask, count;
};

/* Remembers the text at the end of `out`, which begins at `at`; false if it was printed before. */
static bool remember_text(struct printed_texts *printed, const struct ty_buf *out, size_t at)
{
    struct ty_str text = { out->p + at, out->n - at };
    size_t i = (size_t)ty_hash_bytes(0, text.p, text.n) & printed->mask;

    for (; printed->slots[i].n > 0; i = (i + 1) & printed->mask)
        if (ty_str_eq(text, (struct ty_str){ out->p + printed->slots[i].at, printed->slots[i].n }))
            return false;
    printed->slots[i].at = at;
    printed->slots[i].n = text.n;
    printed->count++;
    return true;
}

char *ty_errs_text(struct ty_arena *a, const struct ty_errs *errs)
{
    struct printed_texts printed = { .mask = 1 };
    ty_auto_buf out = { .ceiling = ty_arena_left(a) / 4 + 1 };

    while (printed.mask < errs->n * 2)
        printed.mask = printed.mask * 2 + 1;
    printed.slots =
        ty_arena_alloc(a, (printed.mask + 1) * sizeof(*printed.slots), _Alignof(size_t));
    ty_buf_chr(&out, '[');
    for (const struct ty_field_err *e = errs->first; e; e = e->next) {
        size_t before = out.n;
        if (printed.count > 0)
            ty_buf_cstr(&out, ", ");
        size_t at = out.n;
        ty_errs_print(&out, e);
        if (!remember_text(&printed, &out, at))
            out.n = before;
    }
    ty_buf_chr(&out, ']');
    if (out.full) {
        ty_arena_fill(a);
        return ty_arena_strdup(a, "");
    }
    if (printed.count < 2)
        return ty_arena_strndup(a, out.p + 1, out.n - 2);
    return ty_arena_cstr(a, ty_buf_str(&out));
}

void ty_errs_join(struct ty_errs *into, const struct ty_errs *from)
{
    if (!from->first)
        return;
    if (into->last)
        into->last->next = from->first;
    else
        into->first = from->first;
    into->last = from->last;
    into->n += from->n;
}
