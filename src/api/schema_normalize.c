/* An object as Go would write it after decoding it into its typed struct. Upstream's controller
 * does that to a runtime before it builds children, so its applied objects show the effects: zero
 * values are missing, structs by value are present, quantities are canonical. */
#include "api/go_value.h"
#include "api/quantity.h"
#include "api/schema.h"

#include <assert.h>

enum { MAX_FIELDS = 96 };

/* Does not need the length of `name`, which the tables do not have; keys may contain zero bytes. */
static bool is_named(const char *name, struct ty_str key)
{
    size_t i = 0;

    while (i < key.n && name[i] == key.p[i] && name[i])
        i++;
    return i == key.n && !name[i];
}

const struct ty_field *ty_schema_field(const struct ty_schema *s, struct ty_str name)
{
    if (s->type != TY_T_OBJECT || !s->fields)
        return NULL;
    for (const struct ty_field *f = s->fields; f->name; f++)
        if (is_named(f->name, name))
            return f;
    return NULL;
}

static struct ty_json *normalize_value(struct ty_arena *a, const struct ty_schema *s,
                                       const struct ty_json *v);

static struct ty_json *copy_value(struct ty_arena *a, const struct ty_json *v)
{
    struct ty_json *n = ty_arena_raw(a, sizeof(*n), _Alignof(struct ty_json));

    *n = *v;
    return n;
}

/* Copies line, column and origin. */
static struct ty_json *copy_place(struct ty_json *n, const struct ty_json *v)
{
    n->line = v->line;
    n->col = v->col;
    n->origin = v->origin;
    return n;
}

/* What Go writes for a value that was never set; NULL: nothing. */
static struct ty_json *zero_value(struct ty_arena *a, const struct ty_schema *s)
{
    switch (s->type) {
    case TY_T_OBJECT: {
        const struct ty_json empty = { .type = TY_JSON_OBJECT };
        return normalize_value(a, s, &empty);
    }
    case TY_T_STRING:
        return ty_json_str(a, TY_LIT(""));
    case TY_T_INTEGER:
    case TY_T_NUMBER:
    case TY_T_INT_OR_STRING:
        return ty_json_int(a, 0);
    case TY_T_BOOLEAN:
        return ty_json_bool(a, false);
    case TY_T_QUANTITY:
        return ty_json_str(a, TY_LIT("0"));
    case TY_T_MAP:
    case TY_T_ARRAY:
    case TY_T_TIME:
    case TY_T_ANY:
        break;
    }
    return NULL;
}

static bool is_zero(const struct ty_json *v)
{
    switch ((enum ty_json_type)v->type) {
    case TY_JSON_NULL:
        return true;
    case TY_JSON_BOOL:
        return !v->b;
    case TY_JSON_INT:
        return v->i == 0;
    case TY_JSON_STRING:
    case TY_JSON_ARRAY:
    case TY_JSON_OBJECT:
        return v->n == 0;
    case TY_JSON_NUMBER:
        break;
    }
    return false;
}

static struct ty_json *normal_scalar(struct ty_arena *a, const struct ty_schema *s,
                                     const struct ty_json *v)
{
    struct ty_quantity q;
    int64_t i;

    if (s->type == TY_T_QUANTITY && ty_quantity_of(v, &q))
        return copy_place(ty_quantity_json(a, q), v);
    if (s->type == TY_T_INTEGER && v->type == TY_JSON_NUMBER && ty_go_integer(v, &i))
        return copy_place(ty_json_int(a, i), v);
    return copy_value(a, v);
}

static struct ty_json *normal_list(struct ty_arena *a, const struct ty_schema *s,
                                   const struct ty_json *v)
{
    struct ty_json *n = copy_value(a, v);

    n->cap = v->n;
    n->items = ty_arena_raw(a, sizeof(*n->items) * v->n, _Alignof(struct ty_json *));
    n->n = 0;
    for (uint32_t i = 0; i < v->n && !ty_arena_full(a); i++) {
        struct ty_json *x = v->items[i]->type == TY_JSON_NULL ? zero_value(a, s->items) : NULL;
        n->items[n->n++] =
            x ? copy_place(x, v->items[i]) : normalize_value(a, s->items, v->items[i]);
    }
    return n;
}

static struct ty_json *normal_map(struct ty_arena *a, const struct ty_schema *s,
                                  const struct ty_json *v)
{
    struct ty_json *n = copy_value(a, v);

    n->n = 0;
    n->cap = v->n;
    n->members = ty_arena_raw(a, sizeof(*n->members) * v->n, _Alignof(struct ty_json_member));
    for (uint32_t i = 0; i < v->n && !ty_arena_full(a); i++) {
        const struct ty_json_member *m = &v->members[i];
        struct ty_json *x = m->value->type == TY_JSON_NULL ? zero_value(a, s->items)
                                                           : normalize_value(a, s->items, m->value);
        if (x)
            n->members[n->n++] = (struct ty_json_member){ m->key, x };
    }
    return n;
}

/* The normal form of field f, whose value in the input is v or NULL; NULL: not written. */
static struct ty_json *normal_field(struct ty_arena *a, const struct ty_field *f,
                                    const struct ty_json *v)
{
    if (!v || v->type == TY_JSON_NULL)
        return f->flags & (TY_F_ALWAYS | TY_F_ZERO) ? zero_value(a, f->schema) : NULL;
    if ((f->flags & TY_F_OMITZERO) && is_zero(v))
        return NULL;
    struct ty_json *n = normalize_value(a, f->schema, v);
    /* A struct can become zero by normalization, if all its fields were zero (0.0). */
    return (f->flags & TY_F_OMITZERO) && is_zero(n) ? NULL : n;
}

static struct ty_json *normal_object(struct ty_arena *a, const struct ty_schema *s,
                                     const struct ty_json *v)
{
    const struct ty_json *slot[MAX_FIELDS];
    size_t fields = 0, extra = 0;

    for (const struct ty_field *f = s->fields; f && f->name; f++) {
        assert(fields < MAX_FIELDS);
        slot[fields++] = NULL;
        extra += (f->flags & (TY_F_ALWAYS | TY_F_ZERO)) != 0;
    }
    for (uint32_t i = 0; i < v->n; i++) {
        const struct ty_field *f = ty_schema_field(s, v->members[i].key);
        if (f)
            slot[f - s->fields] = v->members[i].value;
    }
    struct ty_json *n = copy_value(a, v);
    n->n = 0;
    n->cap = v->n + (uint32_t)extra;
    n->members = ty_arena_raw(a, sizeof(*n->members) * n->cap, _Alignof(struct ty_json_member));
    for (size_t i = 0; i < fields; i++) {
        if (!slot[i] && !(s->fields[i].flags & (TY_F_ALWAYS | TY_F_ZERO)))
            continue;
        struct ty_json *x = normal_field(a, &s->fields[i], slot[i]);
        if (x)
            n->members[n->n++] = (struct ty_json_member){ ty_str(s->fields[i].name), x };
    }
    return n;
}

static struct ty_json *normalize_value(struct ty_arena *a, const struct ty_schema *s,
                                       const struct ty_json *v)
{
    if (v->type == TY_JSON_OBJECT && s->type == TY_T_OBJECT)
        return normal_object(a, s, v);
    if (v->type == TY_JSON_OBJECT && s->type == TY_T_MAP)
        return normal_map(a, s, v);
    if (v->type == TY_JSON_ARRAY && s->type == TY_T_ARRAY)
        return normal_list(a, s, v);
    if (v->type >= TY_JSON_ARRAY)
        return ty_json_copy(a, v, 0);
    return normal_scalar(a, s, v);
}

struct ty_json *ty_schema_normalize(struct ty_arena *a, const struct ty_schema *s,
                                    const struct ty_json *v)
{
    return normalize_value(a, s, v);
}
