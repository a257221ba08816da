/* What launchers say about their children: torchrun's table, notes of mpirun and DeepSpeed. */
#ifndef TY_REPORT_FAILURE_LAUNCHERS_H
#define TY_REPORT_FAILURE_LAUNCHERS_H

#include "report/failure_findings.h"

/* A line that a launcher or a library's logger wrote, and not the program. */
bool ty_failure_launchers_line(struct ty_str body);
/* An error in the log of a C++ library, "E1117 17:33:43.1 …": its message may have several lines.
 */
bool ty_failure_launchers_error(struct ty_str body);
/* Finds where the launcher's report begins, and adds the children that it names. Lines of it that
 * are errors of a program (a traceback that torchrun repeats) are left to the caller. */
void ty_failure_launchers_read(const struct ty_failure_log *log, struct ty_failure_findings *to);
/* The first notice of Open MPI's mpirun, framed by dashes, or the line before it if that explains
 * it; empty if there is none. *ret_line: its last line. */
struct ty_str ty_failure_launchers_notice(struct ty_arena *a, const struct ty_failure_log *log,
                                          size_t *ret_line);

#endif
