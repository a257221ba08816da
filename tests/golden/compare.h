/* Compares the results of trainyard with the recorded ones. */
#ifndef TY_GOLDEN_COMPARE_H
#define TY_GOLDEN_COMPARE_H

#include "json/json.h"

/* Replaces values that differ from run to run, as the recordings did: uids, times, key material,
 * scripts; a snapshot's YAML becomes an object. In place, for both sides. */
void compare_normalize(struct ty_arena *a, struct ty_json *result);
/* Lists with map keys are compared by key, all others in order. Appends a line for each difference;
 * true if there is none. */
bool compare_results(struct ty_arena *a, const struct ty_json *want, const struct ty_json *got,
                     struct ty_buf *out);

#endif
