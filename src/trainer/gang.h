/* Which jobs a gang scheduler must start together, and the resources that they request. */
#ifndef TY_TRAINER_GANG_H
#define TY_TRAINER_GANG_H

#include "trainer/plan.h"

/* How a pod names its PodGroup. */
#define TY_GANG_LABEL      "scheduling.x-k8s.io/pod-group" /* coscheduling */
#define TY_GANG_ANNOTATION "scheduling.k8s.io/group-name"  /* Volcano */

/* Sets ->gang of every pod set (B11). Excluded are jobs that finish before the trainer starts, and
 * jobs that start only after a member: if these were counted, the gang would wait for itself. */
void ty_gang_mark(struct ty_plan *plan);
/* Sets labels or annotations [key] to the job's name, which is also the PodGroup's. */
void ty_gang_join(struct ty_plan *plan, const struct ty_trainjob *job, struct ty_json *map,
                  const char *key);
/* The common part of the PodGroup: the number of pods in all replicas of the gang, and the sum of
 * their requests. NULL if it must not be written: it exists, and the job is not
 * suspended. */
struct ty_json *ty_gang_podgroup(struct ty_plan *plan, const struct ty_trainjob *job,
                                 const struct ty_kind *kind);

#endif
