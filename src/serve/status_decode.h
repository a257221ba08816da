/* Decodes the body of a status report as Go's decoder does. Pure. */
#ifndef TY_SERVE_STATUS_DECODE_H
#define TY_SERVE_STATUS_DECODE_H

#include "json/json.h"

/* Decodes the first JSON value of the body; the rest is ignored. Names match case-insensitively,
 * unknown ones are ignored. *ret is trainerStatus as Go would encode it, NULL if there is none; it
 * lives with the arena and borrows from the body. -EINVAL: invalid. */
int ty_status_decode(struct ty_arena *a, struct ty_str body, struct ty_json **ret);

#endif
