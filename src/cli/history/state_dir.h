/* Where what outlives a command is kept: $XDG_STATE_HOME/trainyard, or ~/.local/state/trainyard,
 * where the home is $HOME or, without one, that of the user database. */
#ifndef TY_CLI_HISTORY_STATE_DIR_H
#define TY_CLI_HISTORY_STATE_DIR_H

#include "base/arena.h"
#include "base/err.h"

/* NULL: there is no home; the sentence says what to set. They look at nothing on the disk. */
char *ty_state_dir_root(struct ty_arena *a, struct ty_err *err);    /* without a slash at its end */
char *ty_state_dir_history(struct ty_arena *a, struct ty_err *err); /* the history file in it */
char *ty_state_dir_runs(struct ty_arena *a, struct ty_err *err); /* the folder with one each run */

/* Before anything is written there. The folder is a real one, of this user, that nobody else may
 * write to. What we add to the user's folder on the way (.local, state) is this user's or root's.
 * -EPERM: it is not so. `make` makes what is missing, and takes from others the right to look. */
int ty_state_dir_create(struct ty_arena *a, struct ty_err *err);
int ty_state_dir_check(struct ty_arena *a, struct ty_err *err);
int ty_state_dir_create_path(const char *path, struct ty_err *err); /* all levels, mode 0700 */

/* Removes what is at path, with all that is in it; what is not there is fine. Only what lies in the
 * folder of runs: whatever a history says, nothing else is ever touched. */
int ty_state_dir_remove(struct ty_arena *a, const char *path, struct ty_err *err);

#endif
