/* The finalizer of runtimes in use. v2.0 to v2.2 block the deletion of a runtime by a finalizer;
 * v2.3.0 gives each job a snapshot and removes the finalizer. The configuration chooses. Pure. */
#ifndef TY_CONTROLLER_RUNTIME_FINALIZER_H
#define TY_CONTROLLER_RUNTIME_FINALIZER_H

#include "controller/cache.h"

/* How runtimes that TrainJobs use are protected from deletion. */
enum ty_runtime_protection {
    TY_PROTECT_SNAPSHOT,  /* by a snapshot for each job; v2.2's finalizer is removed */
    TY_PROTECT_FINALIZER, /* as v2.0 to v2.2: a finalizer, while a TrainJob refers to it */
};

/* A merge patch to the finalizers that the runtime should have; empty: no change. Lives with the
 * arena. */
struct ty_str ty_runtime_finalizer_patch(struct ty_arena *a, const struct ty_cache *cache,
                                         const struct ty_cached *runtime,
                                         enum ty_runtime_protection protection);

#endif
