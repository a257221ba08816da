/* A post's body, read as Go's decoder reads it. Pure. */
#ifndef TY_SERVE_STATUS_DECODE_H
#define TY_SERVE_STATUS_DECODE_H

#include "json/json.h"

/* The first JSON value of the body; what follows it is not looked at. Names match in any case,
 * unknown ones are ignored. *ret is trainerStatus as Go would write it, NULL if there is none; it
 * lives with the arena and borrows from the body. -EINVAL: it is not what it should be. */
int ty_status_decode(struct ty_arena *a, struct ty_str body, struct ty_json **ret);

#endif
