/* Locks on the machine's GPUs that hold across runs and users: one file for each device in a
 * directory that everybody may write to, locked with flock(2). The kernel releases a lock with the
 * last process that has its descriptor. */
#ifndef TY_ENGINE_POD_GPU_LOCK_H
#define TY_ENGINE_POD_GPU_LOCK_H

#include "base/err.h"
#include "engine/host.h"

#define TY_GPU_LOCK_DIR "/run/lock/trainyard"
#define TY_GPU_LOCK_MAX 64

struct ty_gpu_locks {
    const char *path;         /* NULL: devices are assigned without locks */
    int dir;                  /* descriptor of it; 0: not open yet */
    uint64_t held;            /* devices of the host, as bits */
    int fds[TY_GPU_LOCK_MAX]; /* of held ones */
};

/* Opens the directory; creates it, writable for everybody, if it does not exist. It must be ours or
 * root's. Gives a descriptor, or -errno. */
int ty_gpu_lock_open_dir(const char *path, struct ty_err *err);
/* Locks more devices, in the order of the host's list, until `want` are held: all or none. False:
 * *why says which one somebody else has, and who. */
bool ty_gpu_locks_extend(struct ty_gpu_locks *l, const struct ty_host *host, int64_t want,
                         struct ty_err *why);
/* Unlocks devices that are not in `used`, the last first, until only `want` are held. */
void ty_gpu_locks_trim(struct ty_gpu_locks *l, uint64_t used, int64_t want);
void ty_gpu_locks_done(struct ty_gpu_locks *l);

#endif
