/* Garbage collection of runs that were killed. */
#ifndef TY_CLI_RUN_RUN_GC_H
#define TY_CLI_RUN_RUN_GC_H

#include <stdbool.h>

#include "base/arena.h"

/* Removes pod directories, mount points, sockets and port claims of all ended runs below the
 * directory `runs`; logs stay. Skips live runs and excluded ones. */
void ty_run_gc(struct ty_arena *a, const char *runs);
/* Excludes the run in directory `dir` from garbage collection (run --keep). */
void ty_run_gc_exclude(struct ty_arena *a, const char *dir);
bool ty_run_gc_is_excluded(struct ty_arena *a, const char *dir);

#endif
