/* Which objects there are: a set of names with uid and version, about a hundred bytes each. */
#ifndef TY_STORE_REFLECT_KNOWN_H
#define TY_STORE_REFLECT_KNOWN_H

#include "base/str.h"

struct ty_known {
    uint64_t version; /* resourceVersion: its number, or a hash of what is none */
    uint32_t hash;
    uint32_t round; /* of the list that had it last */
    uint8_t ns_n, name_n, uid_n;
    bool number; /* version is one: it can be compared */
    char text[]; /* ns, name, uid */
};
struct ty_known_set { /* all zero is empty */
    struct ty_known **slots;
    size_t n, cap; /* cap is a power of two, or 0 */
};

struct ty_str ty_known_ns(const struct ty_known *e);
struct ty_str ty_known_name(const struct ty_known *e);
struct ty_str ty_known_uid(const struct ty_known *e);

struct ty_known *ty_known_find(const struct ty_known_set *s, struct ty_str ns, struct ty_str name);
/* It must not be there. NULL: a name that no Kubernetes object can have (255 bytes a part). The set
 * owns the entry. */
struct ty_known *ty_known_add(struct ty_known_set *s, struct ty_str ns, struct ty_str name,
                              struct ty_str uid);
/* Out of the set; the caller frees it. */
struct ty_known *ty_known_take(struct ty_known_set *s, struct ty_known *e);
void ty_known_done(struct ty_known_set *s);
/* Whatever is said next of any of them is news: the numbers begin anew. */
void ty_known_doubt(struct ty_known_set *s);
/* Sets version and number from a resourceVersion. */
void ty_known_stamp(struct ty_known *e, struct ty_str version);
/* Would this resourceVersion be news about e? Numbers: if it is greater; else if it differs. */
bool ty_known_older(const struct ty_known *e, struct ty_str version);

#endif
