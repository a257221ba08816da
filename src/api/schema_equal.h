/* Equality as CEL's self == oldSelf sees it: the schema says which lists have an order. */
#ifndef TY_API_SCHEMA_EQUAL_H
#define TY_API_SCHEMA_EQUAL_H

#include "api/schema.h"

/* Lists of type map are matched by their keys and sets by value, wherever they occur; everything
 * else as ty_json_eq. */
bool ty_schema_equal(const struct ty_schema *s, const struct ty_json *a, const struct ty_json *b);

#endif
