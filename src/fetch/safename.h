/* Validates file names from servers. */
#ifndef TY_FETCH_SAFENAME_H
#define TY_FETCH_SAFENAME_H

#include "base/err.h"
#include "base/str.h"

#define TY_FETCH_FOLDER ".trainyard" /* the program's own directory in every destination */

/* 0, or -EINVAL: absolute, "..", ".", empty parts, control characters, too long, or inside
 * TY_FETCH_FOLDER. A valid name cannot leave the directory it is joined to. */
int ty_safename_check(struct ty_str name, struct ty_err *err);

#endif
