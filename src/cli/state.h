/* Where what outlives a command is kept: $XDG_STATE_HOME/trainyard, or ~/.local/state/trainyard. */
#ifndef TY_CLI_STATE_H
#define TY_CLI_STATE_H

#include "base/arena.h"
#include "base/err.h"

char *ty_state_root(struct ty_arena *a);    /* without a slash at its end */
char *ty_state_history(struct ty_arena *a); /* the history file in it */
char *ty_state_runs(struct ty_arena *a);    /* the folder with one for each run */
/* Removes what is at path, with all that is in it; what is not there is fine. Only what lies in the
 * folder of runs: whatever a history says, nothing else is ever touched. */
int ty_state_remove(struct ty_arena *a, const char *path, struct ty_err *err);

#endif
