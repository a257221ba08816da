/* clang-format off */
/* The controllers on a real cluster. What the watches tell goes into the world; what should be
 * looked at waits in the queue; what a look says is written, in order within a job, many jobs at
 * once; what the API server answers is in the world before that job is looked at again.
 *
 *   reflectors --> world --> queue --> ty_work_make --> steps --> API server
 *                    ^________________ answers _______________________|
 */
/* clang-format on */
#ifndef TY_CONTROL_JOBS_H
#define TY_CONTROL_JOBS_H

#include "control/events.h"
#include "control/queue.h"
#include "control/world.h"
#include "store/reflect.h"
#include "trainer/plugin.h"

struct ty_jobs;

enum ty_protection {                       /* of runtimes that TrainJobs use */
                     TY_PROTECT_SNAPSHOT,  /* none: jobs have their copy; v2.2's finalizer is taken
                                              off */
                     TY_PROTECT_FINALIZER, /* as v2.0 to v2.2: not deleted while a TrainJob refers
                                              to it */
};

struct ty_jobs_settings { /* what is pointed to outlives the controllers */
    struct uv_loop_s *loop;
    struct ty_kube *kube;     /* its fence is around every write */
    struct ty_events *events; /* NULL: nobody is told */
    const struct ty_log *log;
    const struct ty_pipeline *pipeline;
    const struct ty_settings *settings;
    enum ty_protection protection;
    int in_flight;            /* jobs being written at once; 0: 16 */
    struct ty_budget *budget; /* for the world and what looks take; NULL: none */
    /* The webhook's Secret as JSON, or NULL; for the status API's CA. May be NULL. */
    const struct ty_json *(*hook_secret)(void *ctx, struct ty_arena *a);
    void (*idle)(void *ctx);   /* nothing waits and nothing is being written any more; or NULL */
    void (*synced)(void *ctx); /* once, when everything has been told for the first time; or NULL */
    void *ctx;
};

struct ty_jobs_counts { /* since the start; for metrics. looks: at TrainJobs */
    uint64_t looks, applies, statuses, deletes, fetches, skipped;
    size_t in_flight;
    double seconds; /* in looks */
};

enum ty_controller { TY_OF_TRAINJOBS, TY_OF_RUNTIMES, TY_OF_CLUSTER_RUNTIMES, TY_CONTROLLERS };
struct ty_controller_counts { /* of the keys of one kind; since the start; for metrics */
    uint64_t success, error, requeue, requeue_after; /* what became of them; requeue: something has
                                                        to be got first */
    size_t active, most;        /* being written now; at once, of all kinds together */
    double unfinished, longest; /* seconds that those have taken so far: their sum, the most */
    struct ty_spread seconds;   /* with the writes; bounds: ty_controller_bounds */
};
extern const double ty_controller_bounds[]; /* controller-runtime's */

/* gives. Watches begin at once, so that a standby is warm; nothing is written before ty_jobs_lead.
 */
struct ty_jobs *ty_jobs_new(const struct ty_jobs_settings *s);
void ty_jobs_lead(struct ty_jobs *j);
/* Begins no more writes; those under way come to their end. */
void ty_jobs_rest(struct ty_jobs *j);
bool ty_jobs_idle(const struct ty_jobs *j); /* nothing is being written */
bool ty_jobs_synced(const struct ty_jobs *j);
/* takes; before its client; NULL is fine. The loop must turn once more. */
void ty_jobs_free(struct ty_jobs *j);

/* Looks at every TrainJob and all its children: something that all of them need has changed. */
void ty_jobs_look_at_all(struct ty_jobs *j);

/* The API server is there again after a while: what waits for the end of a back-off, jobs and
 * watches, tries now. */
void ty_jobs_hurry(struct ty_jobs *j);

const struct ty_world *ty_jobs_world(const struct ty_jobs *j);
void ty_jobs_count(const struct ty_jobs *j, struct ty_jobs_counts *ret);
void ty_jobs_count_of(const struct ty_jobs *j, enum ty_controller of,
                      struct ty_controller_counts *ret, const struct ty_queue_kind **ret_queue);
/* r: 0 it is in the world now, or the answer was of no use; -ENOENT it is not there; other
 * negative: nobody can say, and `text` is a sentence. r 0 and a text: it is too large for the
 * world, and this is the object, JSON. Borrowed for the call. */
typedef void ty_jobs_got_fn(void *ctx, int r, struct ty_str text);
/* Gets an object into the world, whatever the watches have told so far, then calls fn, from the
 * loop. A snapshot comes with its data; one that is there with its data is not asked for again:
 * then fn is called at once. For webhooks: what was created a moment ago counts. */
void ty_jobs_get(struct ty_jobs *j, const struct ty_kind *kind, struct ty_str ns,
                 struct ty_str name, ty_jobs_got_fn *fn, void *ctx);

/* The configuration has changed: as in the settings. What is under way goes on. */
void ty_jobs_tune(struct ty_jobs *j, int in_flight, enum ty_protection protection);

#endif
