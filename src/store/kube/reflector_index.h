/* The set of existing objects: names with uid and version, about a hundred bytes each. */
#ifndef TY_STORE_KUBE_REFLECTOR_INDEX_H
#define TY_STORE_KUBE_REFLECTOR_INDEX_H

#include "base/str.h"

struct ty_reflector_entry {
    uint64_t version; /* resourceVersion: its number, or a hash if it is not a number */
    uint32_t hash;
    uint32_t round; /* of the last list that had it */
    uint8_t ns_n, name_n, uid_n;
    bool number; /* version is a number, which can be compared */
    char text[]; /* ns, name, uid */
};
struct ty_reflector_index { /* all zero is empty */
    struct ty_reflector_entry **slots;
    size_t n, cap; /* cap is a power of two, or 0 */
};

struct ty_str ty_reflector_entry_ns(const struct ty_reflector_entry *e);
struct ty_str ty_reflector_entry_name(const struct ty_reflector_entry *e);
struct ty_str ty_reflector_entry_uid(const struct ty_reflector_entry *e);

struct ty_reflector_entry *ty_reflector_index_find(const struct ty_reflector_index *s,
                                                   struct ty_str ns, struct ty_str name);
/* Must not exist. NULL: not a Kubernetes object, since its namespace, name or uid is longer than
 * 255 bytes. The set owns the entry. */
struct ty_reflector_entry *ty_reflector_index_add(struct ty_reflector_index *s, struct ty_str ns,
                                                  struct ty_str name, struct ty_str uid);
/* Removes it from the set; the caller frees it. */
struct ty_reflector_entry *ty_reflector_index_remove(struct ty_reflector_index *s,
                                                     struct ty_reflector_entry *e);
void ty_reflector_index_done(struct ty_reflector_index *s);
/* Makes every later version news, because the server's numbers start again. */
void ty_reflector_index_reset_versions(struct ty_reflector_index *s);
/* Sets version and number from a resourceVersion. */
void ty_reflector_entry_set_version(struct ty_reflector_entry *e, struct ty_str version);
/* Whether this resourceVersion is news for e: a greater number, or else a different text. */
bool ty_reflector_entry_is_older(const struct ty_reflector_entry *e, struct ty_str version);

#endif
