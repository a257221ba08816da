/* CPU time and memory of the pods of local runs, by the cgroups of their containers where the
 * engine has made them (cgroup_usage.h), else by /proc. A process belongs to the pod that
 * TRAINYARD_RSH (the run's socket) and TRAINYARD_POD of its environment name; without them to that
 * of its nearest ancestor, up to the shim, which adopts what daemons leave behind. Processes of
 * other users are not seen, unless we are root. */
#ifndef TY_PROC_POD_USAGE_H
#define TY_PROC_POD_USAGE_H

#include <sys/types.h>

#include "base/arena.h"

struct ty_pod_usage {
    const char *run, *pod; /* of the environment */
    int64_t cpu_ms;        /* since its start; with processes that have ended and were waited for */
    int64_t memory;        /* bytes; what processes share is counted once (working set, or PSS) */
};
struct ty_pod_usages {
    struct ty_pod_usage *pods;
    size_t n_pods;
    struct ty_pod_usage_process *processes; /* sorted by pid */
    size_t n_processes;
    int64_t at_ms; /* when this was read: monotonic clock */
};
/* Reads /proc. Everything lives with the arena, which becomes full if the machine has more
 * processes than fit. */
void ty_pod_usage_read(struct ty_arena *a, struct ty_pod_usages *ret);
/* NULL: it has no process. */
const struct ty_pod_usage *ty_pod_usage_find(const struct ty_pod_usages *u, const char *run,
                                             const char *pod);
const struct ty_pod_usage *ty_pod_usage_of(const struct ty_pod_usages *u, pid_t pid);
/* Thousandths of a CPU that a pod used between two readings; 0 if it is not in both. */
int64_t ty_pod_usage_milli(const struct ty_pod_usages *before, const struct ty_pod_usages *now,
                           const struct ty_pod_usage *pod);

/* A line of /proc/PID/stat: the parent, and the CPU time of the process and of its children that
 * were waited for. False: it is none. */
bool ty_pod_usage_parse_stat(const char *text, pid_t *ret_parent, int64_t *ret_ticks);
/* Pss of /proc/PID/smaps_rollup in bytes; -1: not there. */
int64_t ty_pod_usage_parse_pss(const char *text);

#endif
