/* Who is still at work: a run holds a lock on a file of its folder for as long as it lives. The
 * kernel lets go of it however the run ends, kill -9 and power cuts included. */
#ifndef TY_STORE_HISTORY_RUN_LOCK_H
#define TY_STORE_HISTORY_RUN_LOCK_H

#include <stdbool.h>

#include "base/err.h"

/* gives: the descriptor, not inherited by programs. Take it after everything was forked that
 * outlives this process's end: a copy would hold the lock, too. */
int ty_run_lock_acquire(const char *dir, struct ty_err *err);
/* Needs no right to write. A folder that is not there is not held. */
bool ty_run_lock_is_held(const char *dir);

#endif
