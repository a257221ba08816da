/* Finds the error and the last lines in the tail of a log. */
#ifndef TY_REPORT_FAILURE_SUMMARY_TAIL_H
#define TY_REPORT_FAILURE_SUMMARY_TAIL_H

#include "base/arena.h"
#include "base/str.h"

enum { TY_TAIL_LINES = 20, TY_TAIL_BYTES = 65536 }; /* shown of a log; read of it */

/* What the end of a log shows. Lives with the arena. */
struct ty_failure_tail {
    struct ty_str error; /* the last line of a traceback: "ValueError: boom"; or empty */
    const char **lines;  /* clean, at most TY_TAIL_LINES */
    size_t n;
    size_t hidden; /* lines after those: a launcher's report about its child */
};
void ty_failure_summary_tail(struct ty_arena *a, struct ty_str log, struct ty_failure_tail *ret);

#endif
