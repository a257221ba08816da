/* clang-format off */
/* The TrainJob and runtime controllers on a real cluster. Reflectors update the cache and enqueue
 * keys. A reconcile computes the writes of one key; they are sent in order within a key, for many
 * keys concurrently. Each answer updates the cache before its key is reconciled again.
 *
 *   reflectors --> cache --> queue --> ty_reconcile --> steps --> API server
 *                    ^________________ answers _______________________| */
/* clang-format on */
#ifndef TY_CONTROLLER_TRAINJOB_CONTROLLER_H
#define TY_CONTROLLER_TRAINJOB_CONTROLLER_H

#include "controller/cache.h"
#include "controller/events.h"
#include "controller/runtime_finalizer.h"
#include "store/kube/reflector.h"
#include "trainer/pipeline.h"
#include "workqueue/queue.h"

struct ty_trainjob_controller;

struct ty_trainjob_controller_settings { /* everything pointed to outlives the controllers */
    struct uv_loop_s *loop;
    struct ty_kube *kube;     /* every write is fenced */
    struct ty_events *events; /* NULL: no events are recorded */
    const struct ty_log *log;
    const struct ty_pipeline *pipeline;
    const struct ty_settings *settings;
    enum ty_runtime_protection protection;
    int in_flight;            /* keys in flight at once; 0: 16 */
    struct ty_budget *budget; /* for the cache and for reconciles; NULL: no limit */
    /* The webhook's Secret as JSON, or NULL; for the status API's CA. May be NULL. */
    const struct ty_json *(*hook_secret)(void *ctx, struct ty_arena *a);
    void (*idle)(void *ctx);   /* the queue is empty and no write is in flight; or NULL */
    void (*synced)(void *ctx); /* once, when all needed kinds are listed; or NULL */
    /* The failure summary of this TrainJob for its condition Failed; empty: none. Borrowed for the
     * reconcile. May be NULL. */
    struct ty_str (*failure_note)(void *ctx, const struct ty_cached *job);
    /* A TrainJob was reconciled: before its writes. initial: the first time since the start.
     * jobset: NULL if it has none. May be NULL. */
    void (*reconciled)(void *ctx, const struct ty_cached *job, const struct ty_cached *jobset,
                       bool initial);
    void (*deleted)(void *ctx, struct ty_str ns, struct ty_str name); /* a TrainJob; may be NULL */
    void *ctx;
};

struct ty_trainjob_controller_counts { /* since the start; for metrics. reconciles: of TrainJobs */
    uint64_t reconciles, applies, statuses, deletes, finalizers, fetches, skipped;
    size_t in_flight;
    double seconds; /* spent in ty_reconcile */
};

enum ty_controller_kind {
    TY_CONTROLLER_TRAINJOB,
    TY_CONTROLLER_RUNTIME,
    TY_CONTROLLER_CLUSTER_RUNTIME,
    TY_CONTROLLERS
};
struct ty_controller_counts { /* of one controller, since the start; for metrics */
    uint64_t success, error, requeue,
        requeue_after;   /* results of reconciles; requeue: an object had to be fetched first */
    size_t active, most; /* in flight now; the limit, of all controllers together */
    double unfinished,
        longest; /* seconds that reconciles in flight have taken so far: sum, maximum */
    struct ty_histogram seconds; /* including writes; bounds: ty_trainjob_controller_buckets */
};
extern const double ty_trainjob_controller_buckets[]; /* controller-runtime's */

/* gives. Reflectors start at once, so that the cache of a standby is warm; nothing is written
 * before ty_trainjob_controller_lead. */
struct ty_trainjob_controller *
ty_trainjob_controller_new(const struct ty_trainjob_controller_settings *s);
void ty_trainjob_controller_lead(struct ty_trainjob_controller *j);
/* Starts no more writes; those in flight complete. */
void ty_trainjob_controller_drain(struct ty_trainjob_controller *j);
bool ty_trainjob_controller_idle(
    const struct ty_trainjob_controller *j); /* no write is in flight */
bool ty_trainjob_controller_synced(const struct ty_trainjob_controller *j);
/* takes; before its client; NULL is fine. The loop must turn once more. */
void ty_trainjob_controller_free(struct ty_trainjob_controller *j);

/* Requeues every TrainJob, to compare all its children: a setting that affects all of them
 * changed. */
void ty_trainjob_controller_resync(struct ty_trainjob_controller *j);

/* Requeues one TrainJob. */
void ty_trainjob_controller_enqueue(struct ty_trainjob_controller *j, struct ty_str ns,
                                    struct ty_str name);
/* Records an event about the TrainJob, if it is still in the cache. */
void ty_trainjob_controller_record_event(struct ty_trainjob_controller *j, struct ty_key key,
                                         const char *type, const char *reason, struct ty_str note);
/* once: as in struct ty_event. */
void ty_trainjob_controller_record_event_once(struct ty_trainjob_controller *j, struct ty_key key,
                                              const char *type, const char *reason,
                                              struct ty_str note, struct ty_str once);

/* The API server answers again: keys and reflectors that back off retry now. */
void ty_trainjob_controller_retry_now(struct ty_trainjob_controller *j);

const struct ty_cache *ty_trainjob_controller_cache(const struct ty_trainjob_controller *j);
void ty_trainjob_controller_count(const struct ty_trainjob_controller *j,
                                  struct ty_trainjob_controller_counts *ret);
void ty_trainjob_controller_count_of(const struct ty_trainjob_controller *j,
                                     enum ty_controller_kind of, struct ty_controller_counts *ret,
                                     const struct ty_queue_kind **ret_queue);
/* r 0: it is in the cache now, or the answer could not be used; -ENOENT: it does not exist; other
 * negative: the request failed, and `text` is the error. r 0 and a text: it is too large for the
 * cache, and this is the object, JSON. Borrowed for the call. */
typedef void ty_trainjob_controller_got_fn(void *ctx, int r, struct ty_str text);
/* Gets the live object into the cache, then calls fn from the loop. A snapshot is fetched with its
 * data, unless the cache has both: then fn is called at once. For webhooks, whose requests may name
 * an object that was created a moment ago. */
void ty_trainjob_controller_get(struct ty_trainjob_controller *j, const struct ty_kind *kind,
                                struct ty_str ns, struct ty_str name,
                                ty_trainjob_controller_got_fn *fn, void *ctx);

/* Changes these two settings; writes in flight continue. */
void ty_trainjob_controller_configure(struct ty_trainjob_controller *j, int in_flight,
                                      enum ty_runtime_protection protection);

#endif
