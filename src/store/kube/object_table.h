/* Watched objects by kind, namespace and name: the one place that says which objects exist and at
 * which version. A reflector compares with it what the server sends; the owner of the table stores
 * what it needs of an object behind its entry (controller/cache.c). */
#ifndef TY_STORE_KUBE_OBJECT_TABLE_H
#define TY_STORE_KUBE_OBJECT_TABLE_H

#include "api/kind.h"
#include "base/str.h"

struct ty_object_entry { /* the first member of the owner's entry, which is one allocation */
    const struct ty_kind *kind;
    const char *ns, *name, *uid;
    uint64_t version; /* resourceVersion; 0: it is not a number */
    uint32_t round;   /* of the last list that had it; 0: none */
    bool any_version; /* the server was restored from a backup and counts again: every version is
                         news */
};
struct ty_object_slot {
    struct ty_object_entry *entry; /* NULL: removed */
    uint32_t hash;
};
struct ty_object_table {          /* all zero is empty */
    struct ty_object_slot *slots; /* `used` of them in the order of insertion, with removed ones */
    uint32_t *table;              /* index into slots + 1; 0: free */
    size_t n, used, cap;          /* cap: of the table, a power of two or 0; slots has 3/4 of it */
};

/* An entry without data of an owner. gives, for free(). */
struct ty_object_entry *ty_object_entry_new(const struct ty_kind *kind, struct ty_str ns,
                                            struct ty_str name, struct ty_str uid);
/* Whether this version of the same object is newer than the entry, as far as that can be said. */
bool ty_object_entry_is_older(const struct ty_object_entry *e, uint64_t version);

struct ty_object_entry *ty_object_table_get(const struct ty_object_table *t,
                                            const struct ty_kind *kind, struct ty_str ns,
                                            struct ty_str name); /* or NULL */
/* Adds e or replaces the entry of its name, whose round e inherits. Returns the replaced one, for
 * the caller to free, or NULL. */
struct ty_object_entry *ty_object_table_put(struct ty_object_table *t, struct ty_object_entry *e);
/* Removes the entry of that name and returns it, for the caller to free, or NULL. */
struct ty_object_entry *ty_object_table_del(struct ty_object_table *t, const struct ty_kind *kind,
                                            struct ty_str ns, struct ty_str name);
/* The next entry of a kind (NULL: any) from *at on, or NULL; start with *at = 0. The table must not
 * change during the iteration. */
struct ty_object_entry *ty_object_table_next(const struct ty_object_table *t,
                                             const struct ty_kind *kind, size_t *at);
size_t ty_object_table_bytes(const struct ty_object_table *t); /* without the entries */
void ty_object_table_done(struct ty_object_table *t);          /* the table, not its entries */

#endif
