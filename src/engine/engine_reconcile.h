/* Reconciles objects of the store. */
#ifndef TY_ENGINE_ENGINE_RECONCILE_H
#define TY_ENGINE_ENGINE_RECONCILE_H

#include "api/kind.h"
#include "base/err.h"
#include "base/str.h"

struct ty_engine;
struct ty_json;
struct ty_trainjob_reconcile;

/* Queues an object to be reconciled in `ms`, <= 0: now. TrainJobs, JobSets, Jobs and pods are
 * reconciled; objects of other kinds are not queued. */
void ty_engine_requeue_after(struct ty_engine *e, const struct ty_kind *kind, const char *ns,
                             const char *name, int64_t ms);
size_t ty_engine_queued(const struct ty_engine *e);
/* Reconciles the objects that are queued now, and returns how many there were. What that queues
 * stays in the queue. */
size_t ty_engine_reconcile_queued(struct ty_engine *e);
/* Every PersistentVolumeClaim of the store; lives with e->pass. */
const struct ty_json *const *ty_engine_claims(struct ty_engine *e, size_t *ret_n);
/* Renders a TrainJob without writing anything. -EIO: no random bytes. */
int ty_engine_desired(struct ty_engine *e, const struct ty_json *job,
                      struct ty_trainjob_reconcile *ret, struct ty_err *err);

#endif
