/* Which objects there are: a set of names with uid and version, about a hundred bytes each. */
#ifndef TY_STORE_KUBE_REFLECTOR_INDEX_H
#define TY_STORE_KUBE_REFLECTOR_INDEX_H

#include "base/str.h"

struct ty_reflector_entry {
    uint64_t version; /* resourceVersion: its number, or a hash of what is none */
    uint32_t hash;
    uint32_t round; /* of the list that had it last */
    uint8_t ns_n, name_n, uid_n;
    bool number; /* version is one: it can be compared */
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
/* It must not be there. NULL: a name that no Kubernetes object can have (255 bytes a part). The set
 * owns the entry. */
struct ty_reflector_entry *ty_reflector_index_add(struct ty_reflector_index *s, struct ty_str ns,
                                                  struct ty_str name, struct ty_str uid);
/* Out of the set; the caller frees it. */
struct ty_reflector_entry *ty_reflector_index_remove(struct ty_reflector_index *s,
                                                     struct ty_reflector_entry *e);
void ty_reflector_index_done(struct ty_reflector_index *s);
/* Whatever is said next of any of them is news: the numbers begin anew. */
void ty_reflector_index_reset_versions(struct ty_reflector_index *s);
/* Sets version and number from a resourceVersion. */
void ty_reflector_entry_set_version(struct ty_reflector_entry *e, struct ty_str version);
/* Would this resourceVersion be news about e? Numbers: if it is greater; else if it differs. */
bool ty_reflector_entry_is_older(const struct ty_reflector_entry *e, struct ty_str version);

#endif
