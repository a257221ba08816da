/* The state directory: $XDG_STATE_HOME/trainyard, or ~/.local/state/trainyard, where the home is
 * $HOME or, if that is unset, the one in the user database. */
#ifndef TY_CLI_HISTORY_STATE_DIR_H
#define TY_CLI_HISTORY_STATE_DIR_H

#include "base/arena.h"
#include "base/err.h"

/* Paths only; the disk is not accessed. NULL: there is no home; *err says what to set. */
char *ty_state_dir_root(struct ty_arena *a, struct ty_err *err);    /* without a trailing slash */
char *ty_state_dir_history(struct ty_arena *a, struct ty_err *err); /* the history file in it */
char *ty_state_dir_runs(struct ty_arena *a, struct ty_err *err); /* has a directory for each run */

/* To be called before anything is written there: checks that the directory is no link, is owned by
 * this user and writable by no one else, and that the directories between it and the user's
 * (.local, state) are owned by this user or root; else -EPERM. ty_state_dir_create also creates
 * what is missing and removes access for others. */
int ty_state_dir_create(struct ty_arena *a, struct ty_err *err);
int ty_state_dir_check(struct ty_arena *a, struct ty_err *err);
int ty_state_dir_create_path(const char *path, struct ty_err *err); /* all levels, mode 0700 */

/* Removes path recursively; a missing path is no error. Refuses paths outside the directory of
 * runs, because paths come from the history file. */
int ty_state_dir_remove(struct ty_arena *a, const char *path, struct ty_err *err);

#endif
