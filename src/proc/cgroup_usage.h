/* CPU time and memory of a container by its cgroup, where the engine has made one (cgroup.h): the
 * kernel counts what has ended, and what is shared once. */
#ifndef TY_PROC_CGROUP_USAGE_H
#define TY_PROC_CGROUP_USAGE_H

#include "base/arena.h"
#include "base/str.h"

/* The text of /proc/PID/cgroup: the path of the container's cgroup below the mount point, without
 * those that the container has made in it: "/user/trainyard-12-34/ddp-node-0-0-x7k2p.node". Borrows
 * from text; empty: the process is in none of ours. */
struct ty_str ty_cgroup_usage_path(struct ty_str text);

struct ty_cgroup_usage {
    int64_t cpu_ms; /* since it was made */
    int64_t memory; /* bytes in use without the page cache that can be dropped at once: the working
                       set, as the kubelet reports it */
};
/* False: the kernel does not count both there, or it is gone. */
bool ty_cgroup_usage_read(const char *dir, struct ty_cgroup_usage *ret);

#endif
