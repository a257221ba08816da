#include "store/history/history_read.h"

#include <errno.h>

#include "base/buf.h"
#include "store/history/history_read_inner.h"
#include "store/history/run_lock.h"

static const char objects_sql[] = "SELECT " TY_HISTORY_RUN_COLUMNS ","
                                  " o.kind, o.ns, o.name, o.uid, o.job, o.gone, o.text, o.version"
                                  " FROM objects o JOIN runs r ON r.id = o.run WHERE 1";
static const char objects_order[] = " ORDER BY o.run DESC, o.name, o.version DESC";
static const char events_sql[] =
    "SELECT o.run, o.job, o.kind, o.name, o.type, o.reason, o.message, o.count, o.first, o.last,"
    " o.id FROM events o WHERE 1";
static const char events_order[] = " ORDER BY o.last, o.id";

static void bind_opt(sqlite3_stmt *s, int at, const char *text)
{
    if (text)
        ty_history_db_bind(s, at, ty_str(text));
}

/* Adds only the conditions that are set, so that an index can be used. */
static int select_rows(struct ty_history_db *d, const char *head, const char *tail,
                       const struct ty_history_read_filter *which, sqlite3_stmt **ret,
                       struct ty_err *err)
{
    ty_auto_buf sql = { 0 };

    ty_buf_cstr(&sql, head);
    ty_buf_cstr(&sql, which->run ? " AND o.run = ?1" : "");
    ty_buf_cstr(&sql, which->job ? " AND o.job = ?2" : "");
    ty_buf_cstr(&sql, which->ns ? " AND o.ns = ?3" : "");
    ty_buf_cstr(&sql, which->kind ? " AND o.kind = ?4" : "");
    ty_buf_cstr(&sql, tail);
    ty_buf_chr(&sql, 0);
    int r = ty_history_read_prepare(d, sql.p, ret, err);
    if (r < 0)
        return r;
    if (which->run)
        sqlite3_bind_int64(*ret, 1, which->run);
    bind_opt(*ret, 2, which->job);
    bind_opt(*ret, 3, which->ns);
    bind_opt(*ret, 4, which->kind ? which->kind->kind : NULL);
    return 0;
}

int ty_history_read_objects(struct ty_history_db *d, const struct ty_history_read_filter *which,
                            bool (*fn)(void *ctx, const struct ty_history_read_object *obj),
                            void *ctx, struct ty_err *err)
{
    ty_auto_stmt *s = NULL;
    bool more = true;
    int code = SQLITE_DONE;
    int r = select_rows(d, objects_sql, objects_order, which, &s, err);

    if (r < 0)
        return r;
    while (more && (code = sqlite3_step(s)) == SQLITE_ROW) {
        struct ty_history_read_object o = { .kind = ty_kind_by_name(
                                                ty_str(ty_history_read_column(s, 7))),
                                            .ns = ty_history_read_column(s, 8),
                                            .name = ty_history_read_column(s, 9),
                                            .uid = ty_history_read_column(s, 10),
                                            .job = ty_history_read_column(s, 11),
                                            .gone = sqlite3_column_int(s, 12),
                                            .version = sqlite3_column_int64(s, 14) };
        o.text.p = ty_history_read_column(s, 13);
        o.text.n = (size_t)sqlite3_column_bytes(s, 13);
        ty_history_read_run_row(s, &o.run);
        if (o.kind)
            more = fn(ctx, &o);
    }
    return !more || code == SQLITE_DONE ? 0 : ty_history_db_fail(d, err);
}

int ty_history_read_events(struct ty_history_db *d, const struct ty_history_read_filter *which,
                           bool (*fn)(void *ctx, const struct ty_history_read_event *event),
                           void *ctx, struct ty_err *err)
{
    ty_auto_stmt *s = NULL;
    bool more = true;
    int code = SQLITE_DONE;
    struct ty_history_read_filter w = { .run = which->run, .job = which->job };
    int r = select_rows(d, events_sql, events_order, &w, &s, err);

    if (r < 0)
        return r;
    while (more && (code = sqlite3_step(s)) == SQLITE_ROW) {
        struct ty_history_read_event e = { .run = sqlite3_column_int64(s, 0),
                                           .job = ty_history_read_column(s, 1),
                                           .kind = ty_history_read_column(s, 2),
                                           .name = ty_history_read_column(s, 3),
                                           .type = ty_history_read_column(s, 4),
                                           .reason = ty_history_read_column(s, 5),
                                           .message = ty_history_read_column(s, 6),
                                           .count = sqlite3_column_int64(s, 7),
                                           .first_ms = sqlite3_column_int64(s, 8),
                                           .last_ms = sqlite3_column_int64(s, 9),
                                           .id = sqlite3_column_int64(s, 10) };
        more = fn(ctx, &e);
    }
    return !more || code == SQLITE_DONE ? 0 : ty_history_db_fail(d, err);
}

static bool has_ended(struct ty_history_db *d, int64_t run)
{
    ty_auto_stmt *s = NULL;

    if (ty_history_read_prepare(d, "SELECT ended FROM runs WHERE id = ?1", &s, NULL) < 0)
        return false;
    sqlite3_bind_int64(s, 1, run);
    return sqlite3_step(s) == SQLITE_ROW && sqlite3_column_int64(s, 0) != 0;
}

int64_t ty_history_read_data_version(struct ty_history_db *d)
{
    ty_auto_stmt *s = NULL;

    if (ty_history_read_prepare(d, "PRAGMA data_version", &s, NULL) < 0 ||
        sqlite3_step(s) != SQLITE_ROW)
        return 0;
    return sqlite3_column_int64(s, 0);
}

enum ty_history_read_run_state ty_history_read_run_state(struct ty_history_db *d,
                                                         const struct ty_history_db_run *run)
{
    if (run->ended_ms)
        return TY_HISTORY_RUN_ENDED;
    if (ty_run_lock_is_held(run->dir))
        return TY_HISTORY_RUN_LIVE;
    return has_ended(d, run->id) ? TY_HISTORY_RUN_ENDED : TY_HISTORY_RUN_LOST;
}

/* The number of changed rows, or a negative errno. */
static int exec_change(struct ty_history_db *d, const char *sql, int64_t run, const char *job,
                       struct ty_err *err)
{
    ty_auto_stmt *s = NULL;
    int r = ty_history_read_prepare(d, sql, &s, err);

    if (r < 0)
        return r;
    sqlite3_bind_int64(s, 1, run);
    if (sqlite3_bind_parameter_count(s) > 1)
        bind_opt(s, 2, job);
    r = ty_history_db_step(d, s, err);
    return r < 0 ? r : sqlite3_changes(ty_history_db_handle(d));
}

int ty_history_read_delete_job(struct ty_history_db *d, int64_t run, const char *job,
                               bool *ret_last, struct ty_err *err)
{
    int r = ty_history_db_exec(d, TY_SQL_BEGIN, err);

    if (r < 0)
        return r;
    r = exec_change(d, "DELETE FROM objects WHERE run = ?1 AND job = ?2", run, job, err);
    if (r >= 0)
        r = exec_change(d, "DELETE FROM events WHERE run = ?1 AND job = ?2", run, job, err);
    if (r >= 0)
        r = exec_change(d,
                        "DELETE FROM runs WHERE id = ?1 AND NOT EXISTS"
                        " (SELECT 1 FROM objects WHERE run = ?1 AND kind = 'TrainJob')",
                        run, NULL, err);
    *ret_last = r > 0;
    if (r > 0)
        r = exec_change(d, "DELETE FROM objects WHERE run = ?1", run, NULL, err);
    if (r >= 0)
        r = ty_history_db_exec(d, TY_SQL_COMMIT, err);
    if (r < 0)
        ty_history_db_exec(d, TY_SQL_ROLLBACK, NULL);
    return r < 0 ? r : 0;
}
