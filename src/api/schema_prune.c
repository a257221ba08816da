/* Removes fields that a schema does not have, as the API server does before it stores an object,
 * and reports them: most are typing mistakes or fields in the wrong place. */
#include "api/schema_inner.h"

struct prune {
    struct ty_arena *arena;
    struct ty_errs *errs; /* may be NULL */
};

/* apiVersion and kind are fields of every object, even if the table does not list them. */
static bool is_type_meta(const struct ty_field_path *at, struct ty_str key)
{
    return !at &&
           (ty_str_is(key, "apiVersion") || ty_str_is(key, "kind") || ty_str_is(key, "metadata"));
}

static void report_unknown(const struct prune *p, const struct ty_schema_hint_scope *place,
                           const struct ty_json_member *m)
{
    if (!p->errs)
        return;
    struct ty_field_err *e =
        ty_errs_add(p->errs, TY_KEYS(place->at, m->key), TY_UNKNOWN, NULL, "%s", "");
    e->at = m->value;
    e->hint = ty_schema_hint_unknown(p->errs->arena, place, m->key);
}

static void prune_value(const struct prune *p, const struct ty_schema *s, struct ty_json *v,
                        const struct ty_field_path *at, const struct ty_schema_hint_scope *up);

static void prune_object(const struct prune *p, const struct ty_schema *s, struct ty_json *v,
                         const struct ty_field_path *at, const struct ty_schema_hint_scope *up)
{
    const struct ty_schema_hint_scope here = { up, s, at };
    uint32_t kept = 0;

    for (uint32_t i = 0; i < v->n; i++) {
        struct ty_json_member m = v->members[i];
        const struct ty_schema *ms = ty_schema_member(s, m.key);
        if (!ms && !is_type_meta(at, m.key)) {
            report_unknown(p, &here, &m);
            continue;
        }
        v->members[kept++] = m;
        if (ms && m.value->type >= TY_JSON_ARRAY)
            prune_value(p, ms, m.value, TY_KEYS(at, m.key), &here);
    }
    v->n = kept;
}

static void prune_value(const struct prune *p, const struct ty_schema *s, struct ty_json *v,
                        const struct ty_field_path *at, const struct ty_schema_hint_scope *up)
{
    if (v->type == TY_JSON_OBJECT && (s->type == TY_T_OBJECT || s->type == TY_T_MAP)) {
        prune_object(p, s, v, at, up);
    } else if (v->type == TY_JSON_ARRAY && s->type == TY_T_ARRAY) {
        for (uint32_t i = 0; i < v->n; i++)
            if (v->items[i]->type >= TY_JSON_ARRAY)
                prune_value(p, s->items, v->items[i], TY_IDX(at, i), up);
    }
}

void ty_schema_prune(struct ty_arena *a, const struct ty_schema *s, struct ty_json *v,
                     const struct ty_field_path *at, struct ty_errs *errs)
{
    prune_value(&(const struct prune){ a, errs }, s, v, at, NULL);
}
