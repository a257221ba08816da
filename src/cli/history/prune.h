/* How much of the history is kept: finished runs go by themselves at the end of a run, or when
 * `trainyard delete` is told which. */
#ifndef TY_CLI_HISTORY_PRUNE_H
#define TY_CLI_HISTORY_PRUNE_H

#include "cli/cli.h"
#include "store/history/history_read.h"

/* What is kept. */
struct ty_prune {
    int64_t runs;   /* the newest so many; 0: any number */
    int64_t age_ms; /* what has not been over for longer; 0: any age */
};
#define TY_PRUNE_DEFAULT ((struct ty_prune){ .runs = 200, .age_ms = 90 * (int64_t)TY_DAY_MS })

/* "200", "90d", "200,90d" or "all". What is not said has no bound. */
bool ty_prune_parse(struct ty_str text, struct ty_prune *ret);
/* option: --history, NULL if not given; else $TRAINYARD_HISTORY, else the default. A wrong option
 * is a mistake in the command line (TY_EXIT_USAGE); a wrong variable is told, and then everything
 * is kept. */
int ty_prune_settings(struct ty_cli *cli, const struct ty_cmd *cmd, const char *option,
                      struct ty_prune *ret);

/* Takes out runs that are over and beyond either bound, oldest first, TY_PRUNE_ONCE at most, with
 * their folders; and folders that old which no run in the history has. Who is at work, and who was
 * told to keep its files, stays. Others may do the same at the same time. -EAGAIN: they are busy,
 * the next run will do it. */
#define TY_PRUNE_ONCE 100
int ty_prune_history(struct ty_arena *a, struct ty_history_db *d, const struct ty_prune *keep,
                     int64_t now_ms, struct ty_err *err);

#endif
