/* The pods that run or are about to, and the processes behind them. */
#ifndef TY_ENGINE_POD_PODS_H
#define TY_ENGINE_POD_PODS_H

#include <uv.h>

#include "base/map.h"
#include "engine/pod/pod_lifecycle.h"
#include "engine/pod/pod_plan.h"
#include "proc/shim.h"

struct ty_engine;
struct ty_log_arrivals;
struct ty_stored;
struct ty_mount_point_hold;
struct ty_probe_run;

/* A pod that runs or is about to. */
struct ty_pod_runtime {
    struct ty_engine *e;
    struct ty_arena *arena; /* of the plan and of the strings below */
    char *ns, *name, *uid;
    char *job; /* the TrainJob, and its JobSet: they have one name */
    const char *host, *rjob, *address;
    int64_t index, attempt;
    struct ty_pod_plan plan;
    struct ty_pod_lifecycle *run;
    struct ty_shim *shim;
    uv_poll_t poll;
    uv_timer_t timer;
    int handles;                       /* of ours that libuv still has */
    struct ty_container_log **logs;    /* per container, or NULL */
    int *attempts;                     /* per container: starts so far */
    bool *by_us;                       /* per container: the engine stopped it */
    int64_t *stop_ms;                  /* per container: when it was told to end; 0: not */
    struct ty_log_arrivals **arrivals; /* per container, of its last run; NULL: it wrote nothing */
    const char **log_faults;           /* per container: why its log is cut off; NULL: it is not */
    int64_t *began_ms;                 /* per container: its last start; 0 none */
    bool trainer;                      /* its progress is the job's */
    struct ty_progress *progress;      /* lives with the arena; NULL: no line reported any */
    struct ty_probe_run *checks;
    char *dir;                                /* its scratch folder */
    struct ty_mount_point_hold *mount_points; /* that it uses on the host */
    struct ty_gpu_claim *claim;               /* NULL: it asks for no devices, or is over */
    uint64_t gpu_mask;                        /* devices it holds */
    bool waiting, held;                       /* for devices; and its status says so */
    bool over;
    struct ty_pod_runtime *next;
};

struct ty_pods {
    struct ty_map by_uid;         /* -> struct ty_pod_runtime */
    struct ty_pod_runtime *first; /* the newest */
    size_t n_live;                /* pods that are not over */
    const char *const *env;       /* of every container; NULL until the first pod */
    size_t plan_size;             /* bytes of the last pod's plan: the next one is about as large */
};

/* Writes a pod's status to the store. */
void ty_pods_put_status(struct ty_pod_runtime *p, struct ty_arena *a, struct ty_json *status);
void ty_pods_sync(struct ty_engine *e, const struct ty_stored *pod); /* added or changed */
void ty_pods_stop_all(struct ty_engine *e, bool at_once);
void ty_pods_on_shim(uv_poll_t *poll, int status, int events);
/* Executes the actions that the lifecycle returns. */
void ty_pods_advance(struct ty_pod_runtime *p);
void ty_pods_exited(struct ty_pod_runtime *p, size_t c, int wstatus);
struct ty_pod_runtime *ty_pods_by_host(struct ty_engine *e, struct ty_str host);
void ty_pods_free(struct ty_pod_runtime *p);
void ty_pods_done(struct ty_engine *e); /* frees all of them */
int ty_pods_start_container(struct ty_pod_runtime *p, size_t c, struct ty_err *err);
/* One more process of a container: its environment, devices and folder, nothing to read from or
 * write to. Lives with the arena and the pod. */
struct ty_process_spec ty_pods_exec_start(struct ty_arena *a, const struct ty_pod_runtime *p,
                                          const struct ty_container_plan *c, uint32_t id,
                                          const char *const *argv);

#endif
