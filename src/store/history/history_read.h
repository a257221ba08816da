/* Queries and deletions in the history file. */
#ifndef TY_STORE_HISTORY_HISTORY_READ_H
#define TY_STORE_HISTORY_HISTORY_READ_H

#include "api/kind.h"
#include "store/history/history_db.h"

/* A filter for rows: NULL, 0 and empty match everything. */
struct ty_history_read_filter {
    int64_t run;
    const char *job; /* the TrainJob's name */
    const char *ns;  /* ns and kind: of objects; ignored for events */
    const struct ty_kind *kind;
};

/* A row; everything is borrowed for the call. */
struct ty_history_read_object {
    struct ty_history_db_run run;
    const struct ty_kind *kind;
    const char *ns, *name, *uid, *job;
    int64_t version;
    bool gone; /* deleted; this is its last state */
    struct ty_str text;
};
struct ty_history_read_event {
    int64_t id, run;
    const char *job, *kind, *name, *type, *reason, *message;
    int64_t count, first_ms, last_ms;
};

/* Newest run first, then by name; of the same name the newest object first. fn returns false to
 * stop. */
int ty_history_read_objects(struct ty_history_db *d, const struct ty_history_read_filter *which,
                            bool (*fn)(void *ctx, const struct ty_history_read_object *obj),
                            void *ctx, struct ty_err *err);
/* In the order of their last occurrence. */
int ty_history_read_events(struct ty_history_db *d, const struct ty_history_read_filter *which,
                           bool (*fn)(void *ctx, const struct ty_history_read_event *event),
                           void *ctx, struct ty_err *err);
/* Whether a run has ended, is running, or was interrupted. Reads the row again before it reports an
 * interruption, because the run may have ended between the two reads. */
enum ty_history_read_run_state { TY_HISTORY_RUN_ENDED, TY_HISTORY_RUN_LIVE, TY_HISTORY_RUN_LOST };
enum ty_history_read_run_state ty_history_read_run_state(struct ty_history_db *d,
                                                         const struct ty_history_db_run *run);
/* Changes when another process has written. Cheap. */
int64_t ty_history_read_data_version(struct ty_history_db *d);
/* The end of a run that is over; for an interrupted one, the time of its last event, or its start.
 * Unix ms. */
int64_t ty_history_read_run_end_ms(struct ty_history_db *d, const struct ty_history_db_run *run);

/* history_read_runs.c: whole runs. Calls fn for each run beyond the newest `newest` (0: no such
 * limit) or started before `before_ms` (0: no such limit), oldest first. beyond: it is not among
 * the newest. fn returns false to stop. */
int ty_history_read_runs(struct ty_history_db *d, int64_t newest, int64_t before_ms,
                         bool (*fn)(void *ctx, const struct ty_history_db_run *run, bool beyond),
                         void *ctx, struct ty_err *err);
/* Whether a run has this directory; true if that cannot be read. */
bool ty_history_read_has_dir(struct ty_history_db *d, const char *dir);
/* Deletes a run with its objects and events; succeeds if it does not exist. */
int ty_history_read_delete_run(struct ty_history_db *d, int64_t run, struct ty_err *err);

/* Deletes a TrainJob with its objects and events. *ret_last: the run had no other, and its row is
 * deleted, too. */
int ty_history_read_delete_job(struct ty_history_db *d, int64_t run, const char *job,
                               bool *ret_last, struct ty_err *err);

#endif
