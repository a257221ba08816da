/* Loads shared libraries on first use, not at the start of the program. The functions of a library
 * are listed in a const table; each library has a struct and a loader (net/gnutls.h). */
#ifndef TY_NET_DL_H
#define TY_NET_DL_H

#include "base/err.h"
#include <stddef.h>

struct ty_dl_fn {
    const char *name; /* the symbol in the library */
    size_t at;        /* offset of its pointer in the struct */
};

struct ty_dl {
    const char *const *files; /* the first that can be loaded is used; ends with NULL */
    const char *use;          /* "TLS needs GnuTLS": the beginning of the error message */
    const char *package;      /* the Debian package */
    const struct ty_dl_fn *fns;
    size_t n;
};

/* Loads the library: sets *ret_lib to its handle and all functions in the struct at ret_fns.
 * -ENOENT with a message, and nothing set, if it is not installed or too old. */
int ty_dl_load(const struct ty_dl *want, void **ret_lib, void *ret_fns, struct ty_err *err);
void ty_dl_close(void *lib); /* NULL is fine */

#endif
