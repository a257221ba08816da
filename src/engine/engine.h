/* clang-format off */
/* The local engine: an embedded store, the passes over it, and processes, on one libuv loop.
 *
 *   submit --> store --watch--> queue --> TrainJob pass > JobSet pass > Job pass > pods --> shims
 *                ^                                                                 | logs, exits
 *                +-------------------------- statuses, events <--------------------+
 *
 * A run's folder holds what outlives it: DIR/logs/POD/CONTAINER.ATTEMPT.log. */
/* clang-format on */
#ifndef TY_ENGINE_ENGINE_H
#define TY_ENGINE_ENGINE_H

#include <uv.h>

#include "api/kind.h"
#include "engine/host.h"
#include "engine/jobset/jobset_restarts.h"
#include "engine/pod/pod_summary.h"
#include "engine/preflight/preflight.h"
#include "proc/zygote.h"
#include "report/failure_summary.h"
#include "report/progress.h"
#include "trainer/pipeline.h"

struct ty_engine;
struct ty_local;

/* A pod's state for observers. All pointers are borrowed for the call. */
struct ty_pod_update {
    const char *job;  /* TrainJob */
    const char *pod;  /* host name: "<js>-<rj>-<ji>-<pi>" */
    const char *rjob; /* "node", "launcher", "dataset-initializer" */
    int64_t index;    /* completion index, -1 none */
    int64_t attempt;  /* JobSet restarts so far */
    enum ty_pod_phase phase;
    bool ready, stopping;
    const char *container; /* the container that this update is about, or NULL */
    int restarts;          /* of that container */
    int exit_code;         /* when it ended; -1 still runs or did not start */
    int exit_signal;       /* 0: none */
    const char
        *reason; /* "Completed", "Error", "StartError", "OOMKilled", "CrashLoopBackOff"; or NULL */
    const char *message; /* or NULL */
    const char *error;   /* the last line of the traceback it left in its log; or NULL */
    bool restarts_again; /* it ended, and is started again in restart_ms */
    int64_t restart_ms;
    int64_t restart,
        restart_limit; /* which restart of how many before the Job fails; 0: no limit */
    bool by_us;        /* it ended because the engine stopped it */
    int64_t stop_ms;   /* when the engine told it to end, wall clock; 0: it did not */
    bool sidecar;      /* its end says nothing about the node's */
    int64_t time_ms;   /* wall clock */
};
struct ty_engine_observer {
    void *ctx;
    void (*pod)(void *ctx, const struct ty_pod_update *news);
    /* One line without its newline, or a piece of up to 64 KiB of a longer one. */
    void (*line)(void *ctx, const char *job, const char *pod, const char *container,
                 struct ty_str text, int64_t time_ms);
    void (*event)(void *ctx, const struct ty_kind *kind, const char *name, const char *type,
                  const char *reason, const char *message, int64_t time_ms);
    /* A log line reported progress; `now` merges it with the lines before. */
    void (*progress)(void *ctx, const char *job, const char *pod, const struct ty_progress *now,
                     int64_t time_ms);
    /* The TrainJob's conditions, jobsStatus or trainerStatus changed. */
    void (*job)(void *ctx, const char *job, const struct ty_json *trainjob, int64_t time_ms);
};

struct ty_engine_opts {
    uv_loop_t *loop;
    struct ty_zygote *zygote;
    const struct ty_pipeline *pipeline;
    const struct ty_settings *settings;
    const char *dir;        /* the run's folder; exists */
    const char *claims_dir; /* where PVCs live; they stay */
    const char *program;    /* our own binary: stands in for initializer images, and for ssh */
    const char *workdir; /* default working directory of containers; NULL: the pod's own folder */
    const char *const *env; /* more variables for every container, "NAME=value"; may be NULL */
    struct ty_host host;    /* see ty_host_find */
    const char *gpu_locks;  /* directory of locks on the host's GPUs; NULL: they are not locked */
    bool keep;              /* the pods' folders stay, in DIR/pods */
    enum ty_restarts restarts;
    bool pod_network; /* pods have network namespaces: the zygote's (proc/netns.h) */
    bool uplink;      /* and can reach what is outside of them */
    /* What the processes of a TrainJob prove themselves with to the status API, which the settings
     * must name; lives with the arena. NULL: there is no such API here. */
    const char *(*token)(void *ctx, struct ty_arena *a, struct ty_str ns, struct ty_str job);
    void *token_ctx;
    int64_t log_max;    /* bytes of a log file before the next one begins; 0: 128 MiB */
    const char *cgroup; /* folder of cgroup v2 for our own; NULL: it is looked for; "": none */
    const struct ty_engine_observer *observers[4]; /* NULL-terminated within the array */
};

int ty_engine_new(const struct ty_engine_opts *opts, struct ty_engine **ret, struct ty_err *err);
/* Stores every object that is not a TrainJob (runtimes, ConfigMaps, Secrets …), then the TrainJobs.
 * The caller has admitted them. The preflight check runs first: -ENOTSUP if this machine cannot run
 * something, with all reasons in *ret_findings. */
int ty_engine_submit(struct ty_engine *e, const struct ty_json *const *objs, size_t n,
                     struct ty_preflight_findings *ret_findings, struct ty_err *err);
/* All TrainJobs have ended (Complete or Failed) and nothing of theirs runs. */
bool ty_engine_done(const struct ty_engine *e);
/* Stops all pods: SIGTERM and grace period, or SIGKILL at once. The first call sends an event
 * "Stopped" with `why` for each unfinished TrainJob. */
void ty_engine_stop(struct ty_engine *e, bool at_once, const char *why);
const char *ty_engine_stopped(const struct ty_engine *e); /* that `why`; NULL: not stopped */
/* Who is to blame for the failure of a TrainJob, or NULL if nothing ended yet. Lives until the next
 * iteration of the loop. */
const struct ty_failure_summary *ty_engine_failure_summary(struct ty_engine *e, const char *job);
/* The TrainJob reported its progress through the status API. The next pass writes it to
 * status.trainerStatus; from now on progress in log lines is ignored. */
void ty_engine_progress(struct ty_engine *e, const char *ns, const char *job,
                        const struct ty_json *trainer_status);
/* Suspends or resumes a TrainJob. */
int ty_engine_suspend(struct ty_engine *e, const char *job, bool suspend, struct ty_err *err);
/* Deletes a TrainJob: its pods get their grace period, other TrainJobs are not affected. */
int ty_engine_delete(struct ty_engine *e, const char *job, struct ty_err *err);
/* Stops or continues reading the containers' output. A container whose pipe is full waits, as for
 * any slow reader; one that ends is read to its end. */
void ty_engine_hold_logs(struct ty_engine *e, bool hold);
struct ty_local *ty_engine_store(struct ty_engine *e);
/* After the loop, which must run once more before it is closed; NULL is fine. */
void ty_engine_free(struct ty_engine *e);

#endif
