/* The recorder: watches an embedded store and writes the last state of its objects to the history
 * file. It copies only deleted objects, and writes all changes in one transaction when its owner
 * calls. It has no clock and no loop. */
#ifndef TY_STORE_HISTORY_HISTORY_RECORD_H
#define TY_STORE_HISTORY_HISTORY_RECORD_H

#include "store/history/history_db.h"
#include "store/local/local.h"

struct ty_history_record;

/* Watches the store until it is freed. changed: there is something to write; called once before
 * each write, and once more with urgent when too much is buffered: write now. gives. */
struct ty_history_record *ty_history_record_new(struct ty_local *store,
                                                void (*changed)(void *ctx, bool urgent), void *ctx);
void ty_history_record_free(struct ty_history_record *r); /* before its store; NULL is fine */
/* An equal event increments the count of the first one. */
void ty_history_record_event(struct ty_history_record *r, const struct ty_kind *kind,
                             const char *name, const char *type, const char *reason,
                             const char *message, int64_t time_ms);
/* Writes all changes and the run's row: the first call inserts it (run->id is 0), and its end is
 * set when run->ended_ms is. -EAGAIN: another process is writing; nothing is lost, retry later. */
int ty_history_record_write(struct ty_history_record *r, struct ty_history_db *d,
                            struct ty_history_db_run *run, struct ty_err *err);

#endif
