/* struct ty_engine, for the files of the engine: each part is defined and owned by its module. */
#ifndef TY_ENGINE_ENGINE_INNER_H
#define TY_ENGINE_ENGINE_INNER_H

#include "base/map.h"
#include "engine/engine.h"
#include "engine/job/job_report.h"
#include "engine/mount_points.h"
#include "engine/net.h"
#include "engine/pod/gpus.h"
#include "engine/pod/limits.h"
#include "engine/pod/pod_probes.h"
#include "engine/pod/pod_summary_cache.h"
#include "engine/pod/pods.h"
#include "engine/rsh.h"
#include "proc/tree_remover.h"
#include "store/local/local.h"
#include "workqueue/queue.h"

/* For arenas that hold one object of the store and what is made of it: its text has at most
 * TY_OBJECT_MAX bytes, its tree 24 for each of them. */
#define TY_OBJECT_CEILING  ((size_t)2 << 30)
#define TY_OBJECT_MAX      ((size_t)3 << 20) /* as much as an API server takes in one request */
#define TY_PROCESS_CEILING TY_OBJECT_CEILING /* of what a process is started with */

/* A TrainJob that is neither Complete nor Failed. */
struct ty_unfinished_job {
    struct ty_mount_point_hold *claims; /* that its pods have used */
};

struct ty_engine {
    struct ty_engine_opts o;
    struct ty_local *store;
    struct ty_view view;      /* of the store */
    struct ty_map unfinished; /* uid of a TrainJob -> struct ty_unfinished_job */
    struct ty_arena *pass;    /* reset for each reconcile and submit */
    struct ty_arena *scratch; /* reset for each object: keep no pointers into it */
    struct ty_arena *lasting; /* lives with the engine */
    struct ty_queue *queue;   /* engine_reconcile.c: of objects to reconcile */
    struct ty_pods pods;
    struct ty_gpus gpus;
    struct ty_limits limits;
    struct ty_mount_points mount_points;
    struct ty_tree_remover remover; /* of the directories of ended pods */
    struct ty_net net;
    struct ty_rsh rsh;
    struct ty_pod_probes probes;
    struct ty_pod_summary_cache pod_summaries;
    struct ty_job_reports job_reports;
    char *log_chunk; /* TY_LOG_CHUNK bytes: buffer for reading container output */
    uv_prepare_t prepare;
    uv_idle_t idle;
    int handles;          /* of these two and gpus.retry, that libuv has not closed yet */
    int64_t wall_base_ms; /* wall clock minus loop time, at the start */
    uint64_t seed;        /* for the random part of pod names */
    bool stopping;
    bool logs_held; /* see ty_engine_hold_logs */
    char why[128];  /* the reason for stopping */
};

/* Calls this member of every observer that has it. */
#define ty_engine_notify(e, member, ...)                                                           \
    do {                                                                                           \
        const struct ty_engine_observer *const *at_ = (e)->o.observers;                            \
        for (size_t i_ = 0; i_ < TY_COUNT((e)->o.observers) && at_[i_]; i_++)                      \
            if (at_[i_]->member)                                                                   \
                at_[i_]->member(at_[i_]->ctx, __VA_ARGS__);                                        \
    } while (0)

int64_t ty_engine_wall_ms(void);
int64_t ty_engine_now_ms(const struct ty_engine *e); /* since 1970, but never goes back */
void ty_engine_event(struct ty_engine *e, const struct ty_kind *kind, const char *name,
                     const char *type, const char *reason, const char *message);

#endif
