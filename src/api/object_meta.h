/* The API server's rules for labels and annotations, which no schema has. */
#ifndef TY_API_OBJECT_META_H
#define TY_API_OBJECT_META_H

#include "json/errs.h"
#include "json/json.h"

/* Adds an error for each label and annotation of `meta`, whose path is `at`, that an API server
 * refuses, at most 16 of each kind. Values of another type than string are left to the decoder. */
void ty_object_meta_check(const struct ty_json *meta, const struct ty_field_path *at,
                          struct ty_errs *errs);

#endif
