/* Condition Stalled: why a TrainJob gets no pods, if that follows from the TrainJob and its runtime
 * alone (B36). v2.3.0 has no such condition; clients that check Suspended, Complete and Failed
 * ignore it. */
#ifndef TY_TRAINER_STALLED_H
#define TY_TRAINER_STALLED_H

#include "trainer/trainjob_reconcile.h"

#define TY_CONDITION_STALLED "Stalled"
/* The reason of the event while spec.trainer is ignored (B37). */
#define TY_REASON_TRAINER_IGNORED "TrainerIgnored"

/* Sets the condition in `status` or removes it, from the plan of this pass if there is one;
 * otherwise the condition of an earlier pass stays until the job is suspended or the JobSet counts
 * pods of the job that the message names. It stays beside Complete: a job of 0 nodes completes
 * without a pod. The JobSet's state must be in `status` already. May add an event to `pass`. */
void ty_stalled_update(struct ty_arena *a, const struct ty_trainjob_reconcile_in *in,
                       const struct ty_trainjob *job, struct ty_json *status,
                       struct ty_trainjob_reconcile *pass);

#endif
