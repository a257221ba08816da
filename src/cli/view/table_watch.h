/* `get --watch`: prints the rows of a table, and again each row that changes. */
#ifndef TY_CLI_VIEW_TABLE_WATCH_H
#define TY_CLI_VIEW_TABLE_WATCH_H

#include "base/map.h"
#include "cli/cli.h"
#include "cli/view/table.h"

#define TY_TABLE_WATCH_ROWS ((size_t)50000)

struct ty_table_watch { /* members without a comment: all zero */
    struct ty_cli *cli;
    /* Adds the heading and the rows to an empty table, and calls ty_table_watch_row after each row.
     * Everything lives with the table's arena, which is freed after the call. Gives an exit code;
     * any but TY_EXIT_OK ends the watch. */
    int (*fill)(void *ctx, struct ty_table *t);
    /* Returns when rows may have changed. Gives an exit code, as fill. */
    int (*wait)(void *ctx);
    void *ctx;
    size_t most;        /* rows that are remembered; 0: TY_TABLE_WATCH_ROWS */
    struct ty_map seen; /* key -> struct seen_row, in the order in which they were printed */
    uint64_t polls;
    bool headed; /* the heading has been printed */
    size_t widths[TY_TABLE_COLUMNS];
};

/* Prints until fill, wait or the output fails; gives that exit code. */
int ty_table_watch_run(struct ty_table_watch *w);
/* One poll: prints what is new or has changed. */
int ty_table_watch_poll(struct ty_table_watch *w);
void ty_table_watch_done(struct ty_table_watch *w);
/* Removes the row that was added last if the row of that key was printed with the same cells.
 * Columns that only tell the time (AGE, DURATION …) are not compared.
 *
 * Of more than `most` rows those that were printed longest ago are forgotten, except rows that are
 * still in the table. So a watch of a cluster, which gets only changes, may print such a row
 * once more when its object changes in a way that the row does not show. A server keeps events for
 * an hour by default, so that hardly concerns them. */
void ty_table_watch_row(struct ty_table_watch *w, struct ty_table *t, const char *key);
/* Instead of it, if the object was deleted: its last row is printed again, as kubectl does. */
void ty_table_watch_deleted_row(struct ty_table_watch *w, const char *key);

#endif
