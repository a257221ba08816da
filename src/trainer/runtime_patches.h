/* What a TrainJob changes in its runtime's template: runtimePatches, and the two older spellings.
 */
#ifndef TY_TRAINER_RUNTIME_PATCHES_H
#define TY_TRAINER_RUNTIME_PATCHES_H

#include "trainer/plan.h"

/* Merges all of the job's patches into plan->spec (from plan->base), and their metadata into
 * plan->labels and plan->annotations. */
int ty_runtime_patches_apply(struct ty_plan *plan, const struct ty_trainjob *job,
                             struct ty_err *err);

#endif
