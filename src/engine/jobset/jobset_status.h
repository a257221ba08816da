/* A JobSet's conditions, counters and events. */
#ifndef TY_ENGINE_JOBSET_JOBSET_STATUS_H
#define TY_ENGINE_JOBSET_JOBSET_STATUS_H

#include "engine/jobset/jobset_read.h"

bool ty_jobset_finished(const struct ty_jobset_ctx *js);
/* Notes whether the counters differ from the stored ones. */
void ty_jobset_compare_counters(struct ty_jobset_ctx *js);
/* A condition as it should be now, and its event; on: "True". */
struct ty_jobset_condition_value {
    const char *type, *event, *reason, *message;
    bool on;
};
void ty_jobset_condition(struct ty_jobset_ctx *js, const struct ty_jobset_condition_value *says);
void ty_jobset_not_restarting(struct ty_jobset_ctx *js, const char *reason, const char *message);
void ty_jobset_completed(struct ty_jobset_ctx *js);
void ty_jobset_failed(struct ty_jobset_ctx *js, const char *reason, const char *message);
/* Aborts the pass: sends a Warning, writes no status, and requeues after a second. */
void ty_jobset_abort(struct ty_jobset_ctx *js, const char *reason, const char *fmt, ...)
    TY_PRINTF(3, 4);
/* STATUS and its events, if there is something to write. */
void ty_jobset_write_status(struct ty_jobset_ctx *js);

#endif
