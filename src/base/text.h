/* Text of others on a terminal of ours: nothing in it moves the cursor, and columns are counted as
 * terminals count them. */
#ifndef TY_BASE_TEXT_H
#define TY_BASE_TEXT_H

#include "base/str.h"

/* Copies `text` to ret (room for cap bytes) and returns how many it wrote. Left out: escape
 * sequences, control characters, marks that change direction or join what stands beside them. A tab
 * becomes a space, a byte that is no UTF-8 becomes '?'. What does not fit is cut between
 * characters.
 */
size_t ty_text_clean(struct ty_str text, char *ret, size_t cap);

/* Copies `text` with '?' for each byte that is no UTF-8, and nothing else changed. ret has room for
 * text.n bytes; returns how many it wrote. */
size_t ty_text_valid(struct ty_str text, char *ret);

/* Columns of text that is clean: two for wide characters, none for combining ones. */
int ty_text_width(struct ty_str text);
/* The longest beginning that takes no more than so many columns. */
struct ty_str ty_text_cut(struct ty_str text, int columns);

#endif
