/* The recorder: watches an embedded store and keeps its last state in the history file. It keeps
 * no copies of what the store has, and writes what changed when its owner says so, in one
 * transaction. It has no clock and no loop. */
#ifndef TY_STORE_HISTORY_HISTORY_RECORD_H
#define TY_STORE_HISTORY_HISTORY_RECORD_H

#include "store/history/history_db.h"
#include "store/local/local.h"

struct ty_history_record;

/* Watches the store until it is freed. changed: something is to be written; told again after each
 * write only. urgent: there is more to remember than there should be, write now. gives. */
struct ty_history_record *ty_history_record_new(struct ty_local *store,
                                                void (*changed)(void *ctx, bool urgent), void *ctx);
void ty_history_record_free(struct ty_history_record *r); /* before its store; NULL is fine */
/* The same event again raises its count. */
void ty_history_record_event(struct ty_history_record *r, const struct ty_kind *kind,
                             const char *name, const char *type, const char *reason,
                             const char *message, int64_t time_ms);
/* All that changed, and the run's row with it: the first time it is added (run->id is 0), and its
 * end is set once run->ended_ms is. -EAGAIN: others are writing, nothing is lost, try later. */
int ty_history_record_write(struct ty_history_record *r, struct ty_history_db *d,
                            struct ty_history_db_run *run, struct ty_err *err);

#endif
