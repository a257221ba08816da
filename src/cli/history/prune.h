/* Limits of the history: the end of each run deletes finished runs beyond them. */
#ifndef TY_CLI_HISTORY_PRUNE_H
#define TY_CLI_HISTORY_PRUNE_H

#include "cli/cli.h"
#include "store/history/history_read.h"

/* The runs to keep. */
struct ty_prune {
    int64_t runs;   /* the newest `runs`; 0: no limit */
    int64_t age_ms; /* runs that ended less than this ago; 0: no limit */
};
#define TY_PRUNE_DEFAULT ((struct ty_prune){ .runs = 200, .age_ms = 90 * (int64_t)TY_DAY_MS })

/* Parses "200", "90d", "200,90d" or "all". A part that is missing means no limit. */
bool ty_prune_parse(struct ty_str text, struct ty_prune *ret);
/* Uses --history (option, NULL if not given), else $TRAINYARD_HISTORY, else the default. An invalid
 * option is a usage error (TY_EXIT_USAGE); an invalid variable causes a warning, and all runs are
 * kept. */
int ty_prune_settings(struct ty_cli *cli, const struct ty_cmd *cmd, const char *option,
                      struct ty_prune *ret);

/* Deletes finished runs beyond either limit with their directories, oldest first, at most
 * TY_PRUNE_ONCE; and directories that no run in the history has, beyond the age limit or without a
 * log. Live runs and
 * runs with --keep stay. Safe if other processes prune at the same time. -EAGAIN: the database is
 * busy; the next run prunes. */
#define TY_PRUNE_ONCE 100
int ty_prune_history(struct ty_arena *a, struct ty_history_db *d, const struct ty_prune *keep,
                     int64_t now_ms, struct ty_err *err);

#endif
