/* Where what outlives a command is kept: $XDG_STATE_HOME/trainyard, or ~/.local/state/trainyard. */
#ifndef TY_CLI_STATE_H
#define TY_CLI_STATE_H

#include "base/arena.h"

char *ty_state_root(struct ty_arena *a);    /* without a slash at its end */
char *ty_state_history(struct ty_arena *a); /* the history file in it */

#endif
