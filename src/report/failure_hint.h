/* Advice for errors whose own words do not say what to do on this machine. Pure. */
#ifndef TY_REPORT_FAILURE_HINT_H
#define TY_REPORT_FAILURE_HINT_H

#include "base/arena.h"
#include "base/str.h"

/* A sentence for the first known error in the text of a failure summary; NULL: none is known. */
const char *ty_failure_hint(struct ty_str text);

#endif
