/* Applies a TrainJob's changes to its runtime's template: runtimePatches, and the two older
 * overrides. */
#ifndef TY_TRAINER_RUNTIME_PATCHES_H
#define TY_TRAINER_RUNTIME_PATCHES_H

#include "trainer/plan.h"

/* Merges all patches of the job into plan->spec (from plan->base), and their metadata into
 * plan->labels and plan->annotations. */
int ty_runtime_patches_apply(struct ty_plan *plan, const struct ty_trainjob *job,
                             struct ty_err *err);

#endif
