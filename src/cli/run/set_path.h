/* The paths of --set: "spec.trainer.env[0].value", "metadata.labels.example\.com/team". A backslash
 * takes the next character as it is; [N] is an item of a list, and the number of its items one
 * more. */
#ifndef TY_CLI_RUN_SET_PATH_H
#define TY_CLI_RUN_SET_PATH_H

#include "base/err.h"
#include "json/json.h"

/* Splits "PATH=VALUE" at the first = outside of an escape; false: there is none, or no path. */
bool ty_set_path_split(struct ty_str word, struct ty_str *ret_path, struct ty_str *ret_value);
/* Sets the field in obj, objects on the way are made, with the value's line; value NULL removes it.
 * The value is copied. -EINVAL: the path is malformed, or names an item that a list does not have.
 */
int ty_set_path(struct ty_arena *a, struct ty_json *obj, struct ty_str path,
                const struct ty_json *value, struct ty_err *err);

#endif
