/* Applies defaults as the API server does when it decodes an object: absent fields with a default
 * get it; nulls that a field does not allow become its default, or are removed. */
#include "api/schema_inner.h"

#include <assert.h>

/* Defaults are literals in the tables. Most are strings, numbers or booleans, which need no parser.
 */
static struct ty_json *parse_default(struct ty_arena *a, const char *text)
{
    struct ty_str s = ty_str(text);
    int64_t i;

    if (s.n >= 2 && text[0] == '"' && !strchr(text, '\\'))
        return ty_json_str(a, (struct ty_str){ text + 1, s.n - 2 });
    if (ty_str_parse_i64(s, &i))
        return ty_json_int(a, i);
    if (ty_str_is(s, "true") || ty_str_is(s, "false"))
        return ty_json_bool(a, text[0] == 't');
    struct ty_json *v = ty_json_parse(a, s, NULL, NULL);
    assert(v);
    return v;
}

static bool unwanted_null(const struct ty_schema *s, const struct ty_json *v)
{
    return v->type == TY_JSON_NULL && !s->nullable && s->type != TY_T_ANY;
}

static void add_missing(struct ty_arena *a, const struct ty_schema *s, struct ty_json *v)
{
    for (const struct ty_field *f = s->fields; f && f->name; f++) {
        if (!f->def)
            continue;
        const struct ty_json *have = ty_json_get(v, f->name);
        if (!have || unwanted_null(f->schema, have))
            ty_json_set(a, v, f->name, parse_default(a, f->def));
    }
}

static void default_members(struct ty_arena *a, const struct ty_schema *s, struct ty_json *v)
{
    uint32_t kept = 0;

    if (s->type == TY_T_OBJECT)
        add_missing(a, s, v);
    for (uint32_t i = 0; i < v->n; i++) {
        struct ty_json_member m = v->members[i];
        bool look = m.value->type == TY_JSON_NULL || m.value->type >= TY_JSON_ARRAY;
        const struct ty_schema *ms = look ? ty_schema_member(s, m.key) : NULL;
        if (ms && unwanted_null(ms, m.value))
            continue;
        v->members[kept++] = m;
        if (ms)
            ty_schema_default(a, ms, m.value);
    }
    v->n = kept;
}

void ty_schema_default(struct ty_arena *a, const struct ty_schema *s, struct ty_json *v)
{
    if (v->type == TY_JSON_OBJECT && (s->type == TY_T_OBJECT || s->type == TY_T_MAP)) {
        default_members(a, s, v);
    } else if (v->type == TY_JSON_ARRAY && s->type == TY_T_ARRAY) {
        for (uint32_t i = 0; i < v->n; i++)
            if (v->items[i]->type >= TY_JSON_ARRAY)
                ty_schema_default(a, s->items, v->items[i]);
    }
}
