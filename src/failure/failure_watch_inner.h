/* The state of the watch, and what its files call of each other. */
#ifndef TY_FAILURE_FAILURE_WATCH_INNER_H
#define TY_FAILURE_FAILURE_WATCH_INNER_H

#include "base/map.h"
#include "failure/failure_job.h"
#include "failure/failure_watch.h"

/* Of jobs that fail at the same time: more logs are gone before their turn. A namespace with fewer
 * of them than another takes its place. */
enum { TY_FAILURE_WATCH_COLLECTIONS = 512 };

struct ty_failure_watch {
    struct ty_failure_watch_settings s;
    struct ty_reflector *reflect; /* of pods; NULL: not leading, or the cache is not complete */
    struct ty_object_table pods;  /* of ty_failure_pod */
    struct ty_map jobs;           /* "ns/name" -> ty_failure_job */
    struct uv_idle_s *judge;      /* runs while there are logs to judge */
    struct uv_timer_s *timer;     /* runs while there are collections or untold problems */
    struct ty_failure_watch_counts counts;
    struct ty_failure_turns turns; /* of collections; their owners are jobs */
    bool leading, synced, stopped;
    bool refused; /* the missing right to watch pods was logged */
};

/* failure_watch.c */
/* The job of this TrainJob; made if it is not known yet. */
struct ty_failure_job *ty_failure_watch_job(struct ty_failure_watch *w,
                                            const struct ty_cached *trainjob);
struct ty_failure_job *ty_failure_watch_find(const struct ty_failure_watch *w, struct ty_str ns,
                                             struct ty_str name); /* or NULL */
/* Frees it if it has no pods and its TrainJob is deleted. */
void ty_failure_watch_drop(struct ty_failure_watch *w, struct ty_failure_job *job);
void ty_failure_watch_event(struct ty_failure_watch *w, const struct ty_failure_job *job,
                            const char *type, const char *reason, struct ty_str note);
/* Collections are over: they are judged from now on, one log in each turn of the loop. */
void ty_failure_watch_start_judge(struct ty_failure_watch *w);
/* Something waits for time to pass. */
void ty_failure_watch_arm(struct ty_failure_watch *w);
int64_t ty_failure_watch_now(const struct ty_failure_watch *w);  /* loop time, ms */
int64_t ty_failure_watch_wall(const struct ty_failure_watch *w); /* Unix time, s */

/* failure_watch_collect.c */
/* A container of this pod ended badly, for the first time or once more. */
void ty_failure_watch_failed(struct ty_failure_job *job, const struct ty_json *pod,
                             const struct ty_failure_pod_state *is);
void ty_failure_watch_start_waiting(struct ty_failure_watch *w);
/* Judges one log of a collection that is over. False: there is none. */
bool ty_failure_watch_judge(struct ty_failure_watch *w);

/* failure_watch_pods.c */
void ty_failure_watch_pods(struct ty_failure_watch *w); /* starts the reflector */
/* Records the problem of the job as an event, if it has lasted long enough. False: it may become
 * due later. */
bool ty_failure_watch_tell(struct ty_failure_job *job);

#endif
