/* Who applied what: as much of field ownership as server-side apply needs. Each manager's last
 * applied object is kept; a field belongs to every manager whose object has it. Lists are one
 * value, as in a merge patch. */
#ifndef TY_STORE_LOCAL_MANAGED_FIELDS_H
#define TY_STORE_LOCAL_MANAGED_FIELDS_H

#include "json/json.h"

struct ty_managed_fields; /* what all managers of one object applied; NULL: nothing yet */

/* The live object as it is after `manager` applied obj, by force: what it applied before and no
 * longer wants is gone, unless another manager applied it, too. Lives with the arena. */
struct ty_json *ty_managed_fields_apply(struct ty_arena *a, const struct ty_json *live,
                                        const struct ty_managed_fields *all, const char *manager,
                                        const struct ty_json *obj);
/* Writes it down: fields that others had with another value are this manager's alone. */
void ty_managed_fields_update(struct ty_arena *a, struct ty_managed_fields **all,
                              const char *manager, const struct ty_json *obj);
void ty_managed_fields_free(struct ty_managed_fields *all); /* takes; NULL is fine */

#endif
