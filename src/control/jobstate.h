/* The state of a TrainJob in one word, for logs and metrics. The TrainJob's conditions say whether
 * it has ended; whether it runs is what its JobSet says, so a job that never got one, or whose pods
 * are refused, is pending and not running. */
#ifndef TY_CONTROL_JOBSTATE_H
#define TY_CONTROL_JOBSTATE_H

struct ty_json;
struct ty_kind;
struct ty_known;
struct ty_world;

enum ty_jobstate {
    TY_JOBSTATE_PENDING, /* not suspended, nothing of it is active */
    TY_JOBSTATE_RUNNING, /* its JobSet exists, is not suspended and has active Jobs */
    TY_JOBSTATE_SUSPENDED,
    TY_JOBSTATE_COMPLETE,
    TY_JOBSTATE_FAILED,
    TY_JOBSTATES
};
extern const char *const ty_jobstate_names[TY_JOBSTATES]; /* "pending", ... */

/* What one object says by itself: a TrainJob everything but running, a JobSet whether it is
 * running. Of other kinds: pending. */
enum ty_jobstate ty_jobstate_read(const struct ty_kind *kind, const struct ty_json *obj);
/* What both say together: pods that go on after a suspension was asked for are still running. */
enum ty_jobstate ty_jobstate_join(enum ty_jobstate job, enum ty_jobstate jobset);
/* Of a TrainJob in the cache. */
enum ty_jobstate ty_jobstate_of(const struct ty_world *world, const struct ty_known *job);

#endif
