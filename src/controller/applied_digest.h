/* Does a live object hold exactly what we want of it? Server-side apply leaves, in managedFields,
 * which fields a manager owns. Two ways lead to the same number: the fields that we would apply, by
 * the schema's list keys, and the fields that the manager owns, with their live values. Equal
 * numbers: applying would change nothing and would take nothing away. So eight bytes stand for an
 * object that we need not keep. */
#ifndef TY_CONTROLLER_APPLIED_DIGEST_H
#define TY_CONTROLLER_APPLIED_DIGEST_H

#include "api/schema.h"

/* obj as it is applied: without members that say nothing, the structs that Go writes even when they
 * are empty. Applying such a one empty after something in it was ours makes it null at the API
 * server, and then invalid. A copy; obj itself where s is NULL. */
const struct ty_json *ty_applied_digest_normalize(struct ty_arena *a, const struct ty_schema *s,
                                                  const struct ty_json *obj);
/* What an apply of obj would own. s: schema of the whole object; NULL: maps are granular, lists
 * atomic, as the API server takes types that it knows nothing of. Never 0. */
uint64_t ty_applied_digest_desired(struct ty_arena *a, const struct ty_schema *s,
                                   const struct ty_json *obj);
/* What `manager` owns of the live object by apply, status excluded; 0: nothing, or too much to be
 * compared. The arena is scratch. */
uint64_t ty_applied_digest_live(struct ty_arena *a, const struct ty_schema *s,
                                const struct ty_json *obj, const char *manager);
/* The fields of the live object that `manager` owns by apply, status excluded, with their live
 * values and in their live order; without the names of the object. Empty: it owns nothing. Lives
 * with the arena; shares texts with live. */
struct ty_json *ty_applied_digest_extract(struct ty_arena *a, const struct ty_schema *s,
                                          const struct ty_json *live, const char *manager);

#endif
