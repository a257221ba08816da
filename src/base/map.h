/* A hash map from byte strings to pointers. Keys are copied. Not ordered. */
#ifndef TY_BASE_MAP_H
#define TY_BASE_MAP_H

#include "base/str.h"

struct ty_map_slot {
    char *key; /* NULL: free */
    void *value;
    uint32_t n; /* of the key */
    uint32_t hash;
};
struct ty_map { /* all zero is an empty map */
    struct ty_map_slot *slots;
    size_t n, cap; /* cap is a power of two, or 0 */
};

void *ty_map_get(const struct ty_map *m, struct ty_str key); /* or NULL */
/* Keys are shorter than 4 GiB. Adds or replaces; gives back the old value or NULL. value must not
 * be NULL. */
void *ty_map_put(struct ty_map *m, struct ty_str key, void *value);
void *ty_map_del(struct ty_map *m, struct ty_str key); /* the removed value or NULL */
void ty_map_done(struct ty_map *m);                    /* frees keys and slots, not the values */
/* The next used slot from *at on, or NULL; start with *at = 0. Do not change the map meanwhile. */
const struct ty_map_slot *ty_map_next(const struct ty_map *m, size_t *at);

#endif
