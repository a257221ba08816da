/* Bulk versions of ty_json_put and ty_json_find_item, which would search one list for each item of
 * the other. They sort instead of hashing, so no choice of keys can make them slow. */
#include "json/json.h"

#include <stdlib.h>

#include "json/json_inner.h"

static int compare_to_member(const void *key, const void *slot)
{
    const struct ty_json_member *m = *(const struct ty_json_member *const *)slot;

    return ty_str_cmp(*(const struct ty_str *)key, m->key);
}

void ty_json_put_all(struct ty_arena *a, struct ty_json *into, const struct ty_json *from,
                     uint16_t origin)
{
    if (!ty_json_is(into, TY_JSON_OBJECT) || !ty_json_is(from, TY_JSON_OBJECT) || from->n == 0)
        return;
    size_t was = into->n, more = from->n;
    struct ty_json_member *both = ty_new_n(a, struct ty_json_member, was + more);

    if (was)
        memcpy(both, into->members, was * sizeof(*both));
    into->members = both;
    into->cap = (uint32_t)(was + more);
    const struct ty_json_member **sorted = ty_json_members_sorted(both, was);
    ty_each_member (m, from) {
        const struct ty_json_member **found =
            bsearch(&m->key, sorted, was, sizeof(*sorted), compare_to_member);
        struct ty_json_member *slot = found ? &both[*found - both] : &both[into->n++];
        *slot = (struct ty_json_member){ m->key, ty_json_copy(a, m->value, origin) };
    }
    free(sorted);
}

/* An item that has the key, by its index in the old list followed by the new one. */
struct keyed {
    struct ty_str key;
    size_t at;
};

static int compare_keyed(const void *x, const void *y)
{
    const struct keyed *a = x, *b = y;
    int c = ty_str_cmp(a->key, b->key);

    return c ? c : (a->at > b->at) - (a->at < b->at);
}

static size_t index_items(const struct ty_json *v, const char *key, size_t base, struct keyed *out)
{
    size_t n = 0;

    for (uint32_t i = 0; i < v->n; i++) {
        const struct ty_json *k = ty_json_get(v->items[i], key);
        if (ty_json_is(k, TY_JSON_STRING))
            out[n++] = (struct keyed){ ty_json_as_str(k), base + i };
    }
    return n;
}

/* Items with the same key, in order: the last new one takes the first one's place, the other new
 * ones are dropped. */
static void merge_group(struct ty_json **all, size_t old, const struct keyed *group, size_t n)
{
    size_t first = group[0].at, last = group[n - 1].at;

    if (last < old)
        return; /* no new item */
    all[first] = all[last];
    for (size_t i = 1; i < n; i++)
        if (group[i].at >= old)
            all[group[i].at] = NULL;
}

void ty_json_upsert_all(struct ty_arena *a, struct ty_json *list, const char *key,
                        const struct ty_json *from)
{
    if (!ty_json_is(list, TY_JSON_ARRAY) || !ty_json_is(from, TY_JSON_ARRAY) || from->n == 0)
        return;
    size_t old = list->n, n = old + from->n, keys = 0, kept = 0;
    struct ty_json **all = ty_new_n(a, struct ty_json *, n);
    struct keyed *index = ty_new_n(a, struct keyed, n);
    if (old)
        memcpy(all, list->items, old * sizeof(struct ty_json *));
    memcpy(all + old, from->items, (n - old) * sizeof(struct ty_json *));
    keys = index_items(list, key, 0, index);
    keys += index_items(from, key, old, index + keys);
    qsort(index, keys, sizeof(*index), compare_keyed);
    for (size_t i = 0, next = 0; i < keys; i = next) {
        for (next = i + 1; next < keys && ty_str_eq(index[i].key, index[next].key);)
            next++;
        merge_group(all, old, index + i, next - i);
    }
    for (size_t i = 0; i < n; i++)
        if (all[i])
            all[kept++] = all[i];
    list->items = all;
    list->n = (uint32_t)kept;
    list->cap = (uint32_t)n;
}
