/* Versions of API servers. */
#ifndef TY_ADVISE_CHECK_SERVER_H
#define TY_ADVISE_CHECK_SERVER_H

#include "base/str.h"

/* "v1.31.2" and the like: major * 1000 + minor; -1: not a version. */
int64_t ty_check_server_version(struct ty_str text);

#endif
