/* One reconcile pass as a pure function: returns the desired objects, the status and the events
 * (docs/spec/trainer.md 7.1). The caller skips writes that change nothing and sends the others. */
#ifndef TY_TRAINER_TRAINJOB_RECONCILE_H
#define TY_TRAINER_TRAINJOB_RECONCILE_H

#include "base/time.h"
#include "trainer/condition.h"
#include "trainer/pipeline.h"

struct ty_trainjob_reconcile_in {
    const struct ty_pipeline *pipeline;
    const struct ty_settings *settings;
    const struct ty_view *view;
    const struct ty_json *job;    /* the TrainJob */
    int64_t now_s;                /* Unix time */
    const unsigned char *entropy; /* TY_ENTROPY bytes */
    bool no_build;                /* the caller knows that the children are up to date */
    bool unapplied; /* the JobSet could not be written: report Suspended as the live JobSet is, not
                       as spec.suspend wants it */
    struct ty_str refused; /* why the API server permanently refuses a child; empty: it does not */
    struct ty_str
        failure_note; /* a new failure summary, for Failed; empty: none (failure_note.h) */
};
struct ty_trainjob_event {
    const char *type, *reason, *message; /* "Warning", … */
    struct ty_trainjob_event *next;
};
struct ty_trainjob_reconcile {
    struct ty_desired_object *want;    /* apply in this order */
    const struct ty_kind *delete_kind; /* JobSet after the deadline; TrainJob after its
                                        * ttlSecondsAfterFinished; NULL nothing to delete */
    struct ty_json *status; /* the new status if it differs from the job's; else NULL. Empty: remove
                               it, because the CRD allows no empty status */
    struct ty_trainjob_event *events;
    int64_t requeue_s;   /* reconcile again after so many seconds; 0: only on a change */
    struct ty_plan plan; /* for origins; valid if err.code == 0 and plan.arena */
    struct ty_err err;   /* code < 0: the pass failed; retry with back-off */
};
/* The reason of the event, and of the condition Failed, while a child is refused. The operator
 * retries, and removes the condition when the JobSet exists. */
#define TY_REASON_CREATION_FAILED "TrainJobResourcesCreationFailed"
bool ty_trainjob_is_refused(const struct ty_json *status);
/* Reasons of the condition Suspended while the API server refuses to let the JobSet follow
 * spec.suspend: it keeps running (False), or stays suspended (True). The message contains the API
 * server's error. */
#define TY_REASON_SUSPEND_REFUSED "SuspendRefused"
#define TY_REASON_RESUME_REFUSED  "ResumeRefused"
bool ty_trainjob_is_suspend_refused(const struct ty_json *status);
/* Reasons of events about a JobSet with an outdated rendering. */
#define TY_REASON_RENDERING_KEPT  "RenderingKept"
#define TY_REASON_JOBSET_REPLACED "JobSetReplaced"
/* Results live with the arena. */
void ty_trainjob_reconcile(struct ty_arena *a, const struct ty_trainjob_reconcile_in *in,
                           struct ty_trainjob_reconcile *ret);

#endif
