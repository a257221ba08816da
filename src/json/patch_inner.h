/* What the patch files share and nobody else needs. */
#ifndef TY_JSON_PATCH_INNER_H
#define TY_JSON_PATCH_INNER_H

#include "json/json.h"

#define TY_PATCH_NOT_FOUND SIZE_MAX

/* A copy of v whose list is its own, with room for `more`; what is in the list is shared. */
struct ty_json *ty_patch_copy_list(struct ty_arena *a, const struct ty_json *v, size_t more);
/* For each member of `patch` the place of that key in obj, or TY_PATCH_NOT_FOUND. Never quadratic.
 */
const size_t *ty_patch_member_indexes(struct ty_arena *a, const struct ty_json *obj,
                                      const struct ty_json *patch);
/* Sets the member at a place, or a new one where there is room for it. NULL takes it away, for
 * which ty_patch_sweep_members must be called in the end: until then places stay as they are. */
void ty_patch_set_member(struct ty_json *obj, size_t place, struct ty_str key,
                         struct ty_json *value);
void ty_patch_sweep_members(struct ty_json *obj);

/* A list while it is merged: items told apart by a key, put into Kubernetes' order at the end. */
struct ty_patch_list_item {
    const struct ty_json *key;
    struct ty_json *value;
    size_t first; /* the item that came first with this key; the rest is told by that one alone */
    size_t old;   /* place in the old list, or TY_PATCH_NOT_FOUND */
    size_t turn;  /* place in the list that gives the order, or TY_PATCH_NOT_FOUND */
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
/* The first item with this key that is not gone, or NULL. */
struct ty_patch_list_item *ty_patch_list_find(const struct ty_patch_list *l,
                                              const struct ty_json *key);
/* `old` counts only for the first with its key. */
void ty_patch_list_add(struct ty_patch_list *l, const struct ty_json *key, struct ty_json *value,
                       size_t old);
/* The array. Items with a turn stand in the order of their turns, the others in their own order,
 * and one of the latter comes earlier only where both have an old place and its is lower. */
struct ty_json *ty_patch_list_order(const struct ty_patch_list *l);

#endif
