/* What the files of the controllers share. */
#ifndef TY_CONTROL_JOBS_INNER_H
#define TY_CONTROL_JOBS_INNER_H

#include "base/map.h"
#include "control/jobs.h"
#include "control/jump.h"
#include "control/lately.h"
#include "control/work.h"

/* A kind that is watched. */
struct ty_watched {
    struct ty_jobs *jobs;
    const struct ty_kind *kind;
    bool meta;   /* PartialObjectMetadata */
    bool needed; /* nobody is looked at before it has been told, or is known not to be served */
    bool told, absent;
    bool behind;   /* nobody is looked at before it has been listed anew */
    char *trouble; /* the last one; NULL: there was none */
    struct ty_reflect *reflect;
};
#define TY_WATCHED_MAX 16

/* What is known of a job between its being told and its being done. */
struct ty_pending {
    bool first, full;
    bool freeze; /* the API server has refused to change its JobSet */
    bool waits;  /* it is large, others of that size are being written: in ty_jobs.waiting */
    bool woken;  /* it has waited, and a slot is free for it: counted in ty_jobs.woken */
};

/* A job that is being written. */
struct ty_writing {
    struct ty_jobs *jobs;
    struct ty_arena *arena; /* holds key, work and texts */
    struct ty_key key;      /* its kind: enum ty_controller */
    uint64_t begin_ns;
    struct ty_work work;
    struct ty_step *step;
    struct ty_kube_op *op;
    uint64_t owned;            /* of the JobSet as this work knows it */
    uint64_t jobset_status;    /* that the look saw; 0: none, or no JobSet */
    bool failed;               /* a write was refused: no more applies, again later */
    bool replaced;             /* its JobSet is being deleted, to be created anew */
    bool large;                /* counted in ty_jobs.large */
    struct ty_pending pending; /* as it was when the look began */
    struct ty_held *held;      /* what was fetched for it */
    int fetches;
    struct ty_writing *next, *prev;
};

struct ty_fetching; /* a snapshot on its way to a webhook */

struct ty_jobs {
    struct ty_jobs_settings s;
    struct ty_world *world;
    struct ty_queue *queue;
    struct ty_watched watched[TY_WATCHED_MAX];
    size_t n_watched;
    struct ty_map pending; /* "ns/name" -> ty_pending */
    struct ty_arena *scratch;
    struct ty_work_memo memo;
    struct ty_writing *writing;
    size_t large;             /* of them: each takes megabytes, so they are few at a time */
    size_t woken;             /* slots that are kept for those who have waited longest */
    struct ty_queue *waiting; /* for a slot */
    struct ty_fetching *fetching;
    struct ty_jobs_counts counts;
    struct ty_controller_counts control[TY_CONTROLLERS];
    int64_t refused_ms;        /* the last 401 of a watch; loop time, 0: none */
    struct ty_lately troubles; /* of watches, and of memory */
    struct ty_jump jump;
    struct uv_timer_s *clock; /* looks whether the wall clock was set */
    bool leading, synced, turning;
};

/* jobs_watch.c */
void ty_jobs_watch_all(struct ty_jobs *j);
/* What the leader before us did last may not have reached us: lists what is behind. */
void ty_jobs_catch_up(struct ty_jobs *j);
bool ty_jobs_behind(const struct ty_jobs *j);
struct ty_reflect *ty_jobs_reflect(const struct ty_jobs *j, const struct ty_kind *kind);
/* For ty_work_in, with ctx = the jobs: why a kind cannot be watched at the moment; NULL: it is. */
const char *ty_jobs_unread(void *ctx, const struct ty_kind *kind);

/* jobs_write.c: all steps of w->work, one after the other; then ty_jobs_written. */
void ty_jobs_write(struct ty_writing *w);

/* jobs_given.c: what w->work says that must be fetched; then ty_jobs_again or ty_jobs_written. */
void ty_jobs_fetch(struct ty_writing *w);
/* What was fetched for it, parsed; lives with the arena. */
const struct ty_given *ty_jobs_given(struct ty_arena *a, const struct ty_writing *w);

/* jobs_echo.c. News of o, a child of this job or the job itself: true if it is being written just
 * now. Then whoever writes it looks at it when all is answered. */
bool ty_jobs_heard(struct ty_jobs *j, struct ty_str job, const struct ty_known *o);
/* The writes of a TrainJob are over: looks again, if that could find something to do. */
void ty_jobs_settle(struct ty_writing *w);

/* jobs.c */
struct ty_pending *ty_jobs_pend(struct ty_jobs *j, struct ty_str ns, struct ty_str name);
void ty_jobs_look(struct ty_jobs *j, struct ty_str ns, struct ty_str name);
/* It is gone: nothing is to be looked at, not at its deadline, nor when we lead one day. */
void ty_jobs_forget(struct ty_jobs *j, struct ty_str ns, struct ty_str name);
void ty_jobs_written(struct ty_writing *w);
struct ty_pending ty_jobs_take(struct ty_jobs *j, struct ty_str ns, struct ty_str name);
/* An event about the TrainJob, if it is still there. */
void ty_jobs_tell(struct ty_jobs *j, struct ty_key key, const char *type, const char *reason,
                  struct ty_str note);
void ty_jobs_turn(void *ctx);

/* jobs_look.c */
void ty_jobs_reconcile(struct ty_jobs *j, struct ty_key key); /* a TrainJob */
void ty_jobs_reconcile_runtime(struct ty_jobs *j, struct ty_key key);
size_t ty_jobs_pass_ceiling(const struct ty_jobs *j); /* memory for one pass */
/* At most half of the budget: what needs more is too large; what needs less, and does not fit, may
 * fit later. */
size_t ty_jobs_ceiling(const struct ty_jobs *j, size_t most);
void ty_jobs_writing_free(struct ty_writing *w);
void ty_jobs_again(struct ty_writing *w); /* looks once more, with what was fetched */
void ty_jobs_wake(struct ty_jobs *j);     /* those that wait for a slot, as many as are free */
/* The apply that was just sent has failed: what is left of the steps becomes the write of a status
 * that is true of the children as they are. why: the API server refuses it for good; may be empty.
 */
void ty_jobs_unapplied(struct ty_writing *w, struct ty_str why);
/* Copies it, without its events, into w: what outlives the pass. The arena of w may be full then.
 */
void ty_jobs_keep_work(struct ty_writing *w, const struct ty_work *work);
/* It does not fit into memory: says so, ends w, and tries again in minutes. */
void ty_jobs_too_large(struct ty_writing *w);

/* jobs_count.c */
void ty_jobs_count_from_now(struct ty_jobs *j);
void ty_jobs_counted(const struct ty_writing *w, bool bad); /* its writes are over */

/* jobs_log.c: the lines that an administrator reads. States of TrainJobs are logged by the leader
 * only, once the cache is complete: a fact is one line, whoever watches. */
struct ty_before { /* of an object, before the cache takes its news */
    bool known;    /* the same object (uid) was cached */
    enum ty_jobstate state;
};
struct ty_before ty_jobs_log_before(const struct ty_known *was, struct ty_str uid);
/* Of a TrainJob: created, deleted (now is NULL), its state; of a JobSet: the state of its TrainJob.
 */
void ty_jobs_log_change(const struct ty_jobs *j, struct ty_before before,
                        const struct ty_kube_object *o, const struct ty_known *now);
/* A write was done. */
void ty_jobs_log_write(const struct ty_writing *w, const struct ty_step *s,
                       const struct ty_kube_answer *a);
/* A reconcile is over (debug). outcome: what became of it; NULL: told by w itself. */
void ty_jobs_log_reconcile(const struct ty_writing *w, const char *outcome);

/* jobs_fetch.c */
/* A look at this job, if the server still has it. */
void ty_jobs_check(struct ty_jobs *j, struct ty_str ns, struct ty_str name);
void ty_jobs_fetch_none(struct ty_jobs *j); /* forgets them all */

/* jobs_runtime.c: the finalizers that a runtime should have, as a merge patch; empty: as they are.
 */
struct ty_str ty_runtime_patch(struct ty_arena *a, const struct ty_world *world,
                               const struct ty_known *runtime, enum ty_protection protection);

#endif
