/* Libraries that are loaded when they are first needed, not at every start of the program. What is
 * taken from one is a const table; struct and loader of each library are a page (net/gnutls.h). */
#ifndef TY_NET_DL_H
#define TY_NET_DL_H

#include "base/err.h"
#include <stddef.h>

struct ty_dl_fn {
    const char *name; /* as the library has it */
    size_t at;        /* of its pointer in the struct that is filled */
};

struct ty_dl {
    const char *const *files; /* the first that can be loaded is taken; ends with NULL */
    const char *use;          /* "TLS needs GnuTLS": begins the sentence when it cannot be had */
    const char *package;      /* Debian's, that has it */
    const struct ty_dl_fn *fns;
    size_t n;
};

/* Loads it: the handle goes to *ret_lib, all its functions into the struct at ret_fns. -ENOENT with
 * a sentence when it is not installed, or too old to have them all; then nothing is written. */
int ty_dl_load(const struct ty_dl *want, void **ret_lib, void *ret_fns, struct ty_err *err);
void ty_dl_close(void *lib); /* NULL is fine */

#endif
