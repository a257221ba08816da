/* Tables and short ages as kubectl prints them: left-aligned columns, three spaces apart, no
 * trailing spaces. */
#ifndef TY_CLI_VIEW_TABLE_H
#define TY_CLI_VIEW_TABLE_H

#include "base/arena.h"
#include "base/buf.h"

#define TY_TABLE_COLUMNS 16

struct ty_table {
    struct ty_arena *arena;
    const char *indent; /* before each line; NULL none */
    const char *first;  /* a cell before those of each row that is added; NULL none */
    size_t n_columns;   /* cells of the first row */
    const char **cells; /* row by row; live with the arena */
    size_t n_cells, cap;
    size_t *widths; /* of TY_TABLE_COLUMNS, at least as wide as these; wider ones are stored here,
                       for the next table below this one; NULL: as wide as its own cells */
};

/* Adds a row; the words end with NULL and live with the arena. The first one is the heading. */
#define ty_table_row(t, ...) ty_table_add((t), (const char *const[]){ __VA_ARGS__, NULL })
void ty_table_add(struct ty_table *t, const char *const *cells);
size_t ty_table_rows(const struct ty_table *t); /* without the heading */
/* Prints the table. Missing cells are empty; a control character in a cell becomes a space. */
void ty_table_print(const struct ty_table *t, struct ty_buf *out);

/* "41s", "5m12s", "3h5m", "2d": as kubectl rounds. Negative is "0s". */
const char *ty_table_age(struct ty_arena *a, int64_t seconds);

#endif
