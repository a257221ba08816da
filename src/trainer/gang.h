/* Which jobs a gang scheduler must start together, and how much they ask for. */
#ifndef TY_TRAINER_GANG_H
#define TY_TRAINER_GANG_H

#include "trainer/plan.h"

/* By what a pod says which PodGroup it belongs to. */
#define TY_GANG_LABEL      "scheduling.x-k8s.io/pod-group" /* coscheduling */
#define TY_GANG_ANNOTATION "scheduling.k8s.io/group-name"  /* Volcano */

/* Sets ->gang of every set (B11): neither jobs that are over before the trainer starts, nor jobs
 * that start only after a member is there: counted, each would wait for the other for ever. */
void ty_gang_mark(struct ty_plan *plan);
int64_t ty_gang_members(const struct ty_plan *plan);           /* pods, replicas counted */
struct ty_json *ty_gang_resources(const struct ty_plan *plan); /* sum over them */
/* labels or annotations [key] = the job's name, which is the PodGroup's too. */
void ty_gang_join(struct ty_plan *plan, const struct ty_trainjob *job, struct ty_json *map,
                  const char *key);
/* The PodGroup's common part, or NULL if none is due: one is there and the job is not suspended. */
struct ty_json *ty_gang_podgroup(struct ty_plan *plan, const struct ty_trainjob *job,
                                 const struct ty_kind *kind);

#endif
