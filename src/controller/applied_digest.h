/* Compares a live object with what the operator would apply, without storing the object. In
 * managedFields, server-side apply records the fields that a manager owns. One digest is computed
 * over the fields that we would apply, by the list keys of the schema, and one over the live values
 * of the fields that the manager owns. Equal digests: an apply would change and remove nothing. */
#ifndef TY_CONTROLLER_APPLIED_DIGEST_H
#define TY_CONTROLLER_APPLIED_DIGEST_H

#include "api/schema.h"

/* obj without members that mean nothing: structs that Go writes even when they are empty. To apply
 * such a struct empty, after we owned something in it, sets it to null at the API server, which is
 * invalid. A copy; obj itself if s is NULL. */
const struct ty_json *ty_applied_digest_normalize(struct ty_arena *a, const struct ty_schema *s,
                                                  const struct ty_json *obj);
/* Digest of what an apply of obj would own. s: schema of the whole object; NULL: maps are granular
 * and lists atomic, as the API server treats types without a schema. Never 0. */
uint64_t ty_applied_digest_desired(struct ty_arena *a, const struct ty_schema *s,
                                   const struct ty_json *obj);
/* Digest of what `manager` owns of the live object by apply, except status; 0: nothing, or too much
 * to be compared. The arena is scratch. */
uint64_t ty_applied_digest_live(struct ty_arena *a, const struct ty_schema *s,
                                const struct ty_json *obj, const char *manager);
/* The fields of the live object that `manager` owns by apply, except status, with their live values
 * and in their live order; without apiVersion, kind, name and namespace. Empty: it owns nothing.
 * Lives with the arena; shares texts with live. */
struct ty_json *ty_applied_digest_extract(struct ty_arena *a, const struct ty_schema *s,
                                          const struct ty_json *live, const char *manager);

#endif
