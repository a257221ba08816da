/* Checks the size limits of a schema before anything is built from a value. Stops at the first list
 * that is too long. */
#include "api/schema_inner.h"

static bool text_fits(const struct ty_schema *s, const struct ty_json *v)
{
    return !s->max_len || v->type != TY_JSON_STRING || v->n <= s->max_len ||
           ty_schema_rune_count(ty_json_as_str(v)) <= s->max_len;
}

bool ty_schema_bounded(const struct ty_schema *s, const struct ty_json *v)
{
    if (!text_fits(s, v) || (s->max_items && v->type == TY_JSON_ARRAY && v->n > s->max_items))
        return false;
    if (s->type == TY_T_ARRAY)
        ty_each_item (it, v)
            if (!ty_schema_bounded(s->items, *it))
                return false;
    if (s->type == TY_T_OBJECT || s->type == TY_T_MAP)
        ty_each_member (m, v) {
            const struct ty_schema *inner = ty_schema_member(s, m->key);
            if (inner && !ty_schema_bounded(inner, m->value))
                return false;
        }
    return true;
}
