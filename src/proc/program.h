/* Programs that are asked for a fact: found along PATH, run, their output read. */
#ifndef TY_PROC_PROGRAM_H
#define TY_PROC_PROGRAM_H

#include "base/arena.h"

const char *ty_program_find(struct ty_arena *a, const char *name); /* its path; NULL: not found */
/* What argv[0] (a path) prints on standard output, without blanks around it and at most `max`
 * bytes; NULL: it cannot be started, or has not closed its output within timeout_ms, or printed
 * nothing. Its exit status does not matter. Blocks; the program is gone afterwards. */
const char *ty_program_output(struct ty_arena *a, const char *const *argv, size_t max,
                              int64_t timeout_ms);

#endif
