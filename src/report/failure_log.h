/* The end of a log as lines: cleaned for a terminal, with the mark of the process that wrote them.
 */
#ifndef TY_REPORT_FAILURE_LOG_H
#define TY_REPORT_FAILURE_LOG_H

#include "base/arena.h"
#include "base/str.h"

enum { TY_FAILURE_LINE_BYTES = 400 }; /* kept of one line */

/* A launcher's mark of its child's lines: "[rank3]:", "[default1]:" (torchrun), "[1,2]<stderr>:"
 * (mpirun); "[default1]:[rank3]:" is both. */
struct ty_failure_mark {
    struct ty_str text;  /* empty: none */
    int64_t rank, local; /* of all processes; of its node's; -1 unknown */
};
struct ty_failure_line {
    struct ty_str text; /* NUL-terminated */
    struct ty_str body; /* without the mark */
    struct ty_failure_mark mark;
    size_t offset; /* of the line in the log */
};
struct ty_failure_log { /* lives with the arena */
    struct ty_failure_line *lines;
    size_t n;
};
void ty_failure_log_read(struct ty_arena *a, struct ty_str log, struct ty_failure_log *ret);

#endif
