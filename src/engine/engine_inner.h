/* What the files of the engine share. */
#ifndef TY_ENGINE_ENGINE_INNER_H
#define TY_ENGINE_ENGINE_INNER_H

#include "base/map.h"
#include "engine/engine.h"
#include "engine/job/job.h"
#include "engine/pod/pod_lifecycle.h"
#include "engine/rsh.h"
#include "proc/cgroup.h"
#include "store/local/local.h"

/* Addresses, names and the master port of one JobSet. */
struct ty_jobset_net {
    char *uid;               /* of the JobSet */
    char *hosts;             /* path of its /etc/hosts */
    char *domain;            /* "<subdomain>.<namespace>.svc.cluster.local" */
    struct ty_map addresses; /* host name -> char * address */
    int master_port;
    int port_lock; /* fd that keeps the port ours among runs; -1 none */
};

/* Where a stream of a container goes. */
struct ty_container_log {
    struct ty_pod_runtime *pod;
    size_t c;
    int fd, file; /* pipe; log file */
    int64_t size; /* of the file */
    uv_poll_t poll;
    bool full;      /* the file cannot be written to: said once */
    bool rotated;   /* that is told once, too */
    bool ends_line; /* the last byte in the file ends a line */
    char *part;     /* the unfinished last line */
    size_t part_n;
    int attempt;
    bool exited; /* news of the end waits until the pipe is read empty */
    int wstatus;
};

/* A probe or hook under way. */
struct ty_probe_run;
struct ty_rsh_command; /* a command that another pod asked for */

/* A pod that runs or is about to. */
struct ty_pod_runtime {
    struct ty_engine *e;
    struct ty_arena *arena; /* holds the plan, and all that is pointed to below */
    char *ns, *name, *uid;
    char *job; /* the TrainJob, and its JobSet: they have one name */
    const char *host, *rjob, *address;
    int64_t index, attempt;
    struct ty_pod_plan plan;
    struct ty_pod_lifecycle *run;
    struct ty_shim *shim;
    uv_poll_t poll;
    uv_timer_t timer;
    int handles;                    /* of ours that libuv still has */
    struct ty_container_log **logs; /* per container, or NULL */
    int *attempts;                  /* per container: starts so far */
    bool *by_us;                    /* per container: we told it to end */
    int64_t *began_ms;              /* per container: its last start; 0 none */
    bool trainer;                   /* its progress is the job's */
    struct ty_progress *progress;   /* lives with the arena; NULL: nothing was said */
    struct ty_probe_run *checks;
    char *dir;                  /* its scratch folder */
    struct ty_gpu_claim *claim; /* NULL: it asks for no devices, or is over */
    uint64_t gpu_mask;          /* devices it holds */
    bool waiting, held;         /* for devices; and its status says so */
    bool over;
    struct ty_pod_runtime *next;
};

struct ty_delayed_key {
    char *key;
    int64_t at_ms;
    struct ty_delayed_key *next;
};

/* For arenas that hold one object of the store and what is made of it: its text has at most
 * TY_OBJECT_MAX bytes, its tree 24 for each of them. */
#define TY_OBJECT_CEILING  ((size_t)2 << 30)
#define TY_OBJECT_MAX      ((size_t)3 << 20) /* as much as an API server takes in one request */
#define TY_LOG_CHUNK       65536
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

/* engine_reconcile.c: one pass for one object. */
void ty_engine_reconcile(struct ty_engine *e, const struct ty_kind *kind, struct ty_str ns,
                         struct ty_str name);
struct ty_trainjob_reconcile;
/* What a TrainJob wants now; nothing is written. -EIO: there are no random bytes. */
int ty_engine_desired(struct ty_engine *e, const struct ty_json *job,
                      struct ty_trainjob_reconcile *ret, struct ty_err *err);
/* host.c: the machine as the pods of a TrainJob see it, with their token; lives with the arena. */
const struct ty_host *ty_host_for_job(struct ty_engine *e, struct ty_arena *a, struct ty_str ns,
                                      struct ty_str job);
/* pod_summary_cache.c: pods as their Job sees them, read once per version. */
const struct ty_pod_summary *ty_pod_summary_cache_get(struct ty_engine *e,
                                                      const struct ty_stored *pod);
void ty_pod_summary_cache_drop(struct ty_engine *e, const char *uid);
void ty_pod_summary_cache_done(struct ty_engine *e);

/* job_report.c: what is known of a TrainJob beside its object. */
/* Adds to the news what its log says. */
void ty_job_report_container_ended(struct ty_pod_runtime *p, size_t c, int wstatus,
                                   struct ty_pod_update *news);
void ty_job_report_start_failed(struct ty_pod_runtime *p, const char *container, const char *why);
void ty_job_report_line(struct ty_pod_runtime *p, struct ty_str line); /* progress in it */
/* A JobSet that fails says why: the failure summary is put after its own words. obj: with the new
 * status.
 */
void ty_job_report_amend_status(struct ty_engine *e, struct ty_json *obj);
/* The trainerStatus that is to be written for a TrainJob, or NULL; then it counts as written. */
struct ty_json *ty_job_report_trainer_status(struct ty_engine *e, const char *job,
                                             struct ty_arena *a);
void ty_job_report_done(struct ty_engine *e);

/* pods.c */
/* Writes a pod's status to the store. */
void ty_pods_put_status(struct ty_pod_runtime *p, struct ty_arena *a, struct ty_json *status);
void ty_pods_sync(struct ty_engine *e, const struct ty_stored *pod); /* added or changed */
void ty_pods_stop_all(struct ty_engine *e, bool at_once);
void ty_pods_on_shim(uv_poll_t *poll, int status, int events);
void ty_pods_advance(struct ty_pod_runtime *p); /* carries out what the run wants now */
void ty_pods_exited(struct ty_pod_runtime *p, size_t c, int wstatus);
struct ty_pod_runtime *ty_pods_by_host(struct ty_engine *e, struct ty_str host);
void ty_pods_free(struct ty_pod_runtime *p);
/* One more process of a container: its environment, devices and folder, nothing to read from or
 * write to. Lives with the arena and the pod. */
struct ty_process_spec ty_pods_exec_start(struct ty_arena *a, const struct ty_pod_runtime *p,
                                          const struct ty_container_plan *c, uint32_t id,
                                          const char *const *argv);

/* container_log.c: NULL if no pipe or no file can be made; *ret_fd is the end for the process. */
struct ty_container_log *ty_container_log_new(struct ty_pod_runtime *p, size_t c, int attempt,
                                              int *ret_fd, struct ty_err *err);
/* The process ended: reads what is left, then tells the pod. */
void ty_container_log_exited(struct ty_container_log *u, int wstatus);
void ty_container_log_close(struct ty_container_log *u); /* frees it when libuv is done with it */
struct ty_str ty_container_log_tail(struct ty_arena *a, const struct ty_pod_runtime *p, size_t c,
                                    size_t max_bytes, size_t max_lines);

/* net.c */
struct ty_jobset_net *ty_net_get(struct ty_engine *e, const struct ty_json *jobset,
                                 struct ty_err *err);
void ty_net_free(struct ty_jobset_net *n);
const char *ty_net_lookup(void *ctx, struct ty_str host);

/* pod_files.c: the pod's folder, volumes and binds. */
struct ty_bind_mount *ty_pod_files_create(struct ty_arena *a, struct ty_pod_runtime *p,
                                          const char *hosts, struct ty_err *err);
struct ty_bind_mount *ty_pod_files_binds(struct ty_arena *a, struct ty_pod_runtime *p, size_t c,
                                         struct ty_err *err);
void ty_pod_files_remove(struct ty_pod_runtime *p);
char *ty_pod_files_termination_message(struct ty_arena *a, const struct ty_pod_runtime *p,
                                       size_t c); /* or NULL */

/* pod_probes.c: probes and hooks; the answers go to the pod's life. */
void ty_pod_probes_run(struct ty_pod_runtime *p, size_t c, enum ty_probe_use use);
void ty_pod_probes_run_hook(struct ty_pod_runtime *p, size_t c, bool post_start);
bool ty_pod_probes_on_shim_event(struct ty_pod_runtime *p,
                                 const struct ty_shim_event *n); /* true: it was a check's */
void ty_pod_probes_close(struct ty_pod_runtime *p);

/* gpus.c: devices, for job after job. */
/* The pod begins when ty_gpus_schedule says so, if p->waiting is set. -ENOTSUP: it never fits. */
int ty_gpus_request(struct ty_pod_runtime *p, const struct ty_json *jobset, struct ty_err *err);
void ty_gpus_release(struct ty_pod_runtime *p); /* the pod is over */
void ty_gpus_schedule(struct ty_engine *e);     /* lets pods begin; not from the turn of a pod */
/* "0,2": what container `c` has of the pod's devices. */
void ty_gpus_print(struct ty_buf *out, const struct ty_pod_runtime *p, size_t c);
void ty_gpus_done(struct ty_engine *e);

/* limits.c: cgroups of containers, where the machine has them for us. */
void ty_limits_open(struct ty_engine *e); /* also says in e->o.host what is enforced */
void ty_limits_close(struct ty_engine *e);
/* The container's cgroup, made anew: *ret_fd for ty_process_spec.cgroup, 0 if there is none. */
int ty_limits_begin(const struct ty_pod_runtime *p, size_t c, int *ret_fd, struct ty_err *err);
/* The same for one more process of a container that runs: a probe, a remote command. */
int ty_limits_join(const struct ty_pod_runtime *p, size_t c);
/* The container ended: did the kernel kill for memory? Its cgroup goes. */
bool ty_limits_end(const struct ty_pod_runtime *p, size_t c);

/* rsh.c */
int ty_rsh_listen(struct ty_engine *e, struct ty_err *err);
void ty_rsh_pod_started(
    struct ty_pod_runtime *p); /* it has its devices: starts what waited for that */
void ty_rsh_pod_ended(
    struct ty_pod_runtime *p); /* answers whoever still waits for a command in it */
bool ty_rsh_on_shim_event(struct ty_pod_runtime *p, const struct ty_shim_event *n);
void ty_rsh_close(struct ty_engine *e);

#endif
