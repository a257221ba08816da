/* What the ConfigMaps and Secrets of a TrainJob are called: its name and a suffix each. The JobSet
 * and the PodGroup have the job's own name. */
#ifndef TY_TRAINER_CHILD_H
#define TY_TRAINER_CHILD_H

#include "base/arena.h"
#include "base/str.h"

enum ty_child {
    TY_CHILD_SNAPSHOT, /* the runtime as it was when the job began */
    TY_CHILD_MPI_KEY,
    TY_CHILD_MPI_HOSTS,
    TY_CHILD_FLUX_SCRIPTS,
    TY_CHILD_FLUX_CURVE,
    TY_CHILD_STATUS_CA,
    TY_CHILD_COUNT
};

/* Lives with the arena. */
char *ty_child_name(struct ty_arena *a, enum ty_child which, struct ty_str job);
/* Could an object of this name be that child of some job? */
bool ty_child_is(enum ty_child which, struct ty_str name);
/* The job whose child could be called so, a part of name; empty: it is no child's name. */
struct ty_str ty_child_job(struct ty_str name);

#endif
