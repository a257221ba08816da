/* Encodes a text as its difference from a similar one. A thousand pods of a Job differ in a few
 * names and times: as deltas they take some hundred bytes each instead of three thousand. */
#ifndef TY_STORE_LOCAL_DELTA_H
#define TY_STORE_LOCAL_DELTA_H

#include "base/buf.h"

/* Appends to *ret the delta that turns `base` into `text`. At worst it is a little longer than the
 * text itself: the caller compares the lengths. */
void ty_delta_encode(struct ty_str base, struct ty_str text, struct ty_buf *ret);
/* Appends the text. False: `delta` was not made from this base (a bug). */
bool ty_delta_decode(struct ty_str base, struct ty_str delta, struct ty_buf *ret);

#endif
