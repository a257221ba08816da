/* Explains kinds and fields from the schema tables. */
#include "api/explain.h"

#include <assert.h>
#include <errno.h>

#include "api/kind.h"
#include "api/schema_inner.h"

enum { WIDTH = 80, MAX_DEPTH = 32, MAX_FIELDS = 96 };

/* ---- text ---- */

static void put_type(struct ty_buf *out, const struct ty_schema *s)
{
    static const char *const words[] = {
        [TY_T_OBJECT] = "Object",   [TY_T_STRING] = "string",
        [TY_T_INTEGER] = "integer", [TY_T_NUMBER] = "number",
        [TY_T_BOOLEAN] = "boolean", [TY_T_INT_OR_STRING] = "IntOrString",
        [TY_T_TIME] = "Time",       [TY_T_QUANTITY] = "Quantity",
        [TY_T_ANY] = "any",         [TY_T_MAP] = "map[string]",
        [TY_T_ARRAY] = "[]",
    };

    if (s->type == TY_T_OBJECT && s->go)
        ty_buf_cstr(out, s->go);
    else
        ty_buf_cstr(out, words[s->type]);
    if (s->type == TY_T_MAP || s->type == TY_T_ARRAY)
        put_type(out, s->items);
}

/* Prints `text` in lines of at most WIDTH columns, each after `indent` spaces. */
static void put_wrapped(struct ty_buf *out, int indent, const char *text)
{
    struct ty_str rest = ty_str(text);
    size_t column = 0;

    while (rest.n > 0) {
        struct ty_str word, next = ty_str_cut(rest, ' ', &word);
        if (column > 0 && column + 1 + word.n > WIDTH) {
            ty_buf_chr(out, '\n');
            column = 0;
        }
        if (column == 0)
            ty_buf_printf(out, "%*s", indent, "");
        else
            ty_buf_chr(out, ' ');
        column += (column == 0 ? (size_t)indent : 1) + word.n;
        ty_buf_add(out, word);
        rest = next;
    }
    ty_buf_chr(out, '\n');
}

/* The schema of the values: for lists and maps that of their items. */
static const struct ty_schema *of_items(const struct ty_schema *s)
{
    while (s->type == TY_T_ARRAY || s->type == TY_T_MAP)
        s = s->items;
    return s;
}

static void put_enum(struct ty_buf *out, const struct ty_schema *s, const char *before,
                     const char *between)
{
    for (const char *const *e = of_items(s)->enums; e && *e; e++)
        ty_buf_printf(out, "%s%s", e == of_items(s)->enums ? before : between, **e ? *e : "\"\"");
    if (of_items(s)->enums)
        ty_buf_chr(out, '\n');
}

static void put_notes(struct ty_buf *out, int indent, const struct ty_field *f)
{
    if (f->flags & TY_F_DEPRECATED)
        put_wrapped(out, indent, "DEPRECATED: accepted for manifests of earlier releases.");
    else if (f->flags & TY_F_OURS)
        put_wrapped(out, indent, "A trainyard extension: Kubeflow Trainer does not know it.");
}

/* ---- lists of fields ---- */

static int by_name(const void *a, const void *b)
{
    const struct ty_field *const *x = a, *const *y = b;

    return strcmp((*x)->name, (*y)->name);
}

static size_t sorted_fields(const struct ty_schema *s, const struct ty_field *list[MAX_FIELDS])
{
    size_t n = 0;

    for (const struct ty_field *f = s->type == TY_T_OBJECT ? s->fields : NULL; f && f->name; f++) {
        assert(n < MAX_FIELDS);
        list[n++] = f;
    }
    if (n > 1)
        qsort(list, n, sizeof(list[0]), by_name);
    return n;
}

static void put_head(struct ty_buf *out, int indent, const struct ty_field *f)
{
    ty_buf_printf(out, "%*s%s\t<", indent, "", f->name);
    put_type(out, f->schema);
    ty_buf_printf(out, ">%s\n", f->flags & TY_F_REQUIRED ? " -required-" : "");
}

static void put_fields(struct ty_buf *out, const struct ty_schema *s)
{
    const struct ty_field *list[MAX_FIELDS];
    size_t n = sorted_fields(s, list);

    for (size_t i = 0; i < n; i++) {
        const struct ty_field *f = list[i];
        put_head(out, 2, f);
        put_enum(out, f->schema, "  enum: ", ", ");
        if (f->def)
            ty_buf_printf(out, "  default: %s\n", f->def);
        if (f->doc || f->schema->doc)
            put_wrapped(out, 4, f->doc ? f->doc : f->schema->doc);
        put_notes(out, 4, f);
        ty_buf_chr(out, '\n');
    }
}

static void put_tree(struct ty_buf *out, const struct ty_schema *s, int depth)
{
    const struct ty_field *list[MAX_FIELDS];
    size_t n = sorted_fields(s, list);

    if (depth > MAX_DEPTH)
        return;
    for (size_t i = 0; i < n; i++) {
        put_head(out, 2 * depth, list[i]);
        put_tree(out, of_items(list[i]->schema), depth + 1);
    }
}

/* ---- one field ---- */

static void put_bounds(struct ty_buf *out, const struct ty_schema *s)
{
    if (s->has_min)
        ty_buf_printf(out, "    - at least %lld\n", (long long)s->min);
    if (s->has_max)
        ty_buf_printf(out, "    - at most %lld\n", (long long)s->max);
    if (s->pattern)
        ty_buf_printf(out, "    - matches %s\n", s->pattern);
    if (s->list_set)
        ty_buf_cstr(out, "    - no item twice\n");
    for (const char *const *k = s->list_keys; k && *k; k++)
        ty_buf_printf(out, "%s%s%s", k == s->list_keys ? "    - items differ in " : " and ", *k,
                      k[1] ? "" : "\n");
    for (const struct ty_rule *r = s->rules; r && r->message; r++)
        ty_buf_printf(out, "    - %s\n", r->message);
}

static void put_size(struct ty_buf *out, const char *bound, uint32_t n, const char *what)
{
    if (n)
        ty_buf_printf(out, "    - at %s %u %s%s\n", bound, n, what, n == 1 ? "" : "s");
}

static void put_rules(struct ty_buf *out, const struct ty_schema *s)
{
    ty_auto_buf rules = { 0 };

    put_size(&rules, "least", s->min_len, "character");
    put_size(&rules, "most", s->max_len, "character");
    put_size(&rules, "least", s->min_items, "item");
    put_size(&rules, "most", s->max_items, "item");
    put_size(&rules, "least", s->min_props, "field");
    put_bounds(&rules, s);
    if (rules.n > 0)
        ty_buf_printf(out, "RULES:\n%.*s\n", TY_ARG(ty_buf_str(&rules)));
}

static void put_description(struct ty_buf *out, const struct ty_field *f, const struct ty_schema *s)
{
    const struct ty_schema *item = of_items(s);
    const char *doc = f && f->doc ? f->doc : s->doc ? s->doc : item->doc;

    ty_buf_cstr(out, "DESCRIPTION:\n");
    if (doc) {
        put_wrapped(out, 4, doc);
    } else if (item->type == TY_T_OBJECT && item->go) {
        ty_buf_printf(out, "    %s of the Kubernetes API.\n", item->go);
    } else {
        ty_buf_cstr(out, "    A field of the Kubernetes API.\n");
    }
    if (f)
        put_notes(out, 4, f);
    ty_buf_chr(out, '\n');
}

static void put_kind(struct ty_buf *out, const struct ty_kind *k)
{
    if (*k->group)
        ty_buf_printf(out, "GROUP:      %s\n", k->group);
    ty_buf_printf(out, "KIND:       %s\nVERSION:    %s\n\n", k->kind, k->version);
}

static void put_all(struct ty_buf *out, const struct ty_kind *k, const struct ty_field *f,
                    bool recursive)
{
    const struct ty_schema *s = f ? f->schema : k->schema;

    put_kind(out, k);
    if (f) {
        ty_buf_printf(out, "FIELD: %s <", f->name);
        put_type(out, s);
        ty_buf_printf(out, ">%s\n", f->flags & TY_F_REQUIRED ? " -required-" : "");
        put_enum(out, s, "ENUM:\n    ", "\n    ");
        if (f->def)
            ty_buf_printf(out, "DEFAULT: %s\n", f->def);
        ty_buf_chr(out, '\n');
    }
    put_description(out, f, s);
    put_rules(out, s);
    s = of_items(s);
    if (s->type != TY_T_OBJECT || !s->fields)
        return;
    ty_buf_cstr(out, "FIELDS:\n");
    if (recursive)
        put_tree(out, s, 1);
    else
        put_fields(out, s);
}

/* ---- resolving the path ---- */

static int fail_kind(struct ty_str name, struct ty_err *err)
{
    const char *names[MAX_FIELDS];
    size_t n = 0;
    ty_auto_buf list = { 0 };

    for (const struct ty_kind *const *k = ty_kinds; *k; k++) {
        if (!(*k)->schema)
            continue;
        names[n++] = (*k)->singular;
        ty_buf_printf(&list, "%s%s", n > 1 ? ", " : "", (*k)->singular);
    }
    const char *near = ty_str_nearest(name, names, n);
    if (near)
        return ty_fail(err, -ENOENT, "there is no kind \"%.*s\"; did you mean %s?", TY_ARG(name),
                       near);
    return ty_fail(err, -ENOENT, "there is no kind \"%.*s\" to explain; there are %.*s",
                   TY_ARG(name), TY_ARG(ty_buf_str(&list)));
}

static int fail_field(const struct ty_kind *k, const struct ty_schema_hint_scope *place,
                      struct ty_str key, struct ty_err *err)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 30);
    const struct ty_field *list[MAX_FIELDS];
    const char *hint =
        place->schema->type == TY_T_OBJECT ? ty_schema_hint_unknown(a, place, key) : NULL;
    const char *path = ty_errs_path_text(a, TY_KEYS(place->at, key));
    ty_auto_buf names = { 0 };

    if (hint)
        return ty_fail(err, -ENOENT, "%s has no field %s; %s", k->kind, path, hint);
    size_t n = sorted_fields(place->schema, list);
    if (n == 0)
        return ty_fail(err, -ENOENT, "%s has no field %s", k->kind, path);
    for (size_t i = 0; i < n; i++)
        ty_buf_printf(&names, "%s%s", i ? ", " : "", list[i]->name);
    return ty_fail(err, -ENOENT, "%s has no field %s; there are %.*s", k->kind, path,
                   TY_ARG(ty_buf_str(&names)));
}

/* One step down. Paths and indexes live in the frames of this recursion. */
static int explain_path(struct ty_buf *out, const struct ty_kind *k,
                        const struct ty_schema_hint_scope *place, const struct ty_field *f,
                        struct ty_str rest, bool recursive, struct ty_err *err)
{
    static const struct ty_field value = { .name = "value" };
    struct ty_str word, key, next = ty_str_cut(rest, '.', &word);
    struct ty_field item = value;

    if (rest.n == 0) {
        put_all(out, k, f, recursive);
        return 0;
    }
    (void)ty_str_cut(word, '[', &key);
    const struct ty_schema *s = place->schema;
    const struct ty_field *child = ty_schema_field(s, key);
    if (s->type == TY_T_MAP) { /* any key is valid */
        item.schema = s->items;
        child = &item;
    }
    if (!child)
        return fail_field(k, place, key, err);
    s = child->schema;
    while (s->type == TY_T_ARRAY)
        s = s->items;
    const struct ty_schema_hint_scope here = { place, s, TY_KEYS(place->at, key) };
    return explain_path(out, k, &here, child, next, recursive, err);
}

int ty_explain(struct ty_buf *out, struct ty_str path, bool recursive, struct ty_err *err)
{
    struct ty_str name, rest = ty_str_cut(path, '.', &name);
    const struct ty_kind *k = ty_kind_by_name(name);

    if (!k || !k->schema)
        return fail_kind(name, err);
    const struct ty_schema_hint_scope top = { NULL, k->schema, NULL };
    return explain_path(out, k, &top, NULL, rest, recursive, err);
}
