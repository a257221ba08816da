/* A hint for a TrainJob that is not in a cluster but in the history of this machine. */
#ifndef TY_CLI_HISTORY_LOCAL_HINT_H
#define TY_CLI_HISTORY_LOCAL_HINT_H

#include "cli/cli.h"

/* Prints one note if a run of this machine has a TrainJob of this name; else nothing, also if the
 * history cannot be read. ns, where: of the cluster that does not have it. Read-only. Returns true
 * if it printed the note. */
bool ty_local_hint(struct ty_cli *cli, const char *name, const char *ns, const char *where);

#endif
