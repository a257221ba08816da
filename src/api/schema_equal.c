/* Compares two values as the API server does for "field is immutable". */
#include "api/schema_equal.h"

/* Both have the same value, or none, for every key of the list. */
static bool same_keys(const char *const *keys, const struct ty_json *a, const struct ty_json *b)
{
    for (; *keys; keys++) {
        const struct ty_json *x = ty_json_get(a, *keys), *y = ty_json_get(b, *keys);
        if (x && y ? !ty_json_eq(x, y) : x != y)
            return false;
    }
    return true;
}

static bool same_item(const struct ty_schema *s, const struct ty_json *x,
                      const struct ty_json *list)
{
    ty_each_item (it, list) {
        if (s->list_keys && !same_keys(s->list_keys, x, *it))
            continue;
        if (ty_schema_equal(s->items, x, *it))
            return true;
        if (s->list_keys)
            return false;
    }
    return false;
}

static bool same_list(const struct ty_schema *s, const struct ty_json *a, const struct ty_json *b)
{
    if (ty_json_len(a) != ty_json_len(b))
        return false;
    for (size_t i = 0; i < ty_json_len(a); i++) {
        const struct ty_json *x = ty_json_item(a, i);
        if (s->list_keys || s->list_set ? !same_item(s, x, b)
                                        : !ty_schema_equal(s->items, x, ty_json_item(b, i)))
            return false;
    }
    return true;
}

static const struct ty_schema *member_schema(const struct ty_schema *s, struct ty_str key)
{
    if (s->type == TY_T_MAP)
        return s->items;
    for (const struct ty_field *f = s->fields; f && f->name; f++)
        if (ty_str_is(key, f->name))
            return f->schema;
    return NULL;
}

static bool same_members(const struct ty_schema *s, const struct ty_json *a,
                         const struct ty_json *b)
{
    if (ty_json_len(a) != ty_json_len(b))
        return false;
    ty_each_member (m, a) {
        const struct ty_json *other = ty_json_find(b, m->key);
        if (!other || !ty_schema_equal(member_schema(s, m->key), m->value, other))
            return false;
    }
    return true;
}

bool ty_schema_equal(const struct ty_schema *s, const struct ty_json *a, const struct ty_json *b)
{
    if (s && ty_json_is(a, TY_JSON_ARRAY) && ty_json_is(b, TY_JSON_ARRAY) && s->type == TY_T_ARRAY)
        return same_list(s, a, b);
    if (s && ty_json_is(a, TY_JSON_OBJECT) && ty_json_is(b, TY_JSON_OBJECT) &&
        (s->type == TY_T_OBJECT || s->type == TY_T_MAP))
        return same_members(s, a, b);
    return ty_json_eq(a, b);
}
