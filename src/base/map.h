/* A hash map from byte strings to pointers. Keys are copied. Iteration is in the order of insertion
 * and does not depend on the key of the hash (base/hash.h). */
#ifndef TY_BASE_MAP_H
#define TY_BASE_MAP_H

#include "base/str.h"

struct ty_map_slot {
    char *key; /* NULL: removed */
    void *value;
    uint32_t n; /* length of the key */
    uint32_t hash;
};
struct ty_map {                /* all zero is an empty map */
    struct ty_map_slot *slots; /* `used` of them in the order of insertion, removed ones included */
    uint32_t *table;           /* index into slots + 1; 0: free */
    size_t n, used, cap;       /* cap: of the table, a power of two or 0; slots has 3/4 of it */
};

void *ty_map_get(const struct ty_map *m, struct ty_str key); /* or NULL */
/* Adds or replaces; returns the old value or NULL. value must not be NULL. Keys are shorter than 4
 * GiB and fewer than 2^31. */
void *ty_map_put(struct ty_map *m, struct ty_str key, void *value);
void *ty_map_del(struct ty_map *m, struct ty_str key); /* returns the removed value or NULL */
void ty_map_done(struct ty_map *m);                    /* frees keys and slots, not values */
size_t ty_map_bytes(const struct ty_map *m);           /* memory in use, without the keys */
/* The next used slot from *at on, or NULL; start with *at = 0. The map must not change during the
 * iteration. */
const struct ty_map_slot *ty_map_next(const struct ty_map *m, size_t *at);

#endif
