/* What a Kubernetes Pod object says of its end, or of what keeps it from running, without its logs.
 * Pure. Pods are written by kubelets, schedulers and whoever may patch them: all text from them is
 * bounded, and free of control characters.
 *
 *   Pod --> ty_pod_failure_ended ---> struct ty_ended_container --> failure summary (with the log)
 *      '--> ty_pod_failure_problem --> one sentence, for events and conditions */
#ifndef TY_REPORT_POD_FAILURE_H
#define TY_REPORT_POD_FAILURE_H

#include "base/arena.h"
#include "base/str.h"

struct ty_ended_container; /* failure_summary.h */
struct ty_json;

enum {
    TY_POD_FAILURE_TEXT = 480,    /* at most so many bytes in the text of a problem */
    TY_POD_FAILURE_MESSAGE = 300, /* of which so many from a message of the object */
    TY_POD_FAILURE_ENDS = 64,     /* at most so many ends of containers */
};

/* The name of the pod in summaries: "node-0-1" of job "ddp", from the labels of JobSet and the
 * completion index; else from its host name or its own, without "ddp-" in front. Lives with the
 * arena. */
const char *ty_pod_failure_node(struct ty_arena *a, const struct ty_json *pod, struct ty_str job);
/* The JobSet restarts before the pod (jobset.sigs.k8s.io/restart-attempt); 0 if unknown. */
int64_t ty_pod_failure_attempt(const struct ty_json *pod);

/* The containers of the pod that have ended, without logs: init containers first, then containers;
 * of each the instance before the last restart (lastState), then the present one. Code 0 is
 * included, because a later success makes an earlier failure good. All lives with the arena, and
 * *ret is ready for ty_failure_summary_add once .log is set. Returns how many. */
size_t ty_pod_failure_ended(struct ty_arena *a, const struct ty_json *pod, struct ty_str job,
                            struct ty_ended_container **ret);

/* It failed by itself: nobody stopped it, and it is no sidecar, whose end decides nothing. */
bool ty_pod_failure_is_bad(const struct ty_ended_container *end);

/* What keeps the pod from running, or ended it. */
struct ty_pod_problem {
    const char *reason; /* stable: Unschedulable, ImagePull, CreateContainer, Evicted, Preempted,
                           NodeLost, NodeRejected, DeadlineExceeded, OOMKilled,
                           InitializerFailed; a literal */
    const char *text;   /* "node-0-1 cannot be scheduled: 0/3 nodes are available: 3 Insufficient
                           cpu"; one line, lives with the arena */
    bool final;         /* it will not go away by itself */
};
/* False: nothing, or nothing but an exit code, for which the failure summary has better words. */
bool ty_pod_failure_problem(struct ty_arena *a, const struct ty_json *pod, struct ty_str job,
                            struct ty_pod_problem *ret);

#endif
