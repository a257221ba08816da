/* Which processes use which GPUs, as nvidia-smi reports it. */
#ifndef TY_PROC_GPU_USAGE_H
#define TY_PROC_GPU_USAGE_H

#include <sys/types.h>

#include "base/arena.h"

struct ty_gpu_usage {
    struct ty_str id; /* "GPU-7a6b…" */
    int64_t percent;  /* of the whole GPU; nvidia-smi has no list of shares */
};
struct ty_gpu_usage_process {
    size_t gpu; /* index */
    pid_t pid;
    int64_t memory; /* bytes on that GPU; 0 if the driver does not tell */
};
struct ty_gpu_usages {
    struct ty_gpu_usage *gpus;
    size_t n_gpus;
    struct ty_gpu_usage_process *processes;
    size_t n_processes;
};
/* Runs the program twice, for 3 s at most each. False: there is none, or it shows no GPU. Lives
 * with the arena. */
bool ty_gpu_usage_read(struct ty_arena *a, struct ty_gpu_usages *ret);
/* Its two parts: lines "GPU-id, 35" and "GPU-id, pid, MiB". Other lines are left out. */
void ty_gpu_usage_parse_gpus(struct ty_arena *a, const char *text, struct ty_gpu_usages *ret);
void ty_gpu_usage_parse_processes(struct ty_arena *a, const char *text, struct ty_gpu_usages *ret);

#endif
