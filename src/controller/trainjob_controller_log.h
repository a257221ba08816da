/* The log lines about TrainJobs. */
#ifndef TY_CONTROLLER_TRAINJOB_CONTROLLER_LOG_H
#define TY_CONTROLLER_TRAINJOB_CONTROLLER_LOG_H

#include "controller/trainjob_controller_inner.h"

/* Only the leader logs states of TrainJobs, once its cache is synced, so that each change is one
 * line. */
struct ty_state_before { /* of an object, before the cache is updated */
    bool known;          /* the same object (uid) was cached */
    enum ty_trainjob_state state;
};
struct ty_state_before ty_trainjob_controller_log_before(const struct ty_cached *was,
                                                         struct ty_str uid);
/* Logs that a TrainJob was created, was deleted (now is NULL) or changed its state; for a JobSet,
 * the state of its TrainJob. */
void ty_trainjob_controller_log_change(const struct ty_trainjob_controller *j,
                                       struct ty_state_before before,
                                       const struct ty_kube_object *o, const struct ty_cached *now);
/* A write succeeded. */
void ty_trainjob_controller_log_write(const struct ty_inflight *w, const struct ty_write_step *s,
                                      const struct ty_kube_response *a);
/* A reconcile ended (debug). outcome: NULL: derived from w. */
void ty_trainjob_controller_log_reconcile(const struct ty_inflight *w, const char *outcome);

#endif
