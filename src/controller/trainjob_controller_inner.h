/* The state of the controllers, and what their files call of each other. */
#ifndef TY_CONTROLLER_TRAINJOB_CONTROLLER_INNER_H
#define TY_CONTROLLER_TRAINJOB_CONTROLLER_INNER_H

#include "base/map.h"
#include "controller/clock_jump.h"
#include "controller/reconcile.h"
#include "controller/trainjob_controller.h"
#include "log/log.h"

/* A kind that is watched, with its reflector. */
struct ty_watched_kind {
    struct ty_trainjob_controller *controller;
    const struct ty_kind *kind;
    bool meta;   /* PartialObjectMetadata */
    bool needed; /* no key is reconciled before this kind is listed, or found not to be served */
    bool synced, absent;
    bool relisting;    /* no key is reconciled before the relist ends */
    char *watch_error; /* of the last failed list or watch; NULL: none failed */
    struct ty_reflector *reflect;
};
#define TY_WATCHED_KINDS_MAX 16

/* Why a queued TrainJob is to be reconciled; freed when its reconcile starts. */
struct ty_pending_job {
    bool initial, check_children;
    bool freeze; /* the API server refused an apply to its JobSet as immutable */
    bool waits; /* it is large and all slots are taken: its key is in ty_trainjob_controller.waiting
                 */
    bool woken; /* it waited and a slot is reserved for it: counted in ty_trainjob_controller.woken
                 */
};

/* A key that is being reconciled, from its dequeue to the answer of its last write. */
struct ty_inflight {
    struct ty_trainjob_controller *controller;
    struct ty_arena *arena; /* holds key, result and texts */
    struct ty_key key;      /* its kind: enum ty_controller_kind */
    uint64_t begin_ns;
    struct ty_reconcile_result result;
    struct ty_write_step *step;
    struct ty_kube_op *op;
    uint64_t event; /* version of a watch event for the object that `step` writes, before its
                       answer: ours if the answer has the same version; 0: none */
    bool wrote;     /* an own write has changed the cache: requeues the key unless it failed */
    bool failed;    /* a write failed: no more applies, and the key is retried */
    bool replaced;  /* its JobSet is deleted, to be re-created */
    bool large;     /* counted in ty_trainjob_controller.large */
    struct ty_pending_job pending;   /* as it was when the reconcile started */
    struct ty_fetched_text *fetched; /* live objects that were fetched for it */
    int fetches;
    struct ty_inflight *next, *prev;
};

struct ty_live_get; /* a GET of one live object (trainjob_controller_get.c) */

struct ty_trainjob_controller {
    struct ty_trainjob_controller_settings s;
    struct ty_cache *cache;
    struct ty_queue *queue;
    struct ty_watched_kind watched[TY_WATCHED_KINDS_MAX];
    size_t n_watched;
    struct ty_map pending; /* "ns/name" -> ty_pending_job */
    struct ty_arena *scratch;
    struct ty_reconcile_memo memo;
    struct ty_inflight *inflight;
    size_t large; /* how many of them are large: each takes megabytes, so they are limited */
    size_t woken; /* slots that are reserved for jobs that waited */
    struct ty_queue *waiting; /* large jobs that wait for a slot */
    struct ty_live_get *live_gets;
    struct ty_inflight *answering; /* its answer is being put into the cache; or NULL */
    struct ty_trainjob_controller_counts counts;
    struct ty_controller_counts kind_counts[TY_CONTROLLERS];
    int64_t refused_ms; /* the last 401 of a watch; loop time, 0: none */
    struct ty_clock_jump jump;
    struct uv_timer_s *clock; /* checks whether the wall clock was set */
    bool leading, synced, processing;
};

/* trainjob_controller_write.c: sends the steps of w->result in order, then calls
 * ty_trainjob_controller_write_done. */
void ty_trainjob_controller_write(struct ty_inflight *w);
/* A change of an object of this TrainJob: true if it is, or may be, our own write in flight. Then
 * the answer decides about the requeue: a failed key must wait for its back-off, and an own write
 * must not end that. */
bool ty_trainjob_controller_write_observe(struct ty_trainjob_controller *j, struct ty_str ns,
                                          struct ty_str job, const struct ty_cached *now);

/* trainjob_controller.c */
struct ty_pending_job *ty_trainjob_controller_pending(struct ty_trainjob_controller *j,
                                                      struct ty_str ns, struct ty_str name);
/* The TrainJob is deleted: drops its key from the queues, with its deadline and its back-off. */
void ty_trainjob_controller_forget(struct ty_trainjob_controller *j, struct ty_str ns,
                                   struct ty_str name);
void ty_trainjob_controller_write_done(struct ty_inflight *w);
struct ty_pending_job ty_trainjob_controller_take_pending(struct ty_trainjob_controller *j,
                                                          struct ty_str ns, struct ty_str name);
/* The reconcile did not reach its end: the next one of the same TrainJob has the same reasons. */
void ty_trainjob_controller_keep_pending(struct ty_inflight *w);
void ty_trainjob_controller_process_queue(void *ctx);

/* trainjob_controller_reconcile.c */
void ty_trainjob_controller_reconcile(struct ty_trainjob_controller *j,
                                      struct ty_key key); /* a TrainJob */
void ty_trainjob_controller_reconcile_runtime(struct ty_trainjob_controller *j, struct ty_key key);
size_t ty_trainjob_controller_pass_ceiling(
    const struct ty_trainjob_controller *j); /* memory for one pass */
/* At most half of the budget. An object that needs more is too large; one that needs less and does
 * not fit is retried. */
size_t ty_trainjob_controller_ceiling(const struct ty_trainjob_controller *j, size_t most);
void ty_trainjob_controller_inflight_free(struct ty_inflight *w);
void ty_trainjob_controller_reconcile_again(struct ty_inflight *w); /* with the fetched objects */
void ty_trainjob_controller_wake_waiting(
    struct ty_trainjob_controller *j); /* large jobs, as many as there are free slots */
/* The apply of w->step failed: replaces the steps after it by a status patch that describes the
 * live children. why: the API server's permanent refusal; may be empty. */
void ty_trainjob_controller_apply_failed(struct ty_inflight *w, struct ty_str why);
/* Copies the result, without its events, into w, because it outlives the pass. The arena of w may
 * be full then. */
void ty_trainjob_controller_copy_result(struct ty_inflight *w,
                                        const struct ty_reconcile_result *result);
/* The job does not fit into memory: records an event, ends w, and requeues it in minutes. */
void ty_trainjob_controller_too_large(struct ty_inflight *w);

#endif
