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
/* Managers; a warning for jobs and containers that the runtime's own template does not have (B2).
 */
void ty_check_patches(const struct ty_plan *plan, const struct ty_trainjob *job,
                      struct ty_errs *errs);
/* The same for podTemplateOverrides and podSpecOverrides, which v2.3.0 does not know: what is
 * stored is not checked again. */
void ty_check_overrides(const struct ty_plan *plan, const struct ty_trainjob *job,
                        const struct ty_trainjob *old, struct ty_errs *errs);
/* Warns if names of Jobs and pods do not fit into 63 characters: the JobSet is refused then (B25).
 */
void ty_check_names(const struct ty_plan *plan, const struct ty_trainjob *job,
                    struct ty_errs *errs);

#endif
