/* The phase of a TrainJob, in the words that users ask for: what is it doing now, and how long did
 * each part take? Derived from objects; nothing of it is stored. Pure. */
#ifndef TY_REPORT_JOB_PHASE_H
#define TY_REPORT_JOB_PHASE_H

#include "base/arena.h"
#include "base/str.h"

struct ty_json;

enum ty_job_phase {
    TY_PHASE_CREATED,      /* no JobSet yet */
    TY_PHASE_QUEUED,       /* suspended, and a queue (kueue.x-k8s.io/queue-name) resumes it; or
                              managedBy names another controller that has not begun */
    TY_PHASE_SUSPENDED,    /* … by somebody who must resume it */
    TY_PHASE_STARTING,     /* the JobSet exists; not all trainer pods are ready */
    TY_PHASE_INITIALIZING, /* the trainer waits for dataset-initializer or model-initializer */
    TY_PHASE_RUNNING,      /* all Jobs of the trainer's steps are ready, or have succeeded */
    TY_PHASE_RESTARTING,   /* as STARTING, after a restart of the JobSet */
    TY_PHASE_COMPLETE,
    TY_PHASE_FAILED,
};

/* jobset may be NULL: not created, deleted, or not readable. Then conditions and jobsStatus of the
 * TrainJob decide. */
enum ty_job_phase ty_job_phase_of(const struct ty_json *trainjob, const struct ty_json *jobset);
/* "queued", "running", … as in the timeline; a literal. */
const char *ty_job_phase_name(enum ty_job_phase p);
/* The reason of the event that a change of phase deserves: Queued, Suspended, Resumed (out of
 * QUEUED or SUSPENDED, into STARTING), WaitingForInitializer, Running, Restarting, Complete; NULL:
 * none. Failed has the events of the failure itself (FirstFailure, DeadlineExceeded …). */
const char *ty_job_phase_event_reason(enum ty_job_phase was, enum ty_job_phase now);

/* An event of the TrainJob, its JobSet, Jobs or Pods. */
struct ty_phase_mark {
    int64_t at_ms; /* since 1970; 0 or less: unknown, the mark is ignored */
    struct ty_str reason;
};
struct ty_phase_row {
    const char *name; /* created, queued, suspended, starting, initializing, running, restarting;
                         the last one may be complete or failed, with begin = end; a literal */
    int64_t begin_ms;
    int64_t end_ms; /* never before begin_ms; 0: still */
};
enum { TY_PHASE_ROWS = 64 }; /* at most: of more, the first ones and the last one */
/* The timeline from the TrainJob's creationTimestamp and conditions, and from events: in any order,
 * repeated, or missing (events live for an hour by default). Returns the number of rows; they live
 * with the arena. Rows adjoin: each begins where the one before it ends. Without events that tell
 * when the job began to run, one row covers all of it: "running" if it is complete or runs now. */
size_t ty_job_phase_timeline(struct ty_arena *a, const struct ty_json *trainjob,
                             const struct ty_phase_mark *marks, size_t n,
                             struct ty_phase_row **ret);

#endif
