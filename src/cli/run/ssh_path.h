/* The ssh that a run's own ssh stands in front of. */
#ifndef TY_CLI_RUN_SSH_PATH_H
#define TY_CLI_RUN_SSH_PATH_H

#include "base/arena.h"

/* The first executable `ssh` along `path` that comes after the entry `own` (a directory; if it is
 * not in the path, the first at all). NULL: there is none. A run inside a pod of another run has
 * two of ours in its path: starting behind one's own entry, each asks its own run once. */
char *ty_ssh_path_find(struct ty_arena *a, const char *path, const char *own);

#endif
