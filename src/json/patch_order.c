/* Lists that are merged by key: lookup of items (by a hash table, because lists may be long) and
 * the order of the result. Kubernetes' order is surprising: items that the patch names have the
 * order of the patch, and its new items come as early as possible. */
#include <assert.h>

#include "json/patch_inner.h"

static uint32_t hash_of(const struct ty_json *key)
{
    return (uint32_t)ty_json_hash(key);
}

void ty_patch_list_init(struct ty_patch_list *l, struct ty_arena *a, size_t cap)
{
    size_t slots = 8;

    while (slots < cap * 2)
        slots *= 2;
    *l = (struct ty_patch_list){ .arena = a, .cap = cap, .mask = slots - 1 };
    l->items = ty_new_n(a, struct ty_patch_list_item, cap);
    l->slots = ty_new_n(a, uint32_t, slots);
}

/* The slot of the key, or the free slot where it would be inserted. */
static uint32_t *slot_of(const struct ty_patch_list *l, const struct ty_json *key)
{
    size_t at = hash_of(key) & l->mask;

    while (l->slots[at] && !ty_json_eq(l->items[l->slots[at] - 1].key, key))
        at = (at + 1) & l->mask;
    return &l->slots[at];
}

struct ty_patch_list_item *ty_patch_list_find(const struct ty_patch_list *l,
                                              const struct ty_json *key)
{
    uint32_t slot = *slot_of(l, key);
    return slot && !l->items[slot - 1].gone ? &l->items[slot - 1] : NULL;
}

void ty_patch_list_add(struct ty_patch_list *l, const struct ty_json *key, struct ty_json *value,
                       size_t old)
{
    assert(l->n < l->cap);
    uint32_t *slot = slot_of(l, key);
    struct ty_patch_list_item *it = &l->items[l->n];

    *it = (struct ty_patch_list_item){
        .key = key, .value = value, .old = old, .turn = TY_PATCH_NOT_FOUND
    };
    if (*slot && !l->items[*slot - 1].gone) {
        it->first = *slot - 1;
    } else {
        it->first = l->n;
        *slot = (uint32_t)l->n + 1;
    }
    l->n++;
}

struct ranked {
    size_t turn, at, old;
};

static int by_turn(const void *x, const void *y)
{
    const struct ranked *a = x, *b = y;
    int c = (a->turn > b->turn) - (a->turn < b->turn);
    return c ? c : (a->at > b->at) - (a->at < b->at);
}

struct ty_json *ty_patch_list_order(const struct ty_patch_list *l)
{
    struct ty_json *list = ty_json_array(l->arena);
    struct ranked *named = ty_new_n(l->arena, struct ranked, l->n);
    struct ranked *rest = ty_new_n(l->arena, struct ranked, l->n);
    size_t n_named = 0, n_rest = 0, i = 0, k = 0;

    for (size_t at = 0; at < l->n; at++) {
        const struct ty_patch_list_item *first = &l->items[l->items[at].first];
        struct ranked r = { first->turn, at, first->old };
        if (first->gone)
            continue;
        if (r.turn == TY_PATCH_NOT_FOUND)
            rest[n_rest++] = r;
        else
            named[n_named++] = r;
    }
    if (n_named > 1)
        qsort(named, n_named, sizeof(named[0]), by_turn);
    while (i < n_named || k < n_rest) {
        bool take_rest = i == n_named || (k < n_rest && named[i].old != TY_PATCH_NOT_FOUND &&
                                          rest[k].old < named[i].old);
        size_t at = take_rest ? rest[k++].at : named[i++].at;
        ty_json_push(l->arena, list, l->items[at].value);
    }
    return list;
}
