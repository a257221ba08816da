/* The API server's validation of an object against its CRD, with its messages: first types, bounds
 * and patterns of every value, then duplicates in lists, then rules. On update, an error in an
 * unchanged value is ignored (ratcheting). */
#include <errno.h>

#include "api/go_value.h"
#include "api/schema_equal.h"
#include "api/schema_inner.h"

static const char *const json_words[] = {
    [TY_JSON_NULL] = "null",     [TY_JSON_BOOL] = "boolean",  [TY_JSON_INT] = "integer",
    [TY_JSON_NUMBER] = "number", [TY_JSON_STRING] = "string", [TY_JSON_ARRAY] = "array",
    [TY_JSON_OBJECT] = "object",
};
/* Go's format names of decoded numbers; other types have none. */
static const char *const json_formats[] = {
    [TY_JSON_INT] = "int64", [TY_JSON_NUMBER] = "float64", [TY_JSON_OBJECT] = NULL
};
static const char *const type_words[] = {
    [TY_T_OBJECT] = "object",
    [TY_T_MAP] = "object",
    [TY_T_ARRAY] = "array",
    [TY_T_STRING] = "string",
    [TY_T_INTEGER] = "integer",
    [TY_T_NUMBER] = "number",
    [TY_T_BOOLEAN] = "boolean",
    [TY_T_TIME] = "string",
    [TY_T_INT_OR_STRING] = "integer,string",
    [TY_T_QUANTITY] = "integer,string",
};

/* The path in "… in body" texts: empty for the root, for which ty_errs_path_text prints <nil>. */
static const char *body_text(const struct ty_schema_walk *w, const struct ty_field_path *at)
{
    struct ty_arena *a = w->errs->arena;
    const char *text = at ? ty_errs_path_text(a, at) : "";

    if (w->at == w->body)
        return text;
    text += w->at ? strlen(ty_errs_path_text(a, w->at)) : 0;
    if (!w->body)
        return *text == '.' ? text + 1 : text;
    return ty_arena_printf(a, "%s%s", ty_errs_path_text(a, w->body), text);
}

#define TY_ADD(w, node, path, why, value, ...)                                                     \
    (at_value((node), ty_errs_add((w)->errs, (path), (why), (value), __VA_ARGS__)))

static struct ty_field_err *at_value(const struct ty_json *v, struct ty_field_err *e)
{
    e->at = v;
    return e;
}

static bool is_whole(const struct ty_json *v)
{
    int64_t i;
    return ty_go_integer(v, &i);
}

bool ty_schema_type_matches(enum ty_schema_type type, const struct ty_json *v)
{
    switch (type) {
    case TY_T_OBJECT:
    case TY_T_MAP:
        return v->type == TY_JSON_OBJECT;
    case TY_T_ARRAY:
        return v->type == TY_JSON_ARRAY;
    case TY_T_STRING:
    case TY_T_TIME:
        return v->type == TY_JSON_STRING;
    case TY_T_NUMBER:
        return v->type == TY_JSON_INT || v->type == TY_JSON_NUMBER;
    case TY_T_BOOLEAN:
        return v->type == TY_JSON_BOOL;
    case TY_T_INTEGER:
    case TY_T_INT_OR_STRING:
    case TY_T_QUANTITY:
    case TY_T_ANY:
        return true;
    }
    return true;
}

static bool type_fits(const struct ty_schema *s, const struct ty_json *v)
{
    if (v->type == TY_JSON_NULL)
        return s->nullable || s->type == TY_T_ANY;
    if (s->type == TY_T_INTEGER)
        return is_whole(v);
    if (s->type == TY_T_INT_OR_STRING || s->type == TY_T_QUANTITY)
        return v->type == TY_JSON_STRING || is_whole(v);
    return ty_schema_type_matches(s->type, v);
}

/* The bound that a number exceeds in words, because the API server's name only Go's types. */
static void explain_number(const struct ty_schema_walk *w, const struct ty_schema *s,
                           const struct ty_json *v, const struct ty_field_path *at,
                           struct ty_field_err *e)
{
    struct ty_arena *a = w->errs->arena;
    bool small = s->format && strcmp(s->format, "int32") == 0;

    if (s->type != TY_T_INTEGER || (v->type != TY_JSON_INT && v->type != TY_JSON_NUMBER))
        return;
    if (ty_str_starts(ty_json_text(a, v), TY_LIT("-")))
        e->rule = ty_arena_printf(a, "must be a whole number of at least %lld",
                                  small ? (long long)INT32_MIN : (long long)INT64_MIN);
    else
        e->rule = ty_arena_printf(a, "must be a whole number of at most %lld",
                                  small ? (long long)INT32_MAX : (long long)INT64_MAX);
    e->field = ty_errs_path_text(a, at);
}

static void add_type(const struct ty_schema_walk *w, const struct ty_schema *s,
                     const struct ty_json *v, const struct ty_field_path *at, const char *want)
{
    const char *body = body_text(w, at), *got = json_words[v->type];
    const char *format = s->type == TY_T_TIME ? "date-time" : s->format;

    /* Go checks the format first, unless the value is a string, a list or null. */
    if (format && v->type != TY_JSON_NULL && v->type != TY_JSON_STRING &&
        v->type != TY_JSON_ARRAY) {
        want = format;
        got = json_formats[v->type] ? json_formats[v->type] : "";
    }
    const char *value = ty_arena_printf(w->errs->arena, "\"%s\"", got);
    struct ty_field_err *e = TY_ADD(w, v, at, TY_TYPE_INVALID, value,
                                    "%s in body must be of type %s: %s", body, want, value);
    e->hint = ty_schema_hint_type(w->errs->arena, s, v);
    explain_number(w, s, v, at, e);
}

/* A number that its Go type cannot hold. The API server reports it at the root. */
static void add_range(const struct ty_schema_walk *w, const struct ty_schema *s,
                      const struct ty_json *v, const struct ty_field_path *at)
{
    const char *body = body_text(w, at);

    if (s->format && s->type == TY_T_INTEGER)
        explain_number(w, s, v, at,
                       TY_ADD(w, v, w->at, TY_INVALID, "\"\"",
                              "Checked value must be of type integer with format %s in %s",
                              s->format, body));
    else
        TY_ADD(w, v, w->at, TY_INVALID, "\"\"",
               "Checked value must be of type integer (default format) in %s", body);
}

static void check_type(const struct ty_schema_walk *w, const struct ty_schema *s,
                       const struct ty_json *v, const struct ty_field_path *at)
{
    if (type_fits(s, v))
        return;
    add_type(w, s, v, at, type_words[s->type]);
    if ((s->type != TY_T_INT_OR_STRING && s->type != TY_T_QUANTITY) || v->type == TY_JSON_NULL)
        return;
    /* In the CRD this is an anyOf of two schemas; the errors of the first one are reported, too. */
    TY_ADD(w, v, w->at, TY_INVALID, "\"\"", "\"%s\" must validate at least one schema (anyOf)",
           body_text(w, at));
    add_type(w, s, v, at, "integer");
    if (v->type == TY_JSON_NUMBER)
        add_range(w, s, v, at);
}

size_t ty_schema_rune_count(struct ty_str s)
{
    size_t n = 0;

    for (size_t i = 0; i < s.n; i++)
        n += ((unsigned char)s.p[i] & 0xc0) != 0x80;
    return n;
}

static void check_pattern(const struct ty_schema_walk *w, const struct ty_schema *s,
                          const struct ty_json *v, const struct ty_field_path *at)
{
    bool quantity = s->type == TY_T_QUANTITY && !s->pattern_ok;
    struct ty_str text = ty_json_as_str(v);

    if (quantity ? ty_schema_is_quantity(text) : !s->pattern_ok || s->pattern_ok(text))
        return;
    TY_ADD(w, v, at, TY_INVALID, ty_go_value(w->errs->arena, v), "%s in body should match '%s'",
           body_text(w, at), quantity ? ty_schema_quantity_pattern : s->pattern)
        ->hint = ty_schema_hint_type(w->errs->arena, s, v);
}

static void check_string(const struct ty_schema_walk *w, const struct ty_schema *s,
                         const struct ty_json *v, const struct ty_field_path *at)
{
    struct ty_arena *a = w->errs->arena;

    /* Most strings have fewer bytes than the limit has characters. */
    if (s->max_len && v->n > s->max_len && ty_schema_rune_count(ty_json_as_str(v)) > s->max_len)
        TY_ADD(w, v, at, TY_TOO_LONG, NULL, "may not be more than %u byte%s", s->max_len,
               s->max_len == 1 ? "" : "s");
    else if (s->min_len && ty_schema_rune_count(ty_json_as_str(v)) < s->min_len)
        TY_ADD(w, v, at, TY_INVALID, ty_go_value(a, v),
               "%s in body should be at least %u chars long", body_text(w, at), s->min_len);
    else if (s->pattern_ok || s->type == TY_T_QUANTITY)
        check_pattern(w, s, v, at);
    if (s->type == TY_T_TIME && !ty_schema_is_date_time(ty_json_as_str(v))) {
        const char *text = ty_go_value(a, v);
        TY_ADD(w, v, at, TY_TYPE_INVALID, text, "%s in body must be of type date-time: %s",
               body_text(w, at), text)
            ->hint = ty_schema_hint_type(a, s, v);
    }
}

static bool in_range(const struct ty_schema *s, const struct ty_json *v)
{
    int64_t i;

    if (!ty_go_integer(v, &i))
        return false;
    return !s->format || strcmp(s->format, "int32") != 0 || (i >= INT32_MIN && i <= INT32_MAX);
}

static void check_number(const struct ty_schema_walk *w, const struct ty_schema *s,
                         const struct ty_json *v, const struct ty_field_path *at)
{
    struct ty_arena *a = w->errs->arena;
    bool plain = v->type == TY_JSON_INT;

    if (s->type == TY_T_INTEGER && !in_range(s, v))
        add_range(w, s, v, at);
    if (s->has_min && (plain ? v->i < s->min : ty_go_number(v) < (double)s->min))
        TY_ADD(w, v, at, TY_INVALID, ty_go_value(a, v),
               "%s in body should be greater than or equal to %lld", body_text(w, at),
               (long long)s->min);
    if (s->has_max && (plain ? v->i > s->max : ty_go_number(v) > (double)s->max))
        TY_ADD(w, v, at, TY_INVALID, ty_go_value(a, v),
               "%s in body should be less than or equal to %lld", body_text(w, at),
               (long long)s->max);
}

static void check_enum(const struct ty_schema_walk *w, const struct ty_schema *s,
                       const struct ty_json *v, const struct ty_field_path *at)
{
    ty_auto_buf list = { 0 };

    for (const char *const *e = s->enums; *e; e++)
        if (v->type == TY_JSON_STRING && ty_str_is(ty_json_as_str(v), *e))
            return;
    for (const char *const *e = s->enums; *e; e++) {
        ty_buf_cstr(&list, e == s->enums ? "" : ", ");
        ty_go_quote(&list, ty_str(*e));
    }
    TY_ADD(w, v, at, TY_UNSUPPORTED, ty_go_value(w->errs->arena, v), "supported values: %.*s",
           TY_ARG(ty_buf_str(&list)))
        ->hint = ty_schema_hint_enum(w->errs->arena, s, v);
}

static void check_value(const struct ty_schema_walk *w, const struct ty_schema *s,
                        const struct ty_json *v, const struct ty_json *old,
                        const struct ty_field_path *at);

static void check_list(const struct ty_schema_walk *w, const struct ty_schema *s,
                       const struct ty_json *v, const struct ty_json *old,
                       const struct ty_field_path *at)
{
    struct ty_arena *a = w->errs->arena;

    for (uint32_t i = 0; i < v->n; i++)
        check_value(w, s->items, v->items[i],
                    old ? ty_schema_correlate_item(s, v->items[i], old, i) : NULL, TY_IDX(at, i));
    if (v->n < s->min_items)
        TY_ADD(w, v, at, TY_INVALID, ty_arena_printf(a, "%u", v->n),
               "%s in body should have at least %u items", body_text(w, at), s->min_items);
    if (s->max_items && v->n > s->max_items)
        TY_ADD(w, v, at, TY_TOO_MANY, ty_arena_printf(a, "%u", v->n), "must have at most %u item%s",
               s->max_items, s->max_items == 1 ? "" : "s");
}

/* Absent required fields, sorted by name as in CRDs. */
static void check_required(const struct ty_schema_walk *w, const struct ty_schema *s,
                           const struct ty_json *v, const struct ty_field_path *at)
{
    const char *last = "";

    for (;;) {
        const char *next = NULL;
        for (const struct ty_field *f = s->fields; f && f->name; f++)
            if ((f->flags & TY_F_REQUIRED) && strcmp(f->name, last) > 0 &&
                (!next || strcmp(f->name, next) < 0) && !ty_json_get(v, f->name))
                next = f->name;
        if (!next)
            return;
        TY_ADD(w, v, TY_KEY(at, next), TY_REQUIRED, NULL, "%s", "");
        last = next;
    }
}

static void check_object(const struct ty_schema_walk *w, const struct ty_schema *s,
                         const struct ty_json *v, const struct ty_json *old,
                         const struct ty_field_path *at)
{
    if (s->metadata)
        return; /* in the CRD it is just an object */
    if (v->n < s->min_props)
        TY_ADD(w, v, at, TY_INVALID, ty_arena_printf(w->errs->arena, "%u", v->n),
               "%s in body should have at least %u properties", body_text(w, at), s->min_props);
    ty_each_member (m, v) {
        const struct ty_schema *ms = ty_schema_member(s, m->key);
        if (ms)
            check_value(w, ms, m->value, old ? ty_json_find(old, m->key) : NULL,
                        TY_KEYS(at, m->key));
    }
    if (s->type == TY_T_OBJECT)
        check_required(w, s, v, at);
}

static void check_value(const struct ty_schema_walk *w, const struct ty_schema *s,
                        const struct ty_json *v, const struct ty_json *old,
                        const struct ty_field_path *at)
{
    struct ty_errs before = *w->errs;

    if (ty_arena_full(w->errs->arena) || (w->errs->most && w->errs->n >= w->errs->most))
        return; /* the limit of errors is reached; the caller checks that */
    check_type(w, s, v, at);
    if (v->type == TY_JSON_STRING && s->type != TY_T_ANY)
        check_string(w, s, v, at);
    else if (v->type == TY_JSON_INT || v->type == TY_JSON_NUMBER)
        check_number(w, s, v, at);
    else if (v->type == TY_JSON_ARRAY && s->type == TY_T_ARRAY)
        check_list(w, s, v, old, at);
    if (s->enums)
        check_enum(w, s, v, at);
    if (v->type == TY_JSON_OBJECT && (s->type == TY_T_OBJECT || s->type == TY_T_MAP))
        check_object(w, s, v, old, at);
    if (w->errs->n > before.n && old && ty_schema_equal(s, v, old)) {
        *w->errs = before;
        if (before.last)
            before.last->next = NULL;
    }
}

static bool blocks_rules(const struct ty_field_err *e)
{
    return e->why == TY_REQUIRED || e->why == TY_UNSUPPORTED || e->why == TY_TOO_LONG ||
           e->why == TY_TOO_MANY || e->why == TY_TYPE_INVALID;
}

void ty_schema_validate_types(const struct ty_schema *s, const struct ty_json *v,
                              const struct ty_field_path *at, struct ty_errs *errs)
{
    const struct ty_schema_walk w = { errs, at, at };

    check_value(&w, s, v, NULL, at);
}

void ty_schema_validate(const struct ty_schema *s, const struct ty_json *v,
                        const struct ty_json *old, const struct ty_field_path *at,
                        const struct ty_field_path *body, struct ty_errs *errs)
{
    const struct ty_schema_walk w = { errs, at, body };
    struct ty_field_err *const before = errs->last;

    check_value(&w, s, v, old, at);
    /* Duplicates that existed before the update are allowed. */
    if (!old || ty_schema_check_duplicates(errs->arena, NULL, s, old, at) == 0)
        ty_schema_check_duplicates(errs->arena, errs, s, v, at);
    for (const struct ty_field_err *e = before ? before->next : errs->first; e; e = e->next) {
        if (!blocks_rules(e))
            continue;
        ty_errs_add(errs, NULL, TY_INVALID, "null",
                    "some validation rules were not checked because the object was invalid; "
                    "correct the existing errors to complete validation");
        return;
    }
    ty_schema_check_rules(errs, s, v, old, at);
}
