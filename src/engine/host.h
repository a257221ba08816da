/* The machine that the engine runs on: IDs, CPUs, memory, GPUs. */
#ifndef TY_ENGINE_HOST_H
#define TY_ENGINE_HOST_H

#include "base/arena.h"
#include "base/str.h"

struct ty_engine;
struct ty_json;
struct ty_zygote;

/* The machine, as detected or configured. */
struct ty_host {
    int uid, gid;              /* of this process */
    bool root, mounts, pid_ns; /* may change ids; private mounts work; pid namespaces work */
    int64_t cpus, memory;      /* bytes */
    const char *const
        *gpus;            /* device indexes as NVIDIA/ROCm name them ("0", "1"); NULL-terminated */
    const char *gpus_bad; /* what is wrong with TRAINYARD_GPUS, in words; NULL: nothing */
    const char *gpu_var;  /* "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES" */
    const char *gpu_resource;     /* "nvidia.com/gpu", "amd.com/gpu" */
    const struct ty_json *labels; /* configured host labels for nodeSelector; may be NULL */
    const struct ty_json *claims; /* claim name -> directory, configured; may be NULL */
    const char *no_mounts;        /* why `mounts` is false, in words; may be NULL */
    const char *token; /* what a projected serviceAccountToken holds; NULL: no issuer, refused */
    const char *
        audience; /* of that token; a projected token with another audience is refused. NULL: any */
    bool cgroup_cpu, cgroup_memory; /* limits of these are enforced by cgroups */
    int64_t pods_most;              /* at once; 0: any number */
    const char *pods_why;           /* what sets that limit, in words */
    bool one_address;               /* all pods share one address: equal ports collide */
};

/* Finds cpus, memory, gpus (in /dev; TRAINYARD_GPUS=0,1,… overrides) and ids. The caller's own
 * CUDA_VISIBLE_DEVICES (ROCR_VISIBLE_DEVICES) bounds the gpus. */
void ty_host_find(struct ty_arena *a, const struct ty_zygote *z, struct ty_host *ret);
/* The host as the pods of one TrainJob see it: with that job's token. Lives with the arena. */
const struct ty_host *ty_host_for_job(struct ty_engine *e, struct ty_arena *a, struct ty_str ns,
                                      struct ty_str job);

#endif
