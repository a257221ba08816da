/* The history file: an SQLite database that every run of this user writes into, at once if need be.
 * Layout (user_version 1):
 *   runs     one row a `trainyard run`: who, where, since when, until when and how it ended
 *   objects  the last state of each TrainJob, JobSet, Job and Pod of a run, as JSON text
 *   events   what was told about them; the same event again raises its count
 * Secrets and ConfigMaps are not kept: keys have no business in a history. */
#ifndef TY_STORE_HISTORY_HISTORY_DB_H
#define TY_STORE_HISTORY_HISTORY_DB_H

#include <sqlite3.h>

#include "base/err.h"
#include "base/str.h"

#define TY_HISTORY_DB_FILE    "trainyard.db"
#define TY_HISTORY_DB_VERSION 1

struct ty_history_db;

/* An open file. READ never creates, changes or needs to change anything; WRITE makes the file, not
 * its folder. -ENOENT: nothing was ever kept; -EPROTO: a newer trainyard made it; -EAGAIN: others
 * are busy with it just now; else what SQLite says. gives. */
enum ty_history_db_mode { TY_HISTORY_DB_READ, TY_HISTORY_DB_WRITE };
int ty_history_db_open(const char *path, enum ty_history_db_mode use, struct ty_history_db **ret,
                       struct ty_err *err);
void ty_history_db_close(struct ty_history_db *d); /* takes; NULL is fine */
/* How long a write waits for another process's. */
void ty_history_db_busy_timeout(struct ty_history_db *d, int ms);

struct ty_history_db_run {
    int64_t id; /* filled in by ty_history_db_begin_run */
    int64_t pid;
    const char *dir, *command;
    int64_t started_ms, ended_ms; /* Unix time; ended 0: no end is known */
    const char *how; /* "Complete", "Failed", "Interrupted", "TimedOut"; "" not ended */
};
int ty_history_db_begin_run(struct ty_history_db *d, struct ty_history_db_run *run,
                            struct ty_err *err);
int ty_history_db_end_run(struct ty_history_db *d, int64_t run, int64_t ended_ms, const char *how,
                          struct ty_err *err);

/* For the other files of the history. A statement is prepared once and kept; it is reset and its
 * bindings are cleared. NULL with *err if it cannot be. */
enum ty_history_db_stmt {
    TY_SQL_BEGIN,
    TY_SQL_COMMIT,
    TY_SQL_ROLLBACK,
    TY_SQL_RUN_ADD,
    TY_SQL_RUN_END,
    TY_SQL_OBJECT_PUT,
    TY_SQL_EVENT_PUT,
    TY_SQL_N,
};
sqlite3_stmt *ty_history_db_stmt(struct ty_history_db *d, enum ty_history_db_stmt which,
                                 struct ty_err *err);
int ty_history_db_step(struct ty_history_db *d, sqlite3_stmt *s,
                       struct ty_err *err); /* no rows: 0 */
int ty_history_db_exec(struct ty_history_db *d, enum ty_history_db_stmt which, struct ty_err *err);
void ty_history_db_bind(sqlite3_stmt *s, int at, struct ty_str text); /* borrows until the step */
sqlite3 *ty_history_db_handle(struct ty_history_db *d);
/* What SQLite says, as a sentence and a negative errno: -EAGAIN when it is only busy. */
int ty_history_db_fail(struct ty_history_db *d, struct ty_err *err);

#endif
