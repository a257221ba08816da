/* Makes untrusted text safe to print on a terminal, and measures its width in columns. */
#ifndef TY_BASE_TEXT_H
#define TY_BASE_TEXT_H

#include "base/str.h"

/* Copies `text` to ret (capacity cap) and returns the number of bytes written. Removes escape
 * sequences, control characters, bidirectional marks and joiners. A tab becomes a space, a byte
 * that is not UTF-8 becomes '?'. Text beyond cap is cut between characters. */
size_t ty_text_clean(struct ty_str text, char *ret, size_t cap);

/* The same, but keeps the bytes in `keep`, such as "\n": an escape sequence ends there at the
 * latest. ret has room for text.n bytes. */
size_t ty_text_clean_keep(struct ty_str text, const char *keep, char *ret);

/* The same for one line, but keeps tabs and colors (SGR sequences). Sets *ret_colors if there are
 * some, and leaves it else. ret has room for text.n bytes. */
size_t ty_text_clean_color(struct ty_str text, char *ret, bool *ret_colors);

/* Copies `text` and replaces each byte that is not UTF-8 by '?'. ret has room for text.n bytes;
 * returns the number of bytes written. */
size_t ty_text_valid(struct ty_str text, char *ret);

/* Columns of cleaned text: two for wide characters, none for combining ones. */
int ty_text_width(struct ty_str text);
/* The longest prefix that takes at most so many columns. */
struct ty_str ty_text_cut(struct ty_str text, int columns);

#endif
