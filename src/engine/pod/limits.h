/* Cgroups of containers, where the machine allows them. */
#ifndef TY_ENGINE_POD_LIMITS_H
#define TY_ENGINE_POD_LIMITS_H

#include "base/err.h"

struct ty_engine;
struct ty_pod_runtime;
struct ty_cgroups;

struct ty_limits {
    struct ty_cgroups *cgroups; /* NULL: none, nothing is enforced */
};

void ty_limits_open(struct ty_engine *e); /* also sets e->o.host.cgroup_cpu and cgroup_memory */
void ty_limits_close(struct ty_limits *l);
/* Creates the container's cgroup: *ret_fd is for ty_process_spec.cgroup, 0 if there is none. */
int ty_limits_begin(const struct ty_pod_runtime *p, size_t c, int *ret_fd, struct ty_err *err);
/* The same for one more process of a container that runs: a probe, a remote command. */
int ty_limits_join(const struct ty_pod_runtime *p, size_t c);
/* The container ended: removes its cgroup. True: the kernel killed a process of it for memory. */
bool ty_limits_end(const struct ty_pod_runtime *p, size_t c);

#endif
