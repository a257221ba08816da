/* A text as its difference from another one much like it. The thousand pods of a Job differ in a
 * few names and times: kept this way each costs some hundred bytes instead of three thousand. */
#ifndef TY_STORE_LOCAL_DELTA_H
#define TY_STORE_LOCAL_DELTA_H

#include "base/buf.h"

/* Appends to *ret what makes `text` out of `base`. Never wrong, at worst a little longer than the
 * text itself: the caller looks at the length. */
void ty_delta_encode(struct ty_str base, struct ty_str text, struct ty_buf *ret);
/* Appends the text. False: `delta` was not made from a base like this one (our own bug). */
bool ty_delta_decode(struct ty_str base, struct ty_str delta, struct ty_buf *ret);

#endif
