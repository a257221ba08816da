/* Condition Stalled: why a TrainJob gets no pods, where that can be said without asking anybody
 * (B36). v2.3.0 has no such condition; clients that look for Suspended, Complete and Failed pass it
 * over. */
#ifndef TY_TRAINER_STALLED_H
#define TY_TRAINER_STALLED_H

#include "trainer/trainjob_reconcile.h"

#define TY_CONDITION_STALLED "Stalled"
/* The reason of the event while spec.trainer is ignored (B37). */
#define TY_REASON_TRAINER_IGNORED "TrainerIgnored"

/* Sets the condition in `status`, or removes it: by the plan of this pass, if it has made one; else
 * what was said before stays, until the job is suspended or the JobSet counts pods of the job that
 * the message names. It stays beside Complete: a job of 0 nodes completes without a pod. The
 * JobSet's state must be in `status` already. May add an event to `pass`. */
void ty_stalled_update(struct ty_arena *a, const struct ty_trainjob_reconcile_in *in,
                       const struct ty_trainjob *job, struct ty_json *status,
                       struct ty_trainjob_reconcile *pass);

#endif
