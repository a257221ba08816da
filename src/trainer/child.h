/* Names of the ConfigMaps and Secrets of a TrainJob: the job's name and a suffix. The JobSet and
 * the PodGroup have the job's own name. */
#ifndef TY_TRAINER_CHILD_H
#define TY_TRAINER_CHILD_H

#include "base/arena.h"
#include "base/str.h"

enum ty_child {
    TY_CHILD_SNAPSHOT, /* the runtime at the time of the first reconcile */
    TY_CHILD_MPI_KEY,
    TY_CHILD_MPI_HOSTS,
    TY_CHILD_FLUX_SCRIPTS,
    TY_CHILD_FLUX_CURVE,
    TY_CHILD_STATUS_CA,
    TY_CHILD_COUNT
};

/* Lives with the arena. */
char *ty_child_name(struct ty_arena *a, enum ty_child which, struct ty_str job);
/* Could this be the name of that child of some job? */
bool ty_child_is(enum ty_child which, struct ty_str name);
/* The name of the job, a part of `name`; empty: no child has such a name. */
struct ty_str ty_child_job(struct ty_str name);

#endif
