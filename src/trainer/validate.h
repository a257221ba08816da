/* What admission checks of a TrainJob against its runtime's template (docs/spec/trainer.md 6.10).
 */
#ifndef TY_TRAINER_VALIDATE_H
#define TY_TRAINER_VALIDATE_H

#include "trainer/plan.h"

/* spec.initializer needs its job, container and mount. */
void ty_validate_initializers(const struct ty_plan *plan, const struct ty_trainjob *job,
                              struct ty_errs *errs);
/* Patches may change only around a suspension, and not while pods of the JobSet are active. */
void ty_validate_patch_changes(const struct ty_plan *plan, const struct ty_trainjob *job,
                               const struct ty_trainjob *old, struct ty_errs *errs);
/* Managers; a warning for jobs and containers that the runtime's own template does not have (B2).
 */
void ty_validate_patches(const struct ty_plan *plan, const struct ty_trainjob *job,
                         struct ty_errs *errs);
/* The same for podTemplateOverrides and podSpecOverrides, which v2.3.0 does not know: what is
 * stored is not checked again. */
void ty_validate_overrides(const struct ty_plan *plan, const struct ty_trainjob *job,
                           const struct ty_trainjob *old, struct ty_errs *errs);
/* Warns if names of Jobs and pods do not fit into 63 characters: the JobSet is refused then (B25).
 */
void ty_validate_names(const struct ty_plan *plan, const struct ty_trainjob *job,
                       struct ty_errs *errs);
/* Pods of a set once the plugins have scaled it: under mpi numNodes counts job `node` (B27), one of
 * them being the launcher if that works too. */
int64_t ty_validate_pod_count(const struct ty_plan *plan, const struct ty_trainjob *job,
                              const struct ty_podset *set);
/* Bytes of a name, a quantity or a value in the texts of the following checks. */
#define TY_VALIDATE_NAME_MAX 64
/* Each warns, and names the job that gets no pods as `job "x"`: counts that no Job may have, and
 * requests that do not fit their limits, after the TrainJob's and the runtime's were merged (B36).
 */
void ty_validate_counts(const struct ty_plan *plan, const struct ty_trainjob *job,
                        struct ty_errs *errs);
void ty_validate_requests(const struct ty_plan *plan, const struct ty_trainjob *job,
                          struct ty_errs *errs);
/* Warns if no job of the runtime takes spec.trainer (B37). */
void ty_validate_trainer(const struct ty_plan *plan, const struct ty_trainjob *job,
                         struct ty_errs *errs);

#endif
