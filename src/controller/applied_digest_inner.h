/* How server-side apply divides an object into fields with owners; shared by applied_digest.c
 * (digests) and applied_digest_diff.c (paths). */
#ifndef TY_CONTROLLER_APPLIED_DIGEST_INNER_H
#define TY_CONTROLLER_APPLIED_DIGEST_INNER_H

#include "controller/applied_digest.h"

extern const struct ty_schema
    ty_applied_digest_metadata; /* the schema of metadata that the API server uses */

/* The schema of a member of the whole object; of a member of anything in it. NULL: not known. */
const struct ty_schema *ty_applied_digest_root(const struct ty_schema *s, struct ty_str key);
const struct ty_schema *ty_applied_digest_member(const struct ty_schema *s, struct ty_str key);
/* The key of an item in a list with keys, as managedFields write it; lives with the arena. */
struct ty_str ty_applied_digest_key(struct ty_arena *a, const struct ty_schema *list,
                                    const struct ty_json *item);
/* Fields that identify an object have no owner. meta: key is a member of its metadata. */
bool ty_applied_digest_is_name(struct ty_str key, bool meta);
/* The value that a path element of managedFields denotes in v: 'f' a member, 'k' an item by its
 * key, 'v' an item by its value. NULL: it does not exist. The arena is scratch. */
const struct ty_json *ty_applied_digest_pick(struct ty_arena *a, const struct ty_json *v, char kind,
                                             struct ty_str text);
/* The fields that `manager` owns by apply, status excluded; NULL: none. */
const struct ty_json *ty_applied_digest_fields(const struct ty_json *obj, const char *manager);

#endif
