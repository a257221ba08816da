/* What the files of the controllers share. */
#ifndef TY_CONTROLLER_TRAINJOB_CONTROLLER_INNER_H
#define TY_CONTROLLER_TRAINJOB_CONTROLLER_INNER_H

#include "base/map.h"
#include "controller/clock_jump.h"
#include "controller/reconcile.h"
#include "controller/trainjob_controller.h"
#include "log/log_dedup.h"

/* A kind that is watched. */
struct ty_watched_kind {
    struct ty_trainjob_controller *jobs;
    const struct ty_kind *kind;
    bool meta;   /* PartialObjectMetadata */
    bool needed; /* nobody is looked at before it has been told, or is known not to be served */
    bool told, absent;
    bool behind;   /* nobody is looked at before it has been listed anew */
    char *trouble; /* the last one; NULL: there was none */
    struct ty_reflector *reflect;
};
#define TY_WATCHED_KINDS_MAX 16

/* What is known of a job between its being told and its being done. */
struct ty_pending_job {
    bool first, full;
    bool freeze; /* the API server has refused to change its JobSet */
    bool waits;  /* it is large, others of that size are being written: in
                    ty_trainjob_controller.waiting */
    bool woken; /* it has waited, and a slot is free for it: counted in ty_trainjob_controller.woken
                 */
};

/* A job that is being written. */
struct ty_inflight {
    struct ty_trainjob_controller *jobs;
    struct ty_arena *arena; /* holds key, work and texts */
    struct ty_key key;      /* its kind: enum ty_controller_kind */
    uint64_t begin_ns;
    struct ty_reconcile_result work;
    struct ty_write_step *step;
    struct ty_kube_op *op;
    uint64_t owned;                /* of the JobSet as this work knows it */
    uint64_t jobset_status;        /* that the look saw; 0: none, or no JobSet */
    bool failed;                   /* a write was refused: no more applies, again later */
    bool replaced;                 /* its JobSet is being deleted, to be created anew */
    bool large;                    /* counted in ty_trainjob_controller.large */
    struct ty_pending_job pending; /* as it was when the look began */
    struct ty_fetched_text *held;  /* what was fetched for it */
    int fetches;
    struct ty_inflight *next, *prev;
};

struct ty_live_get; /* a snapshot on its way to a webhook */

struct ty_trainjob_controller {
    struct ty_trainjob_controller_settings s;
    struct ty_cache *cache;
    struct ty_queue *queue;
    struct ty_watched_kind watched[TY_WATCHED_KINDS_MAX];
    size_t n_watched;
    struct ty_map pending; /* "ns/name" -> ty_pending_job */
    struct ty_arena *scratch;
    struct ty_reconcile_memo memo;
    struct ty_inflight *writing;
    size_t large;             /* of them: each takes megabytes, so they are few at a time */
    size_t woken;             /* slots that are kept for those who have waited longest */
    struct ty_queue *waiting; /* for a slot */
    struct ty_live_get *fetching;
    struct ty_trainjob_controller_counts counts;
    struct ty_controller_counts control[TY_CONTROLLERS];
    int64_t refused_ms;           /* the last 401 of a watch; loop time, 0: none */
    struct ty_log_dedup troubles; /* of watches, and of memory */
    struct ty_clock_jump jump;
    struct uv_timer_s *clock; /* looks whether the wall clock was set */
    bool leading, synced, turning;
};

/* trainjob_controller_watch.c */
void ty_trainjob_controller_watch_all(struct ty_trainjob_controller *j);
/* What the leader before us did last may not have reached us: lists what is behind. */
void ty_trainjob_controller_relist(struct ty_trainjob_controller *j);
bool ty_trainjob_controller_is_stale(const struct ty_trainjob_controller *j);
struct ty_reflector *ty_trainjob_controller_reflect(const struct ty_trainjob_controller *j,
                                                    const struct ty_kind *kind);
/* For ty_reconcile_in, with ctx = the jobs: why a kind cannot be watched at the moment; NULL: it
 * is. */
const char *ty_trainjob_controller_watch_error(void *ctx, const struct ty_kind *kind);

/* trainjob_controller_write.c: all steps of w->work, one after the other; then
 * ty_trainjob_controller_write_done.
 */
void ty_trainjob_controller_write(struct ty_inflight *w);

/* trainjob_controller_fetch.c: what w->work says that must be fetched; then
 * ty_trainjob_controller_reconcile_again or ty_trainjob_controller_write_done. */
void ty_trainjob_controller_fetch(struct ty_inflight *w);
/* What was fetched for it, parsed; lives with the arena. */
const struct ty_fetched *ty_trainjob_controller_fetched(struct ty_arena *a,
                                                        const struct ty_inflight *w);

/* trainjob_controller_expect.c. News of o, a child of this job or the job itself: true if it is
 * being written just now. Then whoever writes it looks at it when all is answered. */
bool ty_trainjob_controller_expect_observe(struct ty_trainjob_controller *j, struct ty_str job,
                                           const struct ty_cached *o);
/* The writes of a TrainJob are over: looks again, if that could find something to do. */
void ty_trainjob_controller_expect_done(struct ty_inflight *w);

/* trainjob_controller.c */
struct ty_pending_job *ty_trainjob_controller_pending(struct ty_trainjob_controller *j,
                                                      struct ty_str ns, struct ty_str name);
void ty_trainjob_controller_enqueue(struct ty_trainjob_controller *j, struct ty_str ns,
                                    struct ty_str name);
/* It is gone: nothing is to be looked at, not at its deadline, nor when we lead one day. */
void ty_trainjob_controller_forget(struct ty_trainjob_controller *j, struct ty_str ns,
                                   struct ty_str name);
void ty_trainjob_controller_write_done(struct ty_inflight *w);
struct ty_pending_job ty_trainjob_controller_take_pending(struct ty_trainjob_controller *j,
                                                          struct ty_str ns, struct ty_str name);
/* An event about the TrainJob, if it is still there. */
void ty_trainjob_controller_record_event(struct ty_trainjob_controller *j, struct ty_key key,
                                         const char *type, const char *reason, struct ty_str note);
void ty_trainjob_controller_process_queue(void *ctx);

/* controller_check_enough.c */
void ty_trainjob_controller_reconcile(struct ty_trainjob_controller *j,
                                      struct ty_key key); /* a TrainJob */
void ty_trainjob_controller_reconcile_runtime(struct ty_trainjob_controller *j, struct ty_key key);
size_t ty_trainjob_controller_pass_ceiling(
    const struct ty_trainjob_controller *j); /* memory for one pass */
/* At most half of the budget: what needs more is too large; what needs less, and does not fit, may
 * fit later. */
size_t ty_trainjob_controller_ceiling(const struct ty_trainjob_controller *j, size_t most);
void ty_trainjob_controller_inflight_free(struct ty_inflight *w);
void ty_trainjob_controller_reconcile_again(
    struct ty_inflight *w); /* looks once more, with what was fetched */
void ty_trainjob_controller_wake_waiting(
    struct ty_trainjob_controller *j); /* those that wait for a slot, as many as are free */
/* The apply that was just sent has failed: what is left of the steps becomes the write of a status
 * that is true of the children as they are. why: the API server refuses it for good; may be empty.
 */
void ty_trainjob_controller_apply_failed(struct ty_inflight *w, struct ty_str why);
/* Copies it, without its events, into w: what outlives the pass. The arena of w may be full then.
 */
void ty_trainjob_controller_copy_result(struct ty_inflight *w,
                                        const struct ty_reconcile_result *work);
/* It does not fit into memory: says so, ends w, and tries again in minutes. */
void ty_trainjob_controller_too_large(struct ty_inflight *w);

/* trainjob_controller_count.c */
void ty_trainjob_controller_count_init(struct ty_trainjob_controller *j);
void ty_trainjob_controller_count_done(const struct ty_inflight *w,
                                       bool bad); /* its writes are over */

/* controller_log.c: the lines that an administrator reads. States of TrainJobs are logged by the
 * leader only, once the cache is complete: a fact is one line, whoever watches. */
struct ty_state_before { /* of an object, before the cache takes its news */
    bool known;          /* the same object (uid) was cached */
    enum ty_trainjob_state state;
};
struct ty_state_before ty_trainjob_controller_log_before(const struct ty_cached *was,
                                                         struct ty_str uid);
/* Of a TrainJob: created, deleted (now is NULL), its state; of a JobSet: the state of its TrainJob.
 */
void ty_trainjob_controller_log_change(const struct ty_trainjob_controller *j,
                                       struct ty_state_before before,
                                       const struct ty_kube_object *o, const struct ty_cached *now);
/* A write was done. */
void ty_trainjob_controller_log_write(const struct ty_inflight *w, const struct ty_write_step *s,
                                      const struct ty_kube_response *a);
/* A reconcile is over (debug). outcome: what became of it; NULL: told by w itself. */
void ty_trainjob_controller_log_reconcile(const struct ty_inflight *w, const char *outcome);

/* trainjob_controller_get.c */
/* A look at this job, if the server still has it. */
void ty_trainjob_controller_get_verify(struct ty_trainjob_controller *j, struct ty_str ns,
                                       struct ty_str name);
void ty_trainjob_controller_get_cancel_all(struct ty_trainjob_controller *j); /* forgets them all */

/* trainjob_controller_runtime.c: the finalizers that a runtime should have, as a merge patch;
 * empty: as they are.
 */
struct ty_str ty_trainjob_controller_runtime_patch(struct ty_arena *a, const struct ty_cache *cache,
                                                   const struct ty_cached *runtime,
                                                   enum ty_runtime_protection protection);

#endif
