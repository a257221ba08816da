/* A file of this machine, whole, within a ceiling. */
#ifndef TY_STORE_FILE_H
#define TY_STORE_FILE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

#define TY_FILE_MAX ((size_t)32 << 20) /* bytes */

/* One file, or "-", whole. -EFBIG and others with a sentence that does not name the file. */
int ty_file_read(struct ty_arena *a, const char *path, int stdin_fd, struct ty_str *ret_text,
                 struct ty_err *err);

#endif
