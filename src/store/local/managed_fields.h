/* Field ownership for server-side apply. Stores the last applied object of each manager; a field
 * belongs to every manager whose object has it. Lists are atomic, as in a merge patch. */
#ifndef TY_STORE_LOCAL_MANAGED_FIELDS_H
#define TY_STORE_LOCAL_MANAGED_FIELDS_H

#include "json/json.h"

struct ty_managed_fields; /* the applied objects of all managers; NULL: none */

/* The live object after `manager` force-applied obj: fields that it applied before and no longer
 * applies are removed unless another manager applied them, too. Lives with the arena. */
struct ty_json *ty_managed_fields_apply(struct ty_arena *a, const struct ty_json *live,
                                        const struct ty_managed_fields *all, const char *manager,
                                        const struct ty_json *obj);
/* Records the apply: fields that other managers had with another value belong to this manager only.
 */
void ty_managed_fields_update(struct ty_arena *a, struct ty_managed_fields **all,
                              const char *manager, const struct ty_json *obj);
void ty_managed_fields_free(struct ty_managed_fields *all); /* takes; NULL is fine */

#endif
