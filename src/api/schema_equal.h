/* Equality as in CEL's self == oldSelf: the schema decides whether the order of a list matters. */
#ifndef TY_API_SCHEMA_EQUAL_H
#define TY_API_SCHEMA_EQUAL_H

#include "api/schema.h"

/* Items of map lists are matched by their keys and those of sets by value, at every level;
 * everything else as ty_json_eq. */
bool ty_schema_equal(const struct ty_schema *s, const struct ty_json *a, const struct ty_json *b);

#endif
