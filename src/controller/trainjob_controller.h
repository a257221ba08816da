/* clang-format off */
/* The controllers on a real cluster. What the watches tell goes into the cache; what should be
 * looked at waits in the queue; what a look says is written, in order within a job, many jobs at
 * once; what the API server answers is in the cache before that job is looked at again.
 *
 *   reflectors --> cache --> queue --> ty_reconcile --> steps --> API server
 *                    ^________________ answers _______________________|
 */
/* clang-format on */
#ifndef TY_CONTROLLER_TRAINJOB_CONTROLLER_H
#define TY_CONTROLLER_TRAINJOB_CONTROLLER_H

#include "controller/cache.h"
#include "controller/events.h"
#include "controller/queue.h"
#include "store/kube/reflector.h"
#include "trainer/pipeline.h"

struct ty_trainjob_controller;

enum ty_runtime_protection {                      /* of runtimes that TrainJobs use */
                             TY_PROTECT_SNAPSHOT, /* none: jobs have their copy; v2.2's finalizer is
                                                     taken off */
                             TY_PROTECT_FINALIZER, /* as v2.0 to v2.2: not deleted while a TrainJob
                                                      refers to it */
};

struct ty_trainjob_controller_settings { /* what is pointed to outlives the controllers */
    struct uv_loop_s *loop;
    struct ty_kube *kube;     /* its fence is around every write */
    struct ty_events *events; /* NULL: nobody is told */
    const struct ty_log *log;
    const struct ty_pipeline *pipeline;
    const struct ty_settings *settings;
    enum ty_runtime_protection protection;
    int in_flight;            /* jobs being written at once; 0: 16 */
    struct ty_budget *budget; /* for the cache and what looks take; NULL: none */
    /* The webhook's Secret as JSON, or NULL; for the status API's CA. May be NULL. */
    const struct ty_json *(*hook_secret)(void *ctx, struct ty_arena *a);
    void (*idle)(void *ctx);   /* nothing waits and nothing is being written any more; or NULL */
    void (*synced)(void *ctx); /* once, when everything has been told for the first time; or NULL */
    void *ctx;
};

struct ty_trainjob_controller_counts { /* since the start; for metrics. looks: at TrainJobs */
    uint64_t reconciles, applies, statuses, deletes, fetches, skipped;
    size_t in_flight;
    double seconds; /* in looks */
};

enum ty_controller_kind {
    TY_CONTROLLER_TRAINJOB,
    TY_CONTROLLER_RUNTIME,
    TY_CONTROLLER_CLUSTER_RUNTIME,
    TY_CONTROLLERS
};
struct ty_controller_counts { /* of the keys of one kind; since the start; for metrics */
    uint64_t success, error, requeue, requeue_after; /* what became of them; requeue: something has
                                                        to be got first */
    size_t active, most;         /* being written now; at once, of all kinds together */
    double unfinished, longest;  /* seconds that those have taken so far: their sum, the most */
    struct ty_histogram seconds; /* with the writes; bounds: ty_trainjob_controller_buckets */
};
extern const double ty_trainjob_controller_buckets[]; /* controller-runtime's */

/* gives. Watches begin at once, so that a standby is warm; nothing is written before
 * ty_trainjob_controller_lead.
 */
struct ty_trainjob_controller *
ty_trainjob_controller_new(const struct ty_trainjob_controller_settings *s);
void ty_trainjob_controller_lead(struct ty_trainjob_controller *j);
/* Begins no more writes; those under way come to their end. */
void ty_trainjob_controller_drain(struct ty_trainjob_controller *j);
bool ty_trainjob_controller_idle(
    const struct ty_trainjob_controller *j); /* nothing is being written */
bool ty_trainjob_controller_synced(const struct ty_trainjob_controller *j);
/* takes; before its client; NULL is fine. The loop must turn once more. */
void ty_trainjob_controller_free(struct ty_trainjob_controller *j);

/* Looks at every TrainJob and all its children: something that all of them need has changed. */
void ty_trainjob_controller_resync(struct ty_trainjob_controller *j);

/* The API server is there again after a while: what waits for the end of a back-off, jobs and
 * watches, tries now. */
void ty_trainjob_controller_retry_now(struct ty_trainjob_controller *j);

const struct ty_cache *ty_trainjob_controller_cache(const struct ty_trainjob_controller *j);
void ty_trainjob_controller_count(const struct ty_trainjob_controller *j,
                                  struct ty_trainjob_controller_counts *ret);
void ty_trainjob_controller_count_of(const struct ty_trainjob_controller *j,
                                     enum ty_controller_kind of, struct ty_controller_counts *ret,
                                     const struct ty_queue_kind **ret_queue);
/* r: 0 it is in the cache now, or the answer was of no use; -ENOENT it is not there; other
 * negative: nobody can say, and `text` is a sentence. r 0 and a text: it is too large for the
 * cache, and this is the object, JSON. Borrowed for the call. */
typedef void ty_trainjob_controller_got_fn(void *ctx, int r, struct ty_str text);
/* Gets an object into the cache, whatever the watches have told so far, then calls fn, from the
 * loop. A snapshot comes with its data; one that is there with its data is not asked for again:
 * then fn is called at once. For webhooks: what was created a moment ago counts. */
void ty_trainjob_controller_get(struct ty_trainjob_controller *j, const struct ty_kind *kind,
                                struct ty_str ns, struct ty_str name,
                                ty_trainjob_controller_got_fn *fn, void *ctx);

/* The configuration has changed: as in the settings. What is under way goes on. */
void ty_trainjob_controller_configure(struct ty_trainjob_controller *j, int in_flight,
                                      enum ty_runtime_protection protection);

#endif
