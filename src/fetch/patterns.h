/* File name patterns: IGNORE_PATTERNS and its counterpart. */
#ifndef TY_FETCH_PATTERNS_H
#define TY_FETCH_PATTERNS_H

#include "base/arena.h"
#include "base/str.h"

/* Splits "*.bin, logs/" into a list that ends with NULL; a pattern that ends with '/' matches
 * everything below. */
const char *const *ty_patterns_split(struct ty_arena *a, const char *commas);
/* Whether any pattern matches all of `name`. '*' matches slashes, as in Python's fnmatch. */
bool ty_patterns_match(const char *const *patterns, const char *name);

#endif
