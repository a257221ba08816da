/* Large objects cut down as text, without a tree: what is left of one says who it is and how it
 * stands. */
#ifndef TY_STORE_KUBE_TRUNCATE_H
#define TY_STORE_KUBE_TRUNCATE_H

#include "base/buf.h"

/* Copies the JSON object `text` to out. Members down to `levels` levels (1: its own; 2: those of
 * its members, too) stay as they are where their text is at most `each` bytes; longer ones, and all
 * that do not fit below out's ceiling, become null. Not checked: what is no JSON comes out as none.
 * False: not an object, or names alone do not fit. */
bool ty_truncate_object(struct ty_buf *out, struct ty_str text, int levels, size_t each);

#endif
