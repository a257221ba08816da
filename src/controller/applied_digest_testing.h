/* For tests: an object as the API server stores it after one apply, with its managedFields. */
#ifndef TY_CONTROLLER_APPLIED_DIGEST_TESTING_H
#define TY_CONTROLLER_APPLIED_DIGEST_TESTING_H

#include "controller/applied_digest_inner.h"
#include "json/json_testing.h"

static inline struct ty_json *applied_fields_of(struct ty_arena *a, const struct ty_schema *s,
                                                const struct ty_json *v, bool root);

static inline struct ty_json *applied_items_of(struct ty_arena *a, const struct ty_schema *s,
                                               const struct ty_json *list)
{
    struct ty_json *f = ty_json_object(a);

    ty_each_item (it, list) {
        struct ty_json *item = applied_fields_of(a, s->items, *it, false);
        struct ty_str key = ty_applied_digest_key(a, s, *it);
        if (item->n) /* else it is atomic */
            ty_json_set(a, item, ".", ty_json_object(a));
        ty_json_put(a, f, ty_str(ty_arena_printf(a, "k:%.*s", TY_ARG(key))), item);
    }
    return f;
}

static inline struct ty_json *applied_fields_of(struct ty_arena *a, const struct ty_schema *s,
                                                const struct ty_json *v, bool root)
{
    struct ty_json *f = ty_json_object(a);

    if (ty_json_is(v, TY_JSON_ARRAY) && s && s->list_keys)
        return applied_items_of(a, s, v);
    if (!ty_json_is(v, TY_JSON_OBJECT) || (s && s->map_atomic))
        return f;
    ty_each_member (m, v) {
        const struct ty_schema *is =
            root ? ty_applied_digest_root(s, m->key) : ty_applied_digest_member(s, m->key);
        if (!(root && ty_applied_digest_is_name(m->key, false)) &&
            !ty_str_is(m->key, "managedFields"))
            ty_json_put(a, f, ty_str(ty_arena_printf(a, "f:%.*s", TY_ARG(m->key))),
                        applied_fields_of(a, is, m->value, false));
    }
    return f;
}

/* A copy of obj, all of which `manager` has applied. */
static inline struct ty_json *applied_stored(struct ty_arena *a, const struct ty_schema *s,
                                             const struct ty_json *obj, const char *manager)
{
    struct ty_json *live = ty_json_copy(a, obj, 0), *entry = ty_json_object(a);
    struct ty_json *meta = ty_json_ensure_object(a, live, "metadata"), *list = ty_json_array(a);

    ty_json_set(a, entry, "manager", ty_json_cstr(a, manager));
    ty_json_set(a, entry, "operation", ty_json_cstr(a, "Apply"));
    struct ty_json *fields = applied_fields_of(a, s, obj, true);
    struct ty_json *names = ty_json_get(fields, "f:metadata"); /* which have no owner */
    if (names && ty_json_del(names, TY_LIT("f:name")))
        ty_json_del(names, TY_LIT("f:namespace"));
    ty_json_set(a, entry, "fieldsV1", fields);
    ty_json_push(a, list, entry);
    ty_json_set(a, meta, "managedFields", list);
    return live;
}

#endif
