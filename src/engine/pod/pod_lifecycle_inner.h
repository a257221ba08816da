/* The state of a running pod, private to the files of pod_lifecycle. */
#ifndef TY_ENGINE_POD_POD_LIFECYCLE_INNER_H
#define TY_ENGINE_POD_POD_LIFECYCLE_INNER_H

#include "engine/pod/pod_lifecycle.h"

/*  WAITING ──start──> STARTING ──started──> RUNNING ──exited──> ENDED
 *                        │  └──start failed──────────────────────^ │
 *                        ^────────start again, when it is due──────┘ */
enum ty_container_phase {
    TY_CONTAINER_WAITING,
    TY_CONTAINER_STARTING,
    TY_CONTAINER_RUNNING,
    TY_CONTAINER_TERMINATED
};

/*  NOT ─> ASKED ─> HOOK (preStop runs) ─> TURN (a sidecar lets others go first) ─> TERM ─> KILL */
enum ty_kill_phase {
    TY_KILL_NOT,
    TY_KILL_ASKED,
    TY_KILL_HOOK,
    TY_KILL_TURN,
    TY_KILL_TERM,
    TY_KILL_KILL
};

/* WANTED: postStart is to be started; POST_START and PRE_STOP run. */
enum ty_hook_phase { TY_HOOK_NONE, TY_HOOK_WANTED, TY_HOOK_POST_START, TY_HOOK_PRE_STOP };
enum ty_exit_reason {
    TY_EXIT_REASON_COMPLETED,
    TY_EXIT_REASON_ERROR,
    TY_EXIT_REASON_OOM,
    TY_EXIT_REASON_START_ERROR
};
enum ty_pod_condition {
    TY_COND_SANDBOX, /* PodReadyToStartContainers */
    TY_COND_INITIALIZED,
    TY_COND_READY,
    TY_COND_CONTAINERS_READY,
    TY_COND_SCHEDULED,
    TY_CONDITIONS,
};

struct ty_container_exit { /* how one run of a container ended */
    int64_t started_ms, ended_ms;
    char *message; /* heap; NULL none */
    int code;
    bool set;
    uint8_t why; /* enum ty_exit_reason */
};
struct ty_probe_state {
    int64_t next_ms;
    int32_t run; /* equal results in a row */
    bool ok;     /* what they were */
    bool asked;  /* an answer is on its way */
    bool passed; /* what counts, after the thresholds */
};
struct ty_container_state {
    uint8_t life, kill, hook; /* enum ty_container_phase, ty_kill_phase, ty_hook_phase */
    bool started;             /* running, postStart done, startup probe passed */
    bool again;               /* ended, and will be started again at retry_ms */
    bool revive;              /* killed by a probe: start again whatever the exit code */
    bool no_hook;             /* killed without preStop */
    int restarts;
    int back_off_s, next_back_off_s; /* in force; for the next failure */
    int64_t started_ms, retry_ms, kill_ms;
    struct ty_container_exit end, last; /* last: of the run before */
    struct ty_probe_state probe[3];
};
struct ty_lifecycle_event { /* an event to send */
    struct ty_lifecycle_event *next;
    const char *type, *reason;
    size_t c;
    char text[];
};
struct ty_pod_lifecycle {
    const struct ty_pod_plan *plan;
    const char *hold; /* why it does not fit; NULL it does */
    int64_t start_ms; /* 0: gated or held */
    int64_t since_ms[TY_CONDITIONS];
    struct ty_lifecycle_event *pending_events, **pending_events_end, *sent_events;
    size_t init_next; /* init containers before this one are done (or, sidecars, started) */
    uint8_t phase, stop,
        conditions; /* enum ty_pod_phase, ty_pod_stop_reason; bits of ty_pod_condition */
    bool gated;
    bool initialized; /* once: a reset does not take it back */
    bool at_once;     /* SIGKILL without waiting */
    bool dirty, over_sent;
    struct ty_container_state c[];
};

#define TY_MIN_GRACE_MS 2000 /* what SIGTERM gets at least */

static inline bool ty_pod_lifecycle_container_alive(const struct ty_container_state *c)
{
    return c->life == TY_CONTAINER_STARTING || c->life == TY_CONTAINER_RUNNING;
}
/* A terminal phase waits for the last process. */
static inline bool ty_pod_lifecycle_terminal(const struct ty_pod_lifecycle *r)
{
    return r->phase == TY_SUCCEEDED || r->phase == TY_FAILED;
}
static inline bool ty_pod_lifecycle_blocked(const struct ty_pod_lifecycle *r)
{
    return r->gated || r->hold;
}
size_t ty_pod_lifecycle_count_alive(const struct ty_pod_lifecycle *r);

/* NULL: no room, the next step does it. */
struct ty_pod_action *ty_pod_lifecycle_add_action(struct ty_pod_actions *ret,
                                                  enum ty_pod_action_kind kind, size_t c, int n);
/* `type` and `reason` are literals. */
void ty_pod_lifecycle_add_event(struct ty_pod_lifecycle *r, size_t c, const char *type,
                                const char *reason, const char *fmt, ...) TY_PRINTF(5, 6);

/* ---- pod_lifecycle_start.c ---- */
void ty_pod_lifecycle_start_due(struct ty_pod_lifecycle *r, int64_t now_ms,
                                struct ty_pod_actions *ret);
/* The process runs (and its postStart hook is done). */
void ty_pod_lifecycle_container_started(struct ty_pod_lifecycle *r, size_t i);
/* It ended: what follows for it and for the pod. Takes nothing. */
void ty_pod_lifecycle_container_ended(struct ty_pod_lifecycle *r, size_t i, int code,
                                      enum ty_exit_reason why, const char *message, int64_t now_ms);
/* Its own or the pod's restartPolicy: 'A', 'O', 'N'. */
char ty_pod_lifecycle_restart_policy(const struct ty_pod_lifecycle *r, size_t i);
/* Back to the first init container, once nothing is alive. */
void ty_pod_lifecycle_reset(struct ty_pod_lifecycle *r);

/* ---- pod_lifecycle_stop.c ---- */
void ty_pod_lifecycle_stop_containers(struct ty_pod_lifecycle *r, enum ty_pod_stop_reason why,
                                      int64_t grace_s, int64_t now_ms);
/* Ends one container; grace 0: without preStop, and the least time for SIGTERM. */
void ty_pod_lifecycle_kill_container(struct ty_pod_lifecycle *r, size_t i, int64_t grace_s,
                                     int64_t now_ms);
void ty_pod_lifecycle_advance_kills(struct ty_pod_lifecycle *r, int64_t now_ms,
                                    struct ty_pod_actions *ret);

/* ---- pod_lifecycle_probe.c ---- */
void ty_pod_lifecycle_probe_due(struct ty_pod_lifecycle *r, int64_t now_ms,
                                struct ty_pod_actions *ret);
/* A new process: forget, schedule. */
void ty_pod_lifecycle_reset_probes(struct ty_pod_lifecycle *r, size_t i);
/* Is this probe to be run now or later? */
bool ty_pod_lifecycle_probe_enabled(const struct ty_pod_lifecycle *r, size_t i,
                                    enum ty_probe_use use);

/* ---- pod_lifecycle_status.c ---- */
/* One container. */
bool ty_pod_lifecycle_container_ready(const struct ty_pod_lifecycle *r, size_t i);
/* Phase and conditions from the containers; sets dirty when something changed. */
void ty_pod_lifecycle_update(struct ty_pod_lifecycle *r, int64_t now_ms);

#endif
