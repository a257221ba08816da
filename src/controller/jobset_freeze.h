/* An existing JobSet keeps the rendering that it was created with. The jobs of a JobSet are
 * immutable, so a JobSet that another release or Kubeflow Trainer v2.3.0 rendered could be neither
 * suspended nor resumed if today's rendering were applied to it.
 *
 * Fields that may change with the write that suspends or resumes it, or while it is suspended:
 * spec.suspend, the JobSet's own metadata, and of each pod template labels, annotations,
 * nodeSelector, tolerations and schedulingGates, which queues set. Pure; linear in both objects. */
#ifndef TY_CONTROLLER_JOBSET_FREEZE_H
#define TY_CONTROLLER_JOBSET_FREEZE_H

#include "controller/applied_digest_diff.h"
#include "json/json.h"

/* Copies the fields that may change from wanted into body, which is live or a part of it; returns
 * body. */
struct ty_json *ty_jobset_freeze_overlay(struct ty_arena *a, struct ty_json *body,
                                         const struct ty_json *wanted, const struct ty_json *live,
                                         bool gang);
/* The body to apply instead of `wanted`, today's rendering: the fields of the live JobSet that
 * manager `trainer` owns, with the fields that may change taken from wanted. gang: the pods stay in
 * their gang, because their PodGroup stays, too. Lives with the arena. */
struct ty_json *ty_jobset_freeze(struct ty_arena *a, const struct ty_json *wanted,
                                 const struct ty_json *live, bool gang);
/* The immutable fields of the live JobSet that wanted would change (`was` NULL: it has none). None:
 * wanted can be applied. */
void ty_jobset_freeze_conflicts(struct ty_arena *a, const struct ty_json *wanted,
                                const struct ty_json *live, struct ty_field_changes *ret);
/* The fields of the live JobSet that manager `trainer` owns, except spec.suspend, which is set: for
 * a job that cannot be rendered. */
struct ty_json *ty_jobset_freeze_suspend(struct ty_arena *a, const struct ty_json *live,
                                         bool suspend);
/* It has been suspended since its creation, so no pod of it has ever run, and it can be deleted and
 * re-created without loss. */
bool ty_jobset_freeze_never_ran(const struct ty_json *live);

#endif
