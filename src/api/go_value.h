/* Formats values as Go's fmt and encoding/json do in the API server's messages. */
#ifndef TY_API_GO_VALUE_H
#define TY_API_GO_VALUE_H

#include "base/buf.h"
#include "json/json.h"

/* %q: double quotes; escapes for characters that are not printable. */
void ty_go_quote(struct ty_buf *out, struct ty_str s);
/* The value of a field error: strings %q, numbers and booleans %v, anything else as json.Marshal
 * writes a map (keys sorted, <, > and & escaped). Lives with the arena. */
const char *ty_go_value(struct ty_arena *a, const struct ty_json *v);

/* A JSON number as Go's float64; infinite if it is too large. */
double ty_go_number(const struct ty_json *v);
/* An INT, or a NUMBER such as 2.0 or 1e3 that the API server accepts as an integer. */
bool ty_go_integer(const struct ty_json *v, int64_t *ret_v);

#endif
