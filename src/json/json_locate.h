/* Finds the position of a field in the input text. */
#ifndef TY_JSON_JSON_LOCATE_H
#define TY_JSON_JSON_LOCATE_H

#include "json/json.h"

/* The deepest value of obj on `path` ("spec.trainer.env[1].name", or "env[name=\"A\"]"), for its
 * line. Keys are compared without case: upstream writes spec.RuntimeRef. */
const struct ty_json *ty_json_locate(const struct ty_json *obj, const char *path);

#endif
