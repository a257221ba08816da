/* Collects findings, sorts and prints them. */
#include "cli/view/findings.h"
#include "base/text.h"
#include "json/json_locate.h"
#include <stdarg.h>

static struct ty_finding *append_finding(struct ty_findings *f, bool warning)
{
    struct ty_finding *x = ty_new(f->arena, struct ty_finding);
    x->warning = warning;
    ty_append(f->first, f->last, x);
    *(warning ? &f->n_warnings : &f->n_errors) += 1;
    return x;
}

static void set_object(struct ty_findings *f, struct ty_finding *x, const struct ty_doc *doc)
{
    x->file = doc->file;
    x->line = doc->obj->line;
    x->kind = doc->kind->kind;
    x->name = ty_arena_cstr(f->arena, doc->name);
}

static const char *type_text(enum ty_field_err_type why)
{
    switch (why) {
    case TY_REQUIRED:
        return "Required value";
    case TY_INVALID:
    case TY_TYPE_INVALID:
        return "Invalid value";
    case TY_UNSUPPORTED:
        return "Unsupported value";
    case TY_FORBIDDEN:
        return "Forbidden";
    case TY_TOO_LONG:
        return "Too long";
    case TY_TOO_MANY:
        return "Too many";
    case TY_DUPLICATE:
        return "Duplicate value";
    case TY_INTERNAL:
        return "Internal error";
    case TY_UNKNOWN:
        return "Unknown field";
    }
    return "Invalid value";
}

/* Rules about the whole object name the field first: "metadata.name must be …". */
static const char *field_named_first(struct ty_findings *f, const char *detail)
{
    size_t n = strcspn(detail, " :");
    return memchr(detail, '.', n) ? ty_arena_strndup(f->arena, detail, n) : "";
}

/* An error about an object of scalars, such as spec.runtimeRef, is about the one that was set. */
static const struct ty_json *member_of_option(const struct ty_json *at)
{
    const struct ty_json *set = NULL;

    ty_each_member (m, at) {
        if (m->value->type >= TY_JSON_ARRAY)
            return NULL;
        if (m->value->line & TY_JSON_OPTION)
            set = m->value;
    }
    return set;
}

/* x is at this value of the document, or at the option that set it. missing: the field that is not
 * there, for which the option that removed it counts; or NULL. */
static void set_place(struct ty_findings *f, struct ty_finding *x, const struct ty_doc *doc,
                      const struct ty_json *at, const char *missing)
{
    const struct ty_json *member = member_of_option(at);
    const char *option = missing ? ty_inputs_removed(f->arena, doc, missing) : NULL;

    if (!option)
        option = ty_inputs_option(f->arena, doc, member ? member : at);

    x->file = option ? option : doc->file;
    x->line = option ? 0 : at->line;
    x->col = option || at == doc->obj ? 0 : at->col;
}

/* Long lists and objects are not printed as values in a line of text. */
#define SHORT_VALUE 80

void ty_findings_field(struct ty_findings *f, const struct ty_doc *doc,
                       const struct ty_field_err *e)
{
    bool whole = strcmp(e->path, "<nil>") == 0;
    const char *path = e->field ? e->field : whole ? field_named_first(f, e->detail) : e->path;
    struct ty_finding_key key = { doc->obj, path, whole, e->why == TY_TYPE_INVALID };
    f->dedup.arena = f->arena;
    if (ty_finding_dedup_repeats(&f->dedup, &key)) {
        f->unchecked |= whole && strstr(e->detail, "rules were not checked");
        return;
    }
    ty_finding_dedup_add(&f->dedup, &key);
    struct ty_finding *x = append_finding(f, false);
    set_object(f, x, doc);
    const struct ty_json *at = e->at && e->at->line ? e->at : NULL;
    if (!at || (whole && *path))
        at = ty_json_locate(doc->obj, path);
    set_place(f, x, doc, at, e->why == TY_REQUIRED ? path : NULL);
    x->path = e->field ? e->field : whole ? NULL : e->path;
    x->type = type_text(e->why);
    x->value = e->rule && e->at ? ty_json_text(f->arena, e->at).p : e->value;
    x->detail = e->rule ? e->rule : e->detail && *e->detail ? e->detail : NULL;
    x->hint = e->rule ? NULL : e->hint;
}

void ty_findings_warn(struct ty_findings *f, const struct ty_doc *doc, const char *text)
{
    struct ty_finding *x = append_finding(f, true);
    set_object(f, x, doc);
    x->detail = text;
}

void ty_findings_error(struct ty_findings *f, const struct ty_doc *doc, const char *fmt, ...)
{
    struct ty_finding *x = append_finding(f, false);
    set_object(f, x, doc);
    va_list ap;
    va_start(ap, fmt);
    x->detail = ty_arena_vprintf(f->arena, fmt, ap);
    va_end(ap);
}

void ty_findings_input_error(struct ty_findings *f, const struct ty_input_error *t)
{
    struct ty_finding *x = append_finding(f, t->warning);
    x->file = t->file;
    x->line = t->line;
    x->col = t->col;
    x->detail = t->text;
}

struct finding_place { /* what findings are sorted by */
    struct ty_finding *finding;
    size_t file, order;
};

static int by_place(const void *a, const void *b)
{
    const struct finding_place *x = a, *y = b;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->finding->line != y->finding->line)
        return x->finding->line < y->finding->line ? -1 : 1;
    if (x->finding->col != y->finding->col)
        return x->finding->col < y->finding->col ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/* How many files had a finding before this one. */
static size_t file_rank(struct ty_map *files, const char *file)
{
    void *rank = ty_map_get(files, ty_str(file));

    if (!rank) {
        rank = (void *)(uintptr_t)(files->n + 1);
        ty_map_put(files, ty_str(file), rank);
    }
    return (size_t)(uintptr_t)rank;
}

void ty_findings_sort(struct ty_findings *f)
{
    size_t n = 0, all_n = f->n_errors + f->n_warnings;
    struct finding_place *all = ty_new_n(f->arena, struct finding_place, all_n + 1);
    struct ty_map files = { 0 };
    for (struct ty_finding *x = f->first; x && n < all_n; x = x->next, n++)
        all[n] = (struct finding_place){ x, file_rank(&files, x->file), n };
    ty_map_done(&files);
    qsort(all, n, sizeof(*all), by_place);
    struct ty_finding **at = &f->first;
    for (size_t i = 0; i < n; i++) {
        *at = f->last = all[i].finding;
        at = &all[i].finding->next;
    }
    *at = NULL;
}

void ty_findings_done(struct ty_findings *f)
{
    ty_finding_dedup_done(&f->dedup);
}

static void print_field(struct ty_buf *out, const struct ty_finding *f)
{
    ty_buf_printf(out, "%s: ", f->path);
    if (strcmp(f->type, "Unknown field") == 0) {
        ty_buf_cstr(out, "unknown field");
        return;
    }
    ty_buf_cstr(out, f->type);
    if (f->value && strlen(f->value) <= SHORT_VALUE)
        ty_buf_printf(out, ": %s", f->value);
    if (f->detail)
        ty_buf_printf(out, ": %s", f->detail);
}

static void print_text(struct ty_buf *out, const struct ty_finding *f)
{
    if (f->path && f->type) {
        print_field(out, f);
    } else {
        if (f->kind && !f->type) /* else the text names the field */
            ty_buf_printf(out, "%s %s: ", f->kind, f->name);
        ty_buf_cstr(out, f->detail ? f->detail : "invalid");
    }
    if (f->hint)
        ty_buf_printf(out, " (%s)", f->hint);
}

/* Names, values and texts quote the file, which may be of others. */
static void put_clean(struct ty_buf *out, const struct ty_buf *text)
{
    ty_buf_grow(out, text->n);
    if (!out->full && text->n)
        out->n += ty_text_clean_keep(ty_buf_str(text), "\n", out->p + out->n);
}

void ty_findings_print_one(struct ty_buf *out, const struct ty_finding *f, bool colour)
{
    ty_auto_buf text = { 0 }, file = { 0 };
    const char *bold = colour ? "\033[1m" : "", *plain = colour ? "\033[0m" : "";
    ty_buf_cstr(out, bold);
    ty_buf_cstr(&file, f->file);
    put_clean(out, &file);
    if (f->line)
        ty_buf_printf(out, ":%u", f->line);
    if (f->line && f->col)
        ty_buf_printf(out, ":%u", f->col);
    ty_buf_printf(out, ":%s ", plain);
    if (f->warning)
        ty_buf_printf(out, "%swarning:%s ", colour ? "\033[1;33m" : "", plain);
    print_text(&text, f);
    put_clean(out, &text);
}

void ty_findings_print(struct ty_buf *out, const struct ty_findings *f, bool colour)
{
    for (const struct ty_finding *x = f->first; x; x = x->next) {
        ty_findings_print_one(out, x, colour);
        ty_buf_chr(out, '\n');
    }
}

static void set_text(struct ty_arena *a, struct ty_json *obj, const char *key, const char *text)
{
    if (text)
        ty_json_set(a, obj, key, ty_json_cstr(a, text));
}

struct ty_json *ty_findings_json(struct ty_arena *a, const struct ty_findings *f)
{
    struct ty_json *list = ty_json_array(a);
    for (const struct ty_finding *x = f->first; x; x = x->next) {
        struct ty_json *o = ty_json_object(a);
        set_text(a, o, "severity", x->warning ? "warning" : "error");
        set_text(a, o, "file", x->file);
        if (x->line)
            ty_json_set(a, o, "line", ty_json_int(a, x->line));
        if (x->line && x->col)
            ty_json_set(a, o, "column", ty_json_int(a, x->col));
        set_text(a, o, "kind", x->kind);
        set_text(a, o, "name", x->name);
        set_text(a, o, "path", x->path);
        set_text(a, o, "type", x->type);
        set_text(a, o, "value", x->value);
        set_text(a, o, "detail", x->detail);
        set_text(a, o, "hint", x->hint);
        ty_json_push(a, list, o);
    }
    return list;
}
