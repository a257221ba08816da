/* Prints events of the history: a table as `kubectl events`, or a v1 List. */
#ifndef TY_CLI_VIEW_EVENTS_VIEW_H
#define TY_CLI_VIEW_EVENTS_VIEW_H

#include "cli/cli.h"
#include "store/history/history_read.h"

/* which->job NULL: all events of the run. output: NULL (table), json or yaml. indent: text before
 * each line of the table; NULL none. Gives an exit code. */
int ty_events_view_print(struct ty_cli *cli, struct ty_history_db *d,
                         const struct ty_history_read_filter *which, const char *output,
                         const char *indent);

#endif
