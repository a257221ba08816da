/* Limits that the kernel enforces for a whole container: memory, CPU time, number of processes. One
 * directory of cgroup v2 for each run, and one in it for each container:
 *
 *   DIR/trainyard-<pid>-<start of it>/<pod>.<container>
 *
 * DIR is a folder that is delegated to us, or any that root may write to. The next run removes what
 * a killed run left behind. */
#ifndef TY_PROC_CGROUP_H
#define TY_PROC_CGROUP_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

char *ty_cgroups_mount_point(struct ty_arena *a); /* of cgroup v2; NULL: there is none */
/* Our own cgroup, or the nearest above it, in which cgroups with a memory limit may be made. NULL:
 * *err says why there is none. */
char *ty_cgroups_find(struct ty_arena *a, struct ty_err *err);

struct ty_cgroups;
/* *ret is owned by the caller. Also removes what dead runs left in `dir`. */
int ty_cgroups_open(const char *dir, struct ty_cgroups **ret, struct ty_err *err);
/* Frees it; NULL is fine. Kills what is left in them, and waits for its end for a second at most.
 */
void ty_cgroups_close(struct ty_cgroups *c);
/* Which limits there are. */
struct ty_cgroups_controllers {
    bool memory, cpu, pids;
};
struct ty_cgroups_controllers ty_cgroups_controllers(const struct ty_cgroups *c);

struct ty_cgroup_limits {
    int64_t memory;    /* bytes; 0 none */
    int64_t cpu_milli; /* thousandths of a cpu; 0 none */
    int64_t pids;      /* processes and threads; 0 none */
};
/* Makes it, or sets the limits of the one that is there. Limits without a controller are left out.
 */
int ty_cgroup_create(struct ty_cgroups *c, const char *name, const struct ty_cgroup_limits *l,
                     struct ty_err *err);
/* A descriptor for ty_process_spec.cgroup; -errno. */
int ty_cgroup_procs(const struct ty_cgroups *c, const char *name);
/* How many of its processes the kernel has killed for memory so far. */
int64_t ty_cgroup_oom_kills(const struct ty_cgroups *c, const char *name);
/* Kills what is left in it. False: it is not gone yet (ty_cgroups_close tries again). */
bool ty_cgroup_remove(const struct ty_cgroups *c, const char *name);

#endif
