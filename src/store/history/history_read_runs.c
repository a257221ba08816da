/* Finds and deletes whole runs. */
#include "store/history/history_read_inner.h"

#include <errno.h>

int64_t ty_history_read_run_end_ms(struct ty_history_db *d, const struct ty_history_db_run *run)
{
    ty_auto_stmt *s = NULL;
    int64_t last = 0;

    if (run->ended_ms)
        return run->ended_ms;
    if (ty_history_read_prepare(d, "SELECT max(last) FROM events WHERE run = ?1", &s, NULL) == 0) {
        sqlite3_bind_int64(s, 1, run->id);
        if (sqlite3_step(s) == SQLITE_ROW)
            last = sqlite3_column_int64(s, 0);
    }
    return last > run->started_ms ? last : run->started_ms;
}

int ty_history_read_runs(struct ty_history_db *d, int64_t newest, int64_t before_ms,
                         bool (*fn)(void *ctx, const struct ty_history_db_run *run, bool beyond),
                         void *ctx, struct ty_err *err)
{
    ty_auto_stmt *s = NULL;
    bool more = true;
    int code = SQLITE_DONE;
    int r = ty_history_read_prepare(
        d,
        "SELECT " TY_HISTORY_RUN_COLUMNS ", ?1 > 0 AND r.id <= coalesce("
        "(SELECT id FROM runs ORDER BY id DESC LIMIT 1 OFFSET ?1), 0) AS beyond"
        " FROM runs r WHERE beyond OR r.started < ?2 ORDER BY r.id",
        &s, err);

    if (r < 0)
        return r;
    sqlite3_bind_int64(s, 1, newest);
    sqlite3_bind_int64(s, 2, before_ms);
    while (more && (code = sqlite3_step(s)) == SQLITE_ROW) {
        struct ty_history_db_run run;
        ty_history_read_run_row(s, &run);
        more = fn(ctx, &run, sqlite3_column_int(s, 7));
    }
    return !more || code == SQLITE_DONE ? 0 : ty_history_db_fail(d, err);
}

bool ty_history_read_has_dir(struct ty_history_db *d, const char *dir)
{
    ty_auto_stmt *s = NULL;

    if (ty_history_read_prepare(d, "SELECT 1 FROM runs WHERE dir = ?1", &s, NULL) < 0)
        return true; /* on error, assume that it is in use */
    ty_history_db_bind(s, 1, ty_str(dir));
    return sqlite3_step(s) != SQLITE_DONE;
}

int ty_history_read_delete_run(struct ty_history_db *d, int64_t run, struct ty_err *err)
{
    static const char *const sql[] = { "DELETE FROM objects WHERE run = ?1",
                                       "DELETE FROM events WHERE run = ?1",
                                       "DELETE FROM runs WHERE id = ?1" };
    int r = ty_history_db_exec(d, TY_SQL_BEGIN, err);

    if (r < 0)
        return r;
    for (size_t i = 0; i < TY_COUNT(sql) && r == 0; i++) {
        ty_auto_stmt *s = NULL;
        r = ty_history_read_prepare(d, sql[i], &s, err);
        if (r < 0)
            break;
        sqlite3_bind_int64(s, 1, run);
        r = ty_history_db_step(d, s, err);
    }
    if (r == 0)
        r = ty_history_db_exec(d, TY_SQL_COMMIT, err);
    if (r < 0)
        ty_history_db_exec(d, TY_SQL_ROLLBACK, NULL);
    return r;
}
