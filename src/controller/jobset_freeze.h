/* A JobSet that exists keeps the rendering that it was created with. The jobs of a JobSet are
 * immutable, so a JobSet that was rendered by another release, or by Kubeflow Trainer
 * v2.3.0, could be neither suspended nor resumed if today's rendering were applied to it.
 *
 * What may change by the write that suspends or resumes it, or while it is suspended: spec.suspend,
 * the JobSet's own metadata, and of each pod template labels, annotations, nodeSelector,
 * tolerations and schedulingGates, which queues set. Pure; linear in both objects. */
#ifndef TY_CONTROLLER_JOBSET_FREEZE_H
#define TY_CONTROLLER_JOBSET_FREEZE_H

#include "controller/applied_digest_diff.h"
#include "json/json.h"

/* Puts what may change, as wanted, into body, which is live or a part of it; gives body. */
struct ty_json *ty_jobset_freeze_overlay(struct ty_arena *a, struct ty_json *body,
                                         const struct ty_json *wanted, const struct ty_json *live,
                                         bool gang);
/* What to apply instead of `wanted`, today's rendering: the live JobSet, with its managedFields, as
 * far as manager `trainer` owns it, and what may change taken from wanted. gang: the pods stay in
 * the gang that they are in, because their PodGroup stays, too. Lives with the arena. */
struct ty_json *ty_jobset_freeze(struct ty_arena *a, const struct ty_json *wanted,
                                 const struct ty_json *live, bool gang);
/* The fields of the live JobSet that wanted would change and that cannot change (`was`: NULL, it
 * has none). None: wanted can be applied as it is. */
void ty_jobset_freeze_conflicts(struct ty_arena *a, const struct ty_json *wanted,
                                const struct ty_json *live, struct ty_field_changes *ret);
/* The live JobSet as manager `trainer` owns it, but for spec.suspend: for a job that cannot be
 * rendered. */
struct ty_json *ty_jobset_freeze_suspend(struct ty_arena *a, const struct ty_json *live,
                                         bool suspend);
/* It has been suspended ever since it was created, so no pod of it has ever run: nothing is lost if
 * it is deleted and re-created. */
bool ty_jobset_freeze_never_ran(const struct ty_json *live);

#endif
