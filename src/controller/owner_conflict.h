/* An object that has the name of a TrainJob's child but is somebody else's: nothing is written to
 * it, nothing is believed of it, and it is not deleted. v2.3.0 applies by force and takes whatever
 * state it finds for its own. */
#ifndef TY_CONTROLLER_OWNER_CONFLICT_H
#define TY_CONTROLLER_OWNER_CONFLICT_H

#include "base/err.h"
#include "controller/cache.h"

/* A child is this TrainJob's if that controls it. One that nobody controls is taken (back) if
 * manager `trainer` has applied it before: `kubectl delete --cascade=orphan` leaves such ones.
 * 0, or -EEXIST with a sentence that says whose it is. The arena is scratch. */
int ty_owner_conflict(struct ty_arena *a, const struct ty_cached *child,
                      const struct ty_cached *job, struct ty_err *err);

#endif
