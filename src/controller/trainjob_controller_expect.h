/* Expectations: which watch events only confirm our own writes. */
#ifndef TY_CONTROLLER_TRAINJOB_CONTROLLER_EXPECT_H
#define TY_CONTROLLER_TRAINJOB_CONTROLLER_EXPECT_H

#include "controller/trainjob_controller_inner.h"

/* A watch event for o, a child of this job or the job itself: true if
 * a step in flight writes o. Then ty_trainjob_controller_expect_done decides about the requeue. */
bool ty_trainjob_controller_expect_observe(struct ty_trainjob_controller *j, struct ty_str job,
                                           const struct ty_cached *o);
/* All writes of a TrainJob are answered: requeues it if another reconcile could write something. */
void ty_trainjob_controller_expect_done(struct ty_inflight *w);

#endif
