/* The history file: an SQLite database that every run of this user writes into, at once if need be.
 * Layout (user_version 1):
 *   runs     one row a `trainyard run`: who, where, since when, until when and how it ended
 *   objects  the last state of each TrainJob, JobSet, Job and Pod of a run, as JSON text
 *   events   what was told about them; the same event again raises its count
 * Secrets and ConfigMaps are not kept: keys have no business in a history. */
#ifndef TY_STORE_DURABLE_H
#define TY_STORE_DURABLE_H

#include <sqlite3.h>

#include "base/err.h"
#include "base/str.h"

#define TY_DURABLE_FILE    "trainyard.db"
#define TY_DURABLE_VERSION 1

struct ty_durable;

/* An open file. READ never creates, changes or needs to change anything; WRITE makes the file, not
 * its folder. -ENOENT: nothing was ever kept; -EPROTO: a newer trainyard made it; -EAGAIN: others
 * are busy with it just now; else what SQLite says. gives. */
enum ty_durable_use { TY_DURABLE_READ, TY_DURABLE_WRITE };
int ty_durable_open(const char *path, enum ty_durable_use use, struct ty_durable **ret,
                    struct ty_err *err);
void ty_durable_close(struct ty_durable *d); /* takes; NULL is fine */
/* How long a write waits for another process's. */
void ty_durable_patience(struct ty_durable *d, int ms);

struct ty_durable_run {
    int64_t id; /* filled in by ty_durable_begin */
    int64_t pid;
    const char *dir, *command;
    int64_t started_ms, ended_ms; /* Unix time; ended 0: no end is known */
    const char *how; /* "Complete", "Failed", "Interrupted", "TimedOut"; "" not ended */
};
int ty_durable_begin(struct ty_durable *d, struct ty_durable_run *run, struct ty_err *err);
int ty_durable_end(struct ty_durable *d, int64_t run, int64_t ended_ms, const char *how,
                   struct ty_err *err);

/* For the other files of the history. A statement is prepared once and kept; it is reset and its
 * bindings are cleared. NULL with *err if it cannot be. */
enum ty_durable_sql {
    TY_SQL_BEGIN,
    TY_SQL_COMMIT,
    TY_SQL_ROLLBACK,
    TY_SQL_RUN_ADD,
    TY_SQL_RUN_END,
    TY_SQL_OBJECT_PUT,
    TY_SQL_EVENT_PUT,
    TY_SQL_N,
};
sqlite3_stmt *ty_durable_sql(struct ty_durable *d, enum ty_durable_sql which, struct ty_err *err);
int ty_durable_step(struct ty_durable *d, sqlite3_stmt *s, struct ty_err *err); /* no rows: 0 */
int ty_durable_do(struct ty_durable *d, enum ty_durable_sql which, struct ty_err *err);
void ty_durable_bind(sqlite3_stmt *s, int at, struct ty_str text); /* borrows until the step */
sqlite3 *ty_durable_db(struct ty_durable *d);
/* What SQLite says, as a sentence and a negative errno: -EAGAIN when it is only busy. */
int ty_durable_fail(struct ty_durable *d, struct ty_err *err);

#endif
