/* Computes the JSON patch (RFC 6902) that turns one document into another. Pure. */
#ifndef TY_JSON_PATCH_DIFF_H
#define TY_JSON_PATCH_DIFF_H

#include "json/json.h"

/* An array of operations, empty if both are equal; values are copies that share the strings of
 * `to`. Members are added, replaced and removed one by one; lists of different lengths are replaced
 * as a whole. */
struct ty_json *ty_patch_diff(struct ty_arena *a, const struct ty_json *from,
                              const struct ty_json *to);

#endif
