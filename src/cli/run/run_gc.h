/* What runs that were killed could not take away themselves. */
#ifndef TY_CLI_RUN_RUN_GC_H
#define TY_CLI_RUN_RUN_GC_H

#include <stdbool.h>

#include "base/arena.h"

/* Removes the pods' scratch files, the sockets and the claims on ports of every run below the
 * folder `runs` that is over; logs stay. Leaves alone who is still at work, and who was told to
 * keep its files. */
void ty_run_gc(struct ty_arena *a, const char *runs);
/* Says so of the run in the folder `dir`: never collected. */
void ty_run_gc_exclude(struct ty_arena *a, const char *dir);
bool ty_run_gc_is_excluded(struct ty_arena *a, const char *dir); /* was that said? */

#endif
