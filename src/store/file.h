/* Reads a whole file of this machine, up to a size limit. */
#ifndef TY_STORE_FILE_H
#define TY_STORE_FILE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

#define TY_FILE_MAX ((size_t)32 << 20) /* bytes */

/* Reads a file, or standard input for "-". -EFBIG and other errors, with a message that does not
 * name the file. */
int ty_file_read(struct ty_arena *a, const char *path, int stdin_fd, struct ty_str *ret_text,
                 struct ty_err *err);

#endif
