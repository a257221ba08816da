/* Reduces large objects as text, without parsing: the result still has the identity and the state
 * of the object. */
#ifndef TY_STORE_KUBE_TRUNCATE_H
#define TY_STORE_KUBE_TRUNCATE_H

#include "base/buf.h"

/* Copies the JSON object `text` to out. Members down to `levels` levels (1: its own; 2: those of
 * its members, too) are kept if their text is at most `each` bytes; longer ones, and all that do
 * not fit below out's ceiling, become null. Does not validate: invalid JSON stays invalid. False:
 * not an object, or the names alone do not fit. */
bool ty_truncate_object(struct ty_buf *out, struct ty_str text, int levels, size_t each);

#endif
