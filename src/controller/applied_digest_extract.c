/* The fields that a manager owns of a live object, with their live values: an apply of them changes
 * nothing. Lists stay in the live order, because an apply in another order reorders them, and
 * JobSet's webhook takes that for a change. */
#include "base/map.h"
#include "controller/applied_digest_inner.h"

static struct ty_json *extract_value(struct ty_arena *a, const struct ty_schema *s,
                                     const struct ty_json *fields, const struct ty_json *live,
                                     bool root);

/* Whether the manager owns members or items of this field, or only the field itself. */
static bool has_steps(const struct ty_json *fields)
{
    ty_each_member (m, fields)
        if (m->key.n >= 2 && m->key.p[1] == ':')
            return true;
    return false;
}

/* A map that the manager owns without members: its current members belong to others. */
static struct ty_json *extract_leaf(struct ty_arena *a, const struct ty_schema *s,
                                    const struct ty_json *live)
{
    bool map = ty_json_is(live, TY_JSON_OBJECT) && !(s && s->map_atomic);

    return map ? ty_json_object(a) : ty_json_copy(a, live, 0);
}

static struct ty_json *extract_object(struct ty_arena *a, const struct ty_schema *s,
                                      const struct ty_json *fields, const struct ty_json *live,
                                      bool root)
{
    struct ty_json *obj = ty_json_object(a);
    struct ty_map owned = { 0 };

    ty_each_member (m, fields)
        if (m->key.n > 2 && m->key.p[0] == 'f' && m->key.p[1] == ':')
            ty_map_put(&owned, (struct ty_str){ m->key.p + 2, m->key.n - 2 }, m->value);
    ty_each_member (m, live) {
        const struct ty_json *inner = ty_map_get(&owned, m->key);
        const struct ty_schema *is =
            root ? ty_applied_digest_root(s, m->key) : ty_applied_digest_member(s, m->key);
        if (inner && !ty_arena_full(a))
            ty_json_append(a, obj, m->key, extract_value(a, is, inner, m->value, false));
    }
    ty_map_done(&owned);
    return obj;
}

/* Keys are compared as we print them, because Go escapes more characters. */
static void index_items(struct ty_arena *a, const struct ty_json *fields, struct ty_map *ret)
{
    ty_each_member (m, fields) {
        if (m->key.n < 2 || m->key.p[1] != ':' || ty_arena_full(a))
            continue;
        const struct ty_json *key =
            ty_json_parse(a, (struct ty_str){ m->key.p + 2, m->key.n - 2 }, NULL, NULL);
        if (key)
            ty_map_put(ret, ty_json_text(a, key), m->value);
    }
}

/* Items are merged by their keys, so the keys are applied even if the manager does not own them;
 * except one that the API server defaults (protocol: TCP), which would become owned. */
static void add_keys(struct ty_arena *a, const struct ty_schema *s, struct ty_json *item,
                     const struct ty_json *live)
{
    for (size_t i = 0; s->list_keys[i]; i++) {
        const struct ty_json *v = ty_json_get(live, s->list_keys[i]);
        const struct ty_field *f =
            s->items->fields ? ty_schema_field(s->items, ty_str(s->list_keys[i])) : NULL;
        if (v && !(f && f->def) && !ty_json_get(item, s->list_keys[i]))
            ty_json_set(a, item, s->list_keys[i], ty_json_copy(a, v, 0));
    }
}

static struct ty_json *extract_list(struct ty_arena *a, const struct ty_schema *s,
                                    const struct ty_json *fields, const struct ty_json *live)
{
    struct ty_json *list = ty_json_array(a);
    struct ty_map owned = { 0 };

    index_items(a, fields, &owned);
    ty_each_item (it, live) {
        if (ty_arena_full(a))
            break;
        struct ty_str key = s->list_set ? ty_json_text(a, *it) : ty_applied_digest_key(a, s, *it);
        const struct ty_json *inner = ty_map_get(&owned, key);
        if (!inner)
            continue;
        struct ty_json *item =
            s->list_set ? ty_json_copy(a, *it, 0) : extract_value(a, s->items, inner, *it, false);
        if (!s->list_set)
            add_keys(a, s, item, *it);
        ty_json_push(a, list, item);
    }
    ty_map_done(&owned);
    return list;
}

static struct ty_json *extract_value(struct ty_arena *a, const struct ty_schema *s,
                                     const struct ty_json *fields, const struct ty_json *live,
                                     bool root)
{
    if (!has_steps(fields))
        return extract_leaf(a, s, live);
    if (ty_json_is(live, TY_JSON_OBJECT))
        return extract_object(a, s, fields, live, root);
    if (ty_json_is(live, TY_JSON_ARRAY) && s && (s->list_keys || s->list_set))
        return extract_list(a, s, fields, live);
    return ty_json_copy(a, live, 0);
}

struct ty_json *ty_applied_digest_extract(struct ty_arena *a, const struct ty_schema *s,
                                          const struct ty_json *live, const char *manager)
{
    return extract_object(a, s, ty_applied_digest_fields(live, manager), live, true);
}
