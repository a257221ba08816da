/* The history file: an SQLite database that all runs of a user write, possibly at the same time.
 * Schema (user_version 1):
 *   runs     one row for each `trainyard run`: process, directory, start, end and result
 *   objects  the last state of each TrainJob, JobSet, Job and Pod of a run, as JSON text
 *   events   events about them; an equal event increments the count
 * Secrets and ConfigMaps are not recorded, because they may contain keys. */
#ifndef TY_STORE_HISTORY_HISTORY_DB_H
#define TY_STORE_HISTORY_HISTORY_DB_H

#include <sqlite3.h>

#include "base/err.h"
#include "base/str.h"

#define TY_HISTORY_DB_FILE    "trainyard.db"
#define TY_HISTORY_DB_VERSION 1

struct ty_history_db;

/* Opens the file. READ never creates or changes anything; WRITE creates the file, not its
 * directory. -ENOENT: there is no history; -EPROTO: written by a newer trainyard; -EAGAIN: locked
 * by other processes; else SQLite's error. gives. */
enum ty_history_db_mode { TY_HISTORY_DB_READ, TY_HISTORY_DB_WRITE };
int ty_history_db_open(const char *path, enum ty_history_db_mode use, struct ty_history_db **ret,
                       struct ty_err *err);
void ty_history_db_close(struct ty_history_db *d); /* takes; NULL is fine */
/* Reads all of it: -EIO with the first thing that is wrong in *err. */
int ty_history_db_check(struct ty_history_db *d, struct ty_err *err);
/* The maximal wait for another process's lock. */
void ty_history_db_busy_timeout(struct ty_history_db *d, int ms);

struct ty_history_db_run {
    int64_t id; /* set by ty_history_db_begin_run */
    int64_t pid;
    const char *dir, *command;
    int64_t started_ms, ended_ms; /* Unix time; ended 0: unknown */
    const char *how; /* "Complete", "Failed", "Interrupted", "TimedOut"; "" not ended */
};
int ty_history_db_begin_run(struct ty_history_db *d, struct ty_history_db_run *run,
                            struct ty_err *err);
int ty_history_db_end_run(struct ty_history_db *d, int64_t run, int64_t ended_ms, const char *how,
                          struct ty_err *err);

/* For the other files of the history: a statement that is prepared once and cached; it is reset and
 * its bindings are cleared. NULL with *err on failure. */
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
/* For a statement that returns no rows. */
int ty_history_db_step(struct ty_history_db *d, sqlite3_stmt *s, struct ty_err *err);
int ty_history_db_exec(struct ty_history_db *d, enum ty_history_db_stmt which, struct ty_err *err);
void ty_history_db_bind(sqlite3_stmt *s, int at, struct ty_str text); /* borrows until the step */
sqlite3 *ty_history_db_handle(struct ty_history_db *d);
/* SQLite's error as a message and a negative errno: -EAGAIN if the database is busy. */
int ty_history_db_fail(struct ty_history_db *d, struct ty_err *err);

#endif
