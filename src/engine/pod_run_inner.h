/* The state of a running pod, shared by the files of pod_run; nobody else includes this. */
#ifndef TY_ENGINE_POD_RUN_INNER_H
#define TY_ENGINE_POD_RUN_INNER_H

#include "engine/pod_run.h"

/*  WAITING ──start──> STARTING ──started──> RUNNING ──exited──> ENDED
 *                        │  └──start failed──────────────────────^ │
 *                        ^────────start again, when it is due──────┘ */
enum ty_life { TY_LIFE_WAITING, TY_LIFE_STARTING, TY_LIFE_RUNNING, TY_LIFE_ENDED };

/*  NOT ─> ASKED ─> HOOK (preStop runs) ─> TURN (a sidecar lets others go first) ─> TERM ─> KILL */
enum ty_kill { TY_KILL_NOT, TY_KILL_ASKED, TY_KILL_HOOK, TY_KILL_TURN, TY_KILL_TERM, TY_KILL_KILL };

/* WANTED: postStart is to be asked for; the others are on their way. */
enum ty_hooking { TY_HOOK_NONE, TY_HOOK_WANTED, TY_HOOK_POST_START, TY_HOOK_PRE_STOP };
enum ty_ending { TY_END_COMPLETED, TY_END_ERROR, TY_END_OOM, TY_END_START_ERROR };
enum ty_condition {
    TY_COND_SANDBOX, /* PodReadyToStartContainers */
    TY_COND_INITIALIZED,
    TY_COND_READY,
    TY_COND_CONTAINERS_READY,
    TY_COND_SCHEDULED,
    TY_CONDITIONS,
};

struct ty_end { /* how one run of a container ended */
    int64_t started_ms, ended_ms;
    char *message; /* heap; NULL none */
    int code;
    bool set;
    uint8_t why; /* enum ty_ending */
};
struct ty_probing {
    int64_t next_ms;
    int32_t run; /* equal results in a row */
    bool ok;     /* what they were */
    bool asked;  /* an answer is on its way */
    bool passed; /* what counts, after the thresholds */
};
struct ty_crun {
    uint8_t life, kill, hook; /* enum ty_life, ty_kill, ty_hooking */
    bool started;             /* running, postStart done, startup probe passed */
    bool again;               /* ended, and will be started again at retry_ms */
    bool revive;              /* killed by a probe: start again whatever the exit code */
    bool no_hook;             /* killed without preStop */
    int restarts;
    int back_off_s, next_back_off_s; /* in force; for the next failure */
    int64_t started_ms, retry_ms, kill_ms;
    struct ty_end end, last; /* last: of the run before */
    struct ty_probing probe[3];
};
struct ty_note { /* an event to tell */
    struct ty_note *next;
    const char *type, *reason;
    size_t c;
    char text[];
};
struct ty_pod_run {
    const struct ty_pod_plan *plan;
    const char *hold; /* why it does not fit; NULL it does */
    int64_t start_ms; /* 0: gated or held */
    int64_t since_ms[TY_CONDITIONS];
    struct ty_note *notes, **notes_end, *told;
    size_t init_next; /* init containers before this one are done (or, sidecars, started) */
    uint8_t phase, stop, conditions; /* enum ty_phase, ty_stop; bits of ty_condition */
    bool gated;
    bool initialized; /* once: a reset does not take it back */
    bool at_once;     /* SIGKILL without waiting */
    bool dirty, over_told;
    struct ty_crun c[];
};

#define TY_MIN_GRACE_MS 2000 /* what SIGTERM gets at least */

static inline bool ty_run_alive(const struct ty_crun *c)
{
    return c->life == TY_LIFE_STARTING || c->life == TY_LIFE_RUNNING;
}
static inline bool ty_run_terminal(const struct ty_pod_run *r)
{
    return r->phase == TY_SUCCEEDED || r->phase == TY_FAILED;
}
static inline bool ty_run_blocked(const struct ty_pod_run *r)
{
    return r->gated || r->hold;
}
size_t ty_run_count_alive(const struct ty_pod_run *r);

/* NULL: no room, the next step does it. */
struct ty_deed *ty_run_deed(struct ty_deeds *ret, enum ty_deed_kind kind, size_t c, int n);
/* `type` and `reason` are literals. */
void ty_pod_run_note(struct ty_pod_run *r, size_t c, const char *type, const char *reason,
                     const char *fmt, ...) TY_PRINTF(5, 6);

/* ---- pod_run_start.c ---- */
void ty_run_starts(struct ty_pod_run *r, int64_t now_ms, struct ty_deeds *ret);
/* The process runs (and its postStart hook is done). */
void ty_run_begun(struct ty_pod_run *r, size_t i);
/* It ended: what follows for it and for the pod. Takes nothing. */
void ty_run_ended(struct ty_pod_run *r, size_t i, int code, enum ty_ending why, const char *message,
                  int64_t now_ms);
/* Its own or the pod's restartPolicy: 'A', 'O', 'N'. */
char ty_run_policy(const struct ty_pod_run *r, size_t i);
/* Back to the first init container, once nothing is alive. */
void ty_run_reset(struct ty_pod_run *r);

/* ---- pod_run_stop.c ---- */
void ty_run_stop(struct ty_pod_run *r, enum ty_stop why, int64_t grace_s, int64_t now_ms);
/* Ends one container; grace 0: without preStop, and the least time for SIGTERM. */
void ty_run_doom(struct ty_pod_run *r, size_t i, int64_t grace_s, int64_t now_ms);
void ty_run_kills(struct ty_pod_run *r, int64_t now_ms, struct ty_deeds *ret);

/* ---- pod_run_probe.c ---- */
void ty_run_probes(struct ty_pod_run *r, int64_t now_ms, struct ty_deeds *ret);
void ty_run_probes_begin(struct ty_pod_run *r, size_t i); /* a new process: forget, schedule */
/* Is this probe to be run now or later? */
bool ty_run_probing(const struct ty_pod_run *r, size_t i, enum ty_probe_use use);

/* ---- pod_run_status.c ---- */
bool ty_run_ready(const struct ty_pod_run *r, size_t i); /* one container */
/* Phase and conditions from the containers; sets dirty when something changed. */
void ty_run_update(struct ty_pod_run *r, int64_t now_ms);

#endif
