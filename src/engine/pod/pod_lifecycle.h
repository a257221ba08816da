/* The lifecycle of a pod's containers, as in the kubelet (docs/spec/jobset.md 5.2 to 5.6). A state
 * machine without I/O: the caller reports events to it, and it returns the next actions. Times are
 * milliseconds since 1970 on a clock that does not go back: they end up in the pod's status.
 *
 * A holder container (struct ty_container_plan) has no process: it is started and ready as soon as
 * its turn comes, its probes and hooks are not run, and it ends with code 0 when the pod is
 * stopped.
 *
 * Deviations from the kubelet, all because there is no image and no sandbox: a process that does
 * not handle SIGTERM dies of it (143), and a first probe comes exactly after its initial delay. */
#ifndef TY_ENGINE_POD_POD_LIFECYCLE_H
#define TY_ENGINE_POD_POD_LIFECYCLE_H

#include "engine/job/job.h"
#include "engine/pod/pod_plan.h"

enum ty_pod_action_kind {
    TY_POD_ACTION_START,  /* start container `c` (attempt `n`) */
    TY_POD_ACTION_SIGNAL, /* send `n` to container `c`: SIGTERM to its main process, SIGKILL to all
                           * of it
                           */
    TY_POD_ACTION_PROBE,  /* run probe `n` (enum ty_probe_use) of container `c`, answer with
                       ty_pod_lifecycle_probe_result */
    TY_POD_ACTION_HOOK,   /* run preStop (n 0) or postStart (n 1) of `c`, answer with
                             ty_pod_lifecycle_hook_result */
    TY_POD_ACTION_STATUS, /* the pod's status changed: write it */
    TY_POD_ACTION_OVER,   /* terminal phase reached and nothing of the pod runs any more */
    TY_POD_ACTION_EVENT, /* send `event`, about container `c`; its texts live until the next step */
};
enum ty_probe_use { TY_STARTUP_PROBE, TY_LIVENESS_PROBE, TY_READINESS_PROBE };
struct ty_pod_action {
    enum ty_pod_action_kind kind;
    size_t c;
    int n;
    struct ty_pending_event event;
};
enum { TY_POD_ACTIONS_MAX = 64 };
struct ty_pod_actions {
    struct ty_pod_action v[TY_POD_ACTIONS_MAX];
    size_t n;
    int64_t wake_ms; /* call ty_pod_lifecycle_next_actions again then; -1: not needed */
};

/* Why the whole pod is being stopped. RESET: to begin again from the first init container. */
enum ty_pod_stop_reason {
    TY_STOP_NOT,
    TY_STOP_DONE,
    TY_STOP_INIT_FAILED,
    TY_STOP_DEADLINE,
    TY_STOP_DELETED,
    TY_STOP_RESET,
};

struct ty_pod_lifecycle; /* heap, small: a few hundred bytes a pod */
/* Borrows plan, which must outlive it. */
struct ty_pod_lifecycle *ty_pod_lifecycle_new(const struct ty_pod_plan *plan, int64_t now_ms);
void ty_pod_lifecycle_free(struct ty_pod_lifecycle *r);

/* What happened. An answer for a container that ended meanwhile is ignored; stop the probes and
 * hooks of a container that ends, so that none is taken for one of its next run. */
void ty_pod_lifecycle_started(struct ty_pod_lifecycle *r, size_t c, int64_t now_ms);
/* exec impossible: exit code 128, reason StartError with the OS error. */
void ty_pod_lifecycle_start_failed(struct ty_pod_lifecycle *r, size_t c, const char *why,
                                   int64_t now_ms);
/* wait(2) status; oom: the kernel killed it for memory; message: terminationMessage, may be NULL.
 */
void ty_pod_lifecycle_exited(struct ty_pod_lifecycle *r, size_t c, int wstatus, bool oom,
                             const char *message, int64_t now_ms);
void ty_pod_lifecycle_probe_result(struct ty_pod_lifecycle *r, size_t c, enum ty_probe_use use,
                                   bool ok, const char *output, int64_t now_ms);
void ty_pod_lifecycle_hook_result(struct ty_pod_lifecycle *r, size_t c, bool ok, int64_t now_ms);
/* The pod is deleted: end it within grace_s (-1: its own; at least 2 s), or at once with 0. Again:
 * a shorter time counts, a longer one does not. */
void ty_pod_lifecycle_stop(struct ty_pod_lifecycle *r, int64_t grace_s, int64_t now_ms);
/* The pod does not fit on the machine now: PodScheduled is False (Unschedulable) with this message,
 * which must outlive the run, until ty_pod_lifecycle_ungate. Only before anything was started. */
void ty_pod_lifecycle_set_unschedulable(struct ty_pod_lifecycle *r, const char *why,
                                        int64_t now_ms);
/* The gates were removed, or it fits now. */
void ty_pod_lifecycle_ungate(struct ty_pod_lifecycle *r, int64_t now_ms);

/* What to do now. Call after every event and at wake_ms; until it returns no actions. */
void ty_pod_lifecycle_next_actions(struct ty_pod_lifecycle *r, int64_t now_ms,
                                   struct ty_pod_actions *ret);

enum ty_pod_phase ty_pod_lifecycle_phase(const struct ty_pod_lifecycle *r);
bool ty_pod_lifecycle_ready(const struct ty_pod_lifecycle *r);
/* When container `c`, which has ended, is started again; -1: it is not. */
int64_t ty_pod_lifecycle_retry_ms(const struct ty_pod_lifecycle *r, size_t c);
/* Restarts of all its containers, those that wait for their time included. */
int64_t ty_pod_lifecycle_restarts(const struct ty_pod_lifecycle *r);
enum ty_pod_stop_reason ty_pod_lifecycle_stop_reason(const struct ty_pod_lifecycle *r);
/* status of the Pod object: phase, conditions, containerStatuses, initContainerStatuses, podIP,
 * startTime, reason, message. Texts as Kubernetes has them. */
struct ty_json *ty_pod_lifecycle_status(const struct ty_pod_lifecycle *r, struct ty_arena *a,
                                        const char *address);

#endif
