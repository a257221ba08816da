/* Comparing what ours did with what was recorded. */
#ifndef TY_GOLDEN_COMPARE_H
#define TY_GOLDEN_COMPARE_H

#include "json/json.h"

/* Replaces what differs from run to run as the recordings did: uids, times, key material, scripts;
 * a snapshot's YAML becomes an object. In place; both sides may be given. */
void compare_normalise(struct ty_arena *a, struct ty_json *result);
/* Lists with map keys by key, all others in order. Appends a line per difference; true if none. */
bool compare_results(struct ty_arena *a, const struct ty_json *want, const struct ty_json *got,
                     struct ty_buf *out);

#endif
