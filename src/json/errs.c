/* Field errors and their text, as k8s.io/apimachinery prints them: users compare the two. */
#include "json/errs.h"

static void print_path(struct ty_buf *out, const struct ty_path *p)
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

char *ty_path_text(struct ty_arena *a, const struct ty_path *p)
{
    ty_auto_buf out = { 0 };
    if (p)
        print_path(&out, p);
    else
        ty_buf_cstr(&out, "<nil>");
    return ty_arena_strndup(a, out.p, out.n);
}

struct ty_field_err *ty_errs_add(struct ty_errs *errs, const struct ty_path *at, enum ty_why why,
                                 const char *value, const char *fmt, ...)
{
    struct ty_field_err *e = ty_new(errs->arena, struct ty_field_err);
    va_list ap;
    va_start(ap, fmt);
    e->detail = ty_arena_vprintf(errs->arena, fmt, ap);
    va_end(ap);
    e->path = ty_path_text(errs->arena, at);
    e->why = why;
    e->value = value;
    if (errs->last)
        errs->last->next = e;
    else
        errs->first = e;
    errs->last = e;
    errs->n++;
    return e;
}

struct words {
    const char *text;
    bool with_value; /* the others never print one */
};

static const struct words words_of[] = {
    [TY_REQUIRED] = { "Required value", false },   [TY_INVALID] = { "Invalid value", true },
    [TY_TYPE_INVALID] = { "Invalid value", true }, [TY_UNSUPPORTED] = { "Unsupported value", true },
    [TY_FORBIDDEN] = { "Forbidden", false },       [TY_TOO_LONG] = { "Too long", false },
    [TY_TOO_MANY] = { "Too many", true },          [TY_DUPLICATE] = { "Duplicate value", true },
    [TY_INTERNAL] = { "Internal error", false },   [TY_UNKNOWN] = { "unknown field", false },
};

void ty_field_err_print(struct ty_buf *out, const struct ty_field_err *e)
{
    const struct words *w = &words_of[e->why];
    if (e->why == TY_UNKNOWN) { /* kubectl's strict decoding has a form of its own */
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

static bool said_before(const struct ty_str *said, size_t n, struct ty_str text)
{
    for (size_t i = 0; i < n; i++)
        if (ty_str_eq(said[i], text))
            return true;
    return false;
}

char *ty_errs_text(struct ty_arena *a, const struct ty_errs *errs)
{
    struct ty_str *said = ty_new_n(a, struct ty_str, errs->n);
    size_t n = 0;
    ty_auto_buf one = { 0 };
    ty_auto_buf all = { 0 };
    for (const struct ty_field_err *e = errs->first; e; e = e->next) {
        one.n = 0;
        ty_field_err_print(&one, e);
        if (said_before(said, n, ty_buf_str(&one)))
            continue;
        said[n++] = (struct ty_str){ ty_arena_strndup(a, one.p, one.n), one.n };
    }
    for (size_t i = 0; i < n; i++) {
        ty_buf_cstr(&all, i > 0 ? ", " : n > 1 ? "[" : "");
        ty_buf_add(&all, said[i]);
    }
    if (n > 1)
        ty_buf_chr(&all, ']');
    return ty_arena_strndup(a, all.p, all.n);
}
