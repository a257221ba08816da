/* Reading the history file, and taking parts out of it. */
#ifndef TY_STORE_HISTORY_HISTORY_READ_H
#define TY_STORE_HISTORY_HISTORY_READ_H

#include "api/kind.h"
#include "store/history/history_db.h"

/* Which rows: NULL, 0 and empty mean any. */
struct ty_history_read_filter {
    int64_t run;
    const char *job; /* the TrainJob's name */
    const char *ns;
    const struct ty_kind *kind; /* of objects */
};

/* A row; everything is borrowed for the call. */
struct ty_history_read_object {
    struct ty_history_db_run run;
    const struct ty_kind *kind;
    const char *ns, *name, *uid, *job;
    int64_t version;
    bool gone; /* deleted since; this is its last state */
    struct ty_str text;
};
struct ty_history_read_event {
    int64_t run;
    const char *job, *kind, *name, *type, *reason, *message;
    int64_t count, first_ms, last_ms;
};

/* Newest run first, then by name; of one name the newest object first. fn returns false to stop. */
int ty_history_read_objects(struct ty_history_db *d, const struct ty_history_read_filter *which,
                            bool (*fn)(void *ctx, const struct ty_history_read_object *obj),
                            void *ctx, struct ty_err *err);
/* In the order in which they were last seen. */
int ty_history_read_events(struct ty_history_db *d, const struct ty_history_read_filter *which,
                           bool (*fn)(void *ctx, const struct ty_history_read_event *event),
                           void *ctx, struct ty_err *err);
/* Has it ended by itself, is it at work, or was it cut off? Looks at the row again before it says
 * that, since a run may end between two looks. */
enum ty_history_read_run_state { TY_HISTORY_RUN_ENDED, TY_HISTORY_RUN_LIVE, TY_HISTORY_RUN_LOST };
enum ty_history_read_run_state ty_history_read_run_state(struct ty_history_db *d,
                                                         const struct ty_history_db_run *run);
/* Another number than before: another process has written since. Cheap. */
int64_t ty_history_read_data_version(struct ty_history_db *d);
/* When a run that is over ended; of one that was cut off, when it was last heard of. Unix ms. */
int64_t ty_history_read_run_end_ms(struct ty_history_db *d, const struct ty_history_db_run *run);

/* history_read_runs.c: whole runs. Each that is beyond the newest `newest` (0: none is), or began
 * before `before_ms` (0: none did), oldest first. fn returns false to stop. */
int ty_history_read_runs(struct ty_history_db *d, int64_t newest, int64_t before_ms,
                         bool (*fn)(void *ctx, const struct ty_history_db_run *run, bool beyond),
                         void *ctx, struct ty_err *err);
bool ty_history_read_has_dir(struct ty_history_db *d,
                             const char *dir); /* is there a run in this folder? */
/* Takes out a run with all that was its; one that is gone already is fine. */
int ty_history_read_delete_run(struct ty_history_db *d, int64_t run, struct ty_err *err);

/* Takes out a TrainJob with all that was its. *ret_last: the run has no other, its row is gone,
 * too. */
int ty_history_read_delete_job(struct ty_history_db *d, int64_t run, const char *job,
                               bool *ret_last, struct ty_err *err);

#endif
