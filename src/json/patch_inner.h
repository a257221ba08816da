/* Shared by the patch files. */
#ifndef TY_JSON_PATCH_INNER_H
#define TY_JSON_PATCH_INNER_H

#include "json/json.h"

#define TY_PATCH_NOT_FOUND SIZE_MAX

/* A copy of v with its own array and room for `more`; items are shared. */
struct ty_json *ty_patch_copy_list(struct ty_arena *a, const struct ty_json *v, size_t more);
/* For each member of `patch` the index of that key in obj, or TY_PATCH_NOT_FOUND. Never quadratic.
 */
const size_t *ty_patch_member_indexes(struct ty_arena *a, const struct ty_json *obj,
                                      const struct ty_json *patch);
/* Sets the member at an index, or appends one if there is room. NULL removes it;
 * ty_patch_sweep_members must be called at the end: until then the indexes do not change. */
void ty_patch_set_member(struct ty_json *obj, size_t place, struct ty_str key,
                         struct ty_json *value);
void ty_patch_sweep_members(struct ty_json *obj);

/* A list during a merge: items identified by a key, put into Kubernetes' order at the end. */
struct ty_patch_list_item {
    const struct ty_json *key;
    struct ty_json *value;
    size_t first; /* index of the first item with this key; the fields below are valid in that one
                     only */
    size_t old;   /* index in the old list, or TY_PATCH_NOT_FOUND */
    size_t turn;  /* index in the list that defines the order, or TY_PATCH_NOT_FOUND */
    bool gone;
};
struct ty_patch_list {
    struct ty_arena *arena;
    struct ty_patch_list_item *items;
    uint32_t *slots; /* hash table: index + 1 of the first item with a key */
    size_t n, cap, mask;
};
/* For at most cap items. */
void ty_patch_list_init(struct ty_patch_list *l, struct ty_arena *a, size_t cap);
/* The first item with this key that was not removed, or NULL. */
struct ty_patch_list_item *ty_patch_list_find(const struct ty_patch_list *l,
                                              const struct ty_json *key);
/* `old` is used only for the first item with its key. */
void ty_patch_list_add(struct ty_patch_list *l, const struct ty_json *key, struct ty_json *value,
                       size_t old);
/* The resulting array. Items with a turn are in the order of their turns, the others in their own
 * order. An item without a turn precedes one with a turn only if both have an old index and its own
 * is the lower one. */
struct ty_json *ty_patch_list_order(const struct ty_patch_list *l);

#endif
