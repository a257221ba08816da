/* Shared by the readers of the history: statements, and the columns of a run. */
#ifndef TY_STORE_HISTORY_HISTORY_READ_INNER_H
#define TY_STORE_HISTORY_HISTORY_READ_INNER_H

#include "store/history/history_read.h"

static inline void ty_history_read_finalize(sqlite3_stmt **s)
{
    sqlite3_finalize(*s);
}
#define ty_auto_stmt TY_AUTO(ty_history_read_finalize) sqlite3_stmt

static inline int ty_history_read_prepare(struct ty_history_db *d, const char *sql,
                                          sqlite3_stmt **ret, struct ty_err *err)
{
    return sqlite3_prepare_v2(ty_history_db_handle(d), sql, -1, ret, NULL) == SQLITE_OK
               ? 0
               : ty_history_db_fail(d, err);
}

static inline const char *ty_history_read_column(sqlite3_stmt *s, int i)
{
    const unsigned char *p = sqlite3_column_text(s, i);
    return p ? (const char *)p : "";
}

/* The first columns of a statement over `runs r`; borrowed until its next step. */
#define TY_HISTORY_RUN_COLUMNS "r.id, r.pid, r.dir, r.command, r.started, r.ended, r.how"
static inline void ty_history_read_run_row(sqlite3_stmt *s, struct ty_history_db_run *ret)
{
    *ret = (struct ty_history_db_run){ .id = sqlite3_column_int64(s, 0),
                                       .pid = sqlite3_column_int64(s, 1),
                                       .dir = ty_history_read_column(s, 2),
                                       .command = ty_history_read_column(s, 3),
                                       .started_ms = sqlite3_column_int64(s, 4),
                                       .ended_ms = sqlite3_column_int64(s, 5),
                                       .how = ty_history_read_column(s, 6) };
}

#endif
