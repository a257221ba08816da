/* struct ty_engine, for the files of the engine: each part is defined and owned by its module. */
#ifndef TY_ENGINE_ENGINE_INNER_H
#define TY_ENGINE_ENGINE_INNER_H

#include "base/map.h"
#include "engine/engine.h"
#include "store/local/local.h"

struct ty_http_client;

struct ty_delayed_key {
    char *key;
    int64_t at_ms;
    struct ty_delayed_key *next;
};

/* For arenas that hold one object of the store and what is made of it: its text has at most
 * TY_OBJECT_MAX bytes, its tree 24 for each of them. */
#define TY_OBJECT_CEILING  ((size_t)2 << 30)
#define TY_OBJECT_MAX      ((size_t)3 << 20) /* as much as an API server takes in one request */
#define TY_PROCESS_CEILING TY_OBJECT_CEILING /* of what a process is started with */

struct ty_engine {
    struct ty_engine_opts o;
    struct ty_local *store;
    struct ty_cgroups *cgroups; /* NULL: none */
    struct ty_view view;
    struct ty_arena *pass;    /* reset for each pass */
    struct ty_arena *scratch; /* reset for each object: never hold on to what is in it */
    struct ty_arena *lasting; /* lives with the engine */
    const char *const *env;   /* of every container; lives with `lasting` */
    size_t plan_size;         /* of the last pod: the next one is much like it */
    struct ty_map queued;     /* key -> itself: what must be looked at */
    char **queue;
    size_t queue_at, queue_n, queue_cap;
    uv_prepare_t prepare;
    uv_idle_t idle;
    uv_timer_t due_timer;
    struct ty_delayed_key *due;
    struct ty_map pods;          /* uid -> ty_pod_runtime */
    struct ty_map nets;          /* JobSet uid -> ty_jobset_net */
    struct ty_map pod_summaries; /* pod uid -> struct ty_pod_summary_entry */
    struct ty_map job_reports;   /* TrainJob -> struct ty_job_report */
    struct ty_pod_runtime *all;
    unsigned next_address;
    struct ty_gpu_claim *claims; /* in the order in which jobs first asked for devices */
    bool admit;                  /* pods that wait for devices may fit now */
    uint64_t gpus_used, seed;
    size_t n_pods_live;
    char *chunk;          /* TY_LOG_CHUNK bytes of scratch for reading logs */
    int64_t wall_base_ms; /* wall clock minus monotonic, at the start */
    bool stopping;
    char why[128]; /* it stops */
    int handles;
    uint32_t next_probe, next_remote;
    struct ty_rsh_command *remotes;
    struct ty_http_client *web; /* of HTTPS probes; NULL until the first */
    int rsh_fd;
    uv_poll_t rsh_poll;
    char *rsh_path;
};

int64_t ty_engine_wall_ms(void);
int64_t ty_engine_now_ms(const struct ty_engine *e); /* since 1970, but never goes back */
void ty_engine_enqueue(struct ty_engine *e, const struct ty_kind *kind, const char *ns,
                       const char *name);
void ty_engine_enqueue_after(struct ty_engine *e, const struct ty_kind *kind, const char *ns,
                             const char *name, int64_t ms);
void ty_engine_event(struct ty_engine *e, const struct ty_kind *kind, const char *name,
                     const char *type, const char *reason, const char *message);

#endif
