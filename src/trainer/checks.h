/* What admission checks of a TrainJob against its runtime's template (spec/trainer.md 6.10). */
#ifndef TY_TRAINER_CHECKS_H
#define TY_TRAINER_CHECKS_H

#include "trainer/plan.h"

/* spec.initializer needs its job, container and mount. */
void ty_check_initializers(const struct ty_plan *plan, const struct ty_trainjob *job,
                           struct ty_errs *errs);
/* Patches may change only around a suspension, and not while pods of the JobSet are active. */
void ty_check_patch_changes(const struct ty_plan *plan, const struct ty_trainjob *job,
                            const struct ty_trainjob *old, struct ty_errs *errs);
/* Managers, and jobs and containers that the runtime's own template must have (B2). */
void ty_check_patches(const struct ty_plan *plan, const struct ty_trainjob *job,
                      struct ty_errs *errs);
/* The same for podTemplateOverrides and podSpecOverrides. */
void ty_check_overrides(const struct ty_plan *plan, const struct ty_trainjob *job,
                        struct ty_errs *errs);
/* Names of Jobs and pods must fit into 63 characters, or the JobSet is refused later (B25). */
void ty_check_names(const struct ty_plan *plan, const struct ty_trainjob *job,
                    struct ty_errs *errs);

#endif
