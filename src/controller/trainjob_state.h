/* The state of a TrainJob in one word, for logs and metrics. The TrainJob's conditions say whether
 * it has ended; whether it runs is what its JobSet says, so a job that never got one, or whose pods
 * are refused, is pending and not running. */
#ifndef TY_CONTROLLER_TRAINJOB_STATE_H
#define TY_CONTROLLER_TRAINJOB_STATE_H

struct ty_json;
struct ty_kind;
struct ty_cached;
struct ty_cache;

enum ty_trainjob_state {
    TY_TRAINJOB_STATE_PENDING, /* not suspended, nothing of it is active */
    TY_TRAINJOB_STATE_RUNNING, /* its JobSet exists, is not suspended and has active Jobs */
    TY_TRAINJOB_STATE_SUSPENDED,
    TY_TRAINJOB_STATE_COMPLETE,
    TY_TRAINJOB_STATE_FAILED,
    TY_TRAINJOB_STATES
};
extern const char *const ty_trainjob_state_names[TY_TRAINJOB_STATES]; /* "pending", ... */

/* What one object says by itself: a TrainJob everything but running, a JobSet whether it is
 * running. Of other kinds: pending. */
enum ty_trainjob_state ty_trainjob_state_read(const struct ty_kind *kind,
                                              const struct ty_json *obj);
/* What both say together: pods that go on after a suspension was asked for are still running. */
enum ty_trainjob_state ty_trainjob_state_join(enum ty_trainjob_state job,
                                              enum ty_trainjob_state jobset);
/* Of a TrainJob in the cache. */
enum ty_trainjob_state ty_trainjob_state_get(const struct ty_cache *cache,
                                             const struct ty_cached *job);

#endif
