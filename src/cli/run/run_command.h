/* The command line of a run as its history keeps it. */
#ifndef TY_CLI_RUN_RUN_COMMAND_H
#define TY_CLI_RUN_RUN_COMMAND_H

#include "base/arena.h"
#include "base/str.h"

/* `words`: each ends with a NUL, as in /proc/self/cmdline; one that does not was cut off. `env`:
 * the words of --env, NULL-terminated or NULL; of each only the name is left, since values of
 * variables are where people put keys. Lives with the arena. */
char *ty_run_command(struct ty_arena *a, struct ty_str words, const char *const *env);
char *ty_run_command_own(struct ty_arena *a, const char *const *env); /* of this process */

#endif
