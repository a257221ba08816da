/* Which files are wanted: IGNORE_PATTERNS and its counterpart. */
#ifndef TY_FETCH_PATTERNS_H
#define TY_FETCH_PATTERNS_H

#include "base/arena.h"
#include "base/str.h"

/* "*.bin, logs/" as a list that ends with NULL; a pattern that ends with '/' means all below. */
const char *const *ty_patterns_split(struct ty_arena *a, const char *commas);
/* Whether any pattern fits all of `name`. '*' crosses slashes, as Python's fnmatch has it. */
bool ty_patterns_match(const char *const *patterns, const char *name);

#endif
