/* Lists of type map or set (x-kubernetes-list-type): no key or value may occur twice, and on update
 * items are matched by key, not by index. */
#include "api/go_value.h"
#include "api/schema_inner.h"
#include "base/hash.h"

const struct ty_schema *ty_schema_member(const struct ty_schema *s, struct ty_str key)
{
    const struct ty_field *f;

    if (s->type == TY_T_MAP)
        return s->items;
    f = ty_schema_field(s, key);
    return f ? f->schema : NULL;
}

/* Both have the same value, or none, for every key. */
static bool keys_equal(const char *const *keys, const struct ty_json *a, const struct ty_json *b)
{
    for (; *keys; keys++) {
        const struct ty_json *x = ty_json_get(a, *keys), *y = ty_json_get(b, *keys);
        if (!x != !y || (x && !ty_json_eq(x, y)))
            return false;
    }
    return true;
}

static bool same_element(const struct ty_schema *s, const struct ty_json *a,
                         const struct ty_json *b)
{
    return s->list_keys ? keys_equal(s->list_keys, a, b) : ty_json_eq(a, b);
}

const struct ty_json *ty_schema_correlate_item(const struct ty_schema *list,
                                               const struct ty_json *item,
                                               const struct ty_json *old, size_t i)
{
    const struct ty_json *guess = ty_json_item(old, i);

    if (!list->list_keys || !ty_json_is(item, TY_JSON_OBJECT))
        return NULL;
    if (guess && keys_equal(list->list_keys, item, guess))
        return guess; /* items usually keep their index */
    ty_each_item (it, old)
        if (keys_equal(list->list_keys, item, *it))
            return *it;
    return NULL;
}

/* Equal elements have equal hashes. */
static uint64_t hash_element(const struct ty_schema *s, const struct ty_json *v)
{
    uint64_t h = 0;

    if (!s->list_keys)
        return ty_json_hash(v);
    for (const char *const *k = s->list_keys; *k; k++)
        h = ty_hash_pair(h, ty_json_hash(ty_json_get(v, *k)));
    return h;
}

/* {"containerPort":80,"protocol":"TCP"}: only the keys, sorted, as the API server shows them. */
static const char *element_text(struct ty_arena *a, const struct ty_schema *s,
                                const struct ty_json *v)
{
    if (!s->list_keys)
        return ty_go_value(a, v);
    struct ty_json *keys = ty_json_object(a);
    for (const char *const *k = s->list_keys; *k; k++) {
        struct ty_json *x = ty_json_get(v, *k);
        if (x)
            ty_json_set(a, keys, *k, x);
    }
    return ty_go_value(a, keys);
}

static void add_duplicate(struct ty_errs *errs, const struct ty_schema *s,
                          const struct ty_json *list, size_t i, const struct ty_field_path *at)
{
    const struct ty_json *item = ty_json_item(list, i);
    const char *text;

    if (!errs)
        return;
    text = element_text(errs->arena, s, item);
    ty_errs_add(errs, TY_IDX(at, i), TY_DUPLICATE, text, "%s", "")->at = item;
}

/* Reports the second occurrence of each element, not the third. A hash table of indexes makes it
 * linear for lists of any length. */
static size_t find_duplicates(struct ty_arena *a, struct ty_errs *errs, const struct ty_schema *s,
                              const struct ty_json *list, const struct ty_field_path *at)
{
    size_t size = 4, found = 0;

    while (size < 2 * (size_t)list->n)
        size *= 2;
    uint32_t *slots = ty_new_n(a, uint32_t, size); /* index + 1 */
    bool *told = ty_new_n(a, bool, list->n);
    for (uint32_t i = 0; i < list->n; i++) {
        size_t at_slot = hash_element(s, list->items[i]) & (size - 1);
        while (slots[at_slot] && !same_element(s, list->items[slots[at_slot] - 1], list->items[i]))
            at_slot = (at_slot + 1) & (size - 1);
        if (!slots[at_slot]) {
            slots[at_slot] = i + 1;
        } else if (!told[slots[at_slot] - 1]) {
            told[slots[at_slot] - 1] = true;
            add_duplicate(errs, s, list, i, at);
            found++;
        }
    }
    return found;
}

/* A map list may contain only objects (and nulls, which have no keys). */
static bool add_not_object(struct ty_errs *errs, const struct ty_json *list,
                           const struct ty_field_path *at)
{
    for (uint32_t i = 0; i < list->n; i++) {
        const struct ty_json *v = list->items[i];
        if (v->type == TY_JSON_OBJECT || v->type == TY_JSON_NULL)
            continue;
        if (errs)
            ty_errs_add(errs, TY_IDX(at, i), TY_INVALID, ty_go_value(errs->arena, v),
                        "must be an object for an array of list-type map")
                ->at = v;
        return true;
    }
    return false;
}

static size_t check_list(struct ty_arena *a, struct ty_errs *errs, const struct ty_schema *s,
                         const struct ty_json *list, const struct ty_field_path *at)
{
    size_t found = 0;

    if (s->list_keys && add_not_object(errs, list, at))
        found = 1;
    else if (list->n > 1 && (s->list_keys || s->list_set))
        found = find_duplicates(a, errs, s, list, at);
    for (uint32_t i = 0; i < list->n; i++)
        if (list->items[i]->type >= TY_JSON_ARRAY)
            found += ty_schema_check_duplicates(a, errs, s->items, list->items[i], TY_IDX(at, i));
    return found;
}

size_t ty_schema_check_duplicates(struct ty_arena *a, struct ty_errs *errs,
                                  const struct ty_schema *s, const struct ty_json *v,
                                  const struct ty_field_path *at)
{
    size_t found = 0;

    if (!s || s->metadata)
        return 0;
    if (s->type == TY_T_ARRAY && ty_json_is(v, TY_JSON_ARRAY))
        return check_list(a, errs, s, v, at);
    if (s->type != TY_T_OBJECT && s->type != TY_T_MAP)
        return 0;
    ty_each_member (m, v) {
        if (m->value->type < TY_JSON_ARRAY)
            continue;
        const struct ty_field_path *p =
            s->type == TY_T_MAP ? TY_MAPKEY(at, m->key) : TY_KEYS(at, m->key);
        found += ty_schema_check_duplicates(a, errs, ty_schema_member(s, m->key), m->value, p);
    }
    return found;
}
