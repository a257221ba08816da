/* Libraries that are loaded when they are first needed, not at every start of the program. */
#ifndef TY_NET_DL_H
#define TY_NET_DL_H

#include "base/err.h"

/* The first of `names` (ends with NULL) that can be loaded. -ENOENT: none; the sentence says what
 * it is needed for (`use`) and which Debian package has it. */
int ty_dl_open(void **ret_lib, const char *const *names, const char *use, const char *package,
               struct ty_err *err);
void ty_dl_close(void *lib); /* NULL is fine */
/* ret_fn: address of a function pointer. -ENOENT: the library is too old to have it. */
int ty_dl_find(void *lib, const char *name, void *ret_fn, struct ty_err *err);

#endif
