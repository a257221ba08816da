/* status.conditions of any object, set as meta.SetStatusCondition of apimachinery sets them. */
#ifndef TY_TRAINER_CONDITION_H
#define TY_TRAINER_CONDITION_H

#include "base/arena.h"
#include "base/str.h"

struct ty_json;

/* The condition of this type, or NULL. */
const struct ty_json *ty_condition_find(const struct ty_json *status, const char *type);
/* Adds the condition at the end of the list, or updates it in place. lastTransitionTime becomes
 * `time` only when `state` ("True", "False", "Unknown") differs from the old one. */
void ty_condition_set(struct ty_arena *a, struct ty_json *status, const char *type,
                      const char *state, struct ty_str reason, struct ty_str message,
                      struct ty_str time);

#endif
