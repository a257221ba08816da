/* Checks of a TrainJob against its runtime's template at admission (docs/spec/trainer.md 6.10). */
#ifndef TY_TRAINER_VALIDATE_H
#define TY_TRAINER_VALIDATE_H

#include "trainer/plan.h"

/* spec.initializer requires its job, container and mount in the runtime. */
void ty_validate_initializers(const struct ty_plan *plan, const struct ty_trainjob *job,
                              struct ty_errs *errs);
/* Patches may change only while the job is suspended, is being suspended or resumed, and not while
 * pods of the JobSet are active. */
void ty_validate_patch_changes(const struct ty_plan *plan, const struct ty_trainjob *job,
                               const struct ty_trainjob *old, struct ty_errs *errs);
/* Checks managers, and that no variables are set in containers that have their own fields in the
 * TrainJob; warns about jobs and containers that the runtime's template does not have (B2). */
void ty_validate_patches(const struct ty_plan *plan, const struct ty_trainjob *job,
                         struct ty_errs *errs);
/* The same for podTemplateOverrides and podSpecOverrides, which v2.3.0 does not have; stored ones
 * are not checked again. */
void ty_validate_overrides(const struct ty_plan *plan, const struct ty_trainjob *job,
                           const struct ty_trainjob *old, struct ty_errs *errs);
/* Warns if names of Jobs and pods exceed 63 characters: the JobSet will be refused (B25). */
void ty_validate_names(const struct ty_plan *plan, const struct ty_trainjob *job,
                       struct ty_errs *errs);
/* The number of pods of a set after scaling by plugins: under mpi, numNodes counts job `node`
 * (B27), including the launcher if that trains, too. */
int64_t ty_validate_pod_count(const struct ty_plan *plan, const struct ty_trainjob *job,
                              const struct ty_podset *set);
/* Maximal bytes of a name, a quantity or a value in the messages of the following checks. */
#define TY_VALIDATE_NAME_MAX 64
/* Each warns, and begins with the job that gets no pods, `job "x"`: invalid pod counts, and
 * requests that exceed their limits after the TrainJob's and the runtime's were merged (B36). */
void ty_validate_counts(const struct ty_plan *plan, const struct ty_trainjob *job,
                        struct ty_errs *errs);
void ty_validate_requests(const struct ty_plan *plan, const struct ty_trainjob *job,
                          struct ty_errs *errs);
/* Warns if no job of the runtime uses spec.trainer (B37). */
void ty_validate_trainer(const struct ty_plan *plan, const struct ty_trainjob *job,
                         struct ty_errs *errs);
/* Each warns of labels and annotations of templates with which the JobSet or a Job will be refused:
 * those of the TrainJob's spec, patches and overrides, and those of a runtime's template. */
void ty_validate_labels(const struct ty_trainjob *job, struct ty_errs *errs);
void ty_validate_runtime_labels(const struct ty_json *runtime, struct ty_errs *errs);

#endif
