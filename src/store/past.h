/* Reading the history file, and taking parts out of it. */
#ifndef TY_STORE_PAST_H
#define TY_STORE_PAST_H

#include "api/kind.h"
#include "store/durable.h"

/* Which rows: NULL, 0 and empty mean any. */
struct ty_past_which {
    int64_t run;
    const char *job; /* the TrainJob's name */
    const char *ns;
    const struct ty_kind *kind; /* of objects */
};

/* A row; everything is borrowed for the call. */
struct ty_past_object {
    struct ty_durable_run run;
    const struct ty_kind *kind;
    const char *ns, *name, *uid, *job;
    int64_t version;
    bool gone; /* deleted since; this is its last state */
    struct ty_str text;
};
struct ty_past_event {
    int64_t run;
    const char *job, *kind, *name, *type, *reason, *message;
    int64_t count, first_ms, last_ms;
};

/* Newest run first, then by name; of one name the newest object first. fn returns false to stop. */
int ty_past_objects(struct ty_durable *d, const struct ty_past_which *which,
                    bool (*fn)(void *ctx, const struct ty_past_object *obj), void *ctx,
                    struct ty_err *err);
/* In the order in which they were last seen. */
int ty_past_events(struct ty_durable *d, const struct ty_past_which *which,
                   bool (*fn)(void *ctx, const struct ty_past_event *event), void *ctx,
                   struct ty_err *err);
/* Has it ended by itself, is it at work, or was it cut off? Looks at the row again before it says
 * that, since a run may end between two looks. */
enum ty_past_state { TY_PAST_ENDED, TY_PAST_LIVE, TY_PAST_CUT_OFF };
enum ty_past_state ty_past_state(struct ty_durable *d, const struct ty_durable_run *run);
/* Another number than before: another process has written since. Cheap. */
int64_t ty_past_version(struct ty_durable *d);
/* When a run that is over ended; of one that was cut off, when it was last heard of. Unix ms. */
int64_t ty_past_over_ms(struct ty_durable *d, const struct ty_durable_run *run);

/* past_runs.c: whole runs. Each that is beyond the newest `newest` (0: none is), or began before
 * `before_ms` (0: none did), oldest first. fn returns false to stop. */
int ty_past_runs(struct ty_durable *d, int64_t newest, int64_t before_ms,
                 bool (*fn)(void *ctx, const struct ty_durable_run *run, bool beyond), void *ctx,
                 struct ty_err *err);
bool ty_past_knows(struct ty_durable *d, const char *dir); /* is there a run in this folder? */
/* Takes out a run with all that was its; one that is gone already is fine. */
int ty_past_forget(struct ty_durable *d, int64_t run, struct ty_err *err);

/* Takes out a TrainJob with all that was its. *ret_last: the run has no other, its row is gone,
 * too. */
int ty_past_delete(struct ty_durable *d, int64_t run, const char *job, bool *ret_last,
                   struct ty_err *err);

#endif
