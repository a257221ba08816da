/* Detects objects that have the name of a TrainJob's child but belong to another owner. They are
 * neither written nor deleted, and their state is not used. v2.3.0 applies by force and takes their
 * state for its own. */
#ifndef TY_CONTROLLER_OWNER_CONFLICT_H
#define TY_CONTROLLER_OWNER_CONFLICT_H

#include "base/err.h"
#include "controller/cache.h"

/* A child belongs to the TrainJob that controls it. A child without a controller is adopted if
 * manager `trainer` has applied it before: `kubectl delete --cascade=orphan` leaves such objects.
 * Returns 0, or -EEXIST with an error that names the owner. The arena is scratch. */
int ty_owner_conflict(struct ty_arena *a, const struct ty_cached *child,
                      const struct ty_cached *job, struct ty_err *err);

#endif
