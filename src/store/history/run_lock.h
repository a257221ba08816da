/* A run holds a lock on a file in its directory while it lives, so that other processes can tell
 * whether it is running. The kernel releases the lock however the run ends, including kill -9 and
 * power failures. */
#ifndef TY_STORE_HISTORY_RUN_LOCK_H
#define TY_STORE_HISTORY_RUN_LOCK_H

#include <stdbool.h>

#include "base/err.h"

/* gives the descriptor, which is closed on exec. Call it after forking processes that outlive this
 * one: their copy would hold the lock, too. */
int ty_run_lock_acquire(const char *dir, struct ty_err *err);
/* Needs no write permission. False if the directory does not exist. */
bool ty_run_lock_is_held(const char *dir);

#endif
