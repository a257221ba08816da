/* Enforces a container's limits with its cgroup. Without cgroups nothing is enforced: a limit of
 * address space (RLIMIT_AS) or of writable mappings (RLIMIT_DATA) is no stand-in, because torch,
 * CUDA and thread stacks reserve many times what they use, and each process would have the limit
 * for itself.
 */
#include "engine/pod/limits.h"

#include <stdio.h>
#include <unistd.h>

#include "engine/engine_inner.h"
#include "engine/pod/pods.h"
#include "proc/cgroup.h"

enum { PIDS_MOST = 32768 }; /* of a container: enough for any job, and a fork bomb stays in it */

void ty_limits_open(struct ty_engine *e)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);
    struct ty_err err = { 0 };
    const char *dir = e->o.cgroup ? e->o.cgroup : ty_cgroups_find(a, &err);

    if (!dir || !dir[0] || ty_cgroups_open(dir, &e->limits.cgroups, &err) < 0)
        return; /* the preflight check warns about limits that are not enforced */
    struct ty_cgroups_controllers can = ty_cgroups_controllers(e->limits.cgroups);
    e->o.host.cgroup_cpu = can.cpu;
    e->o.host.cgroup_memory = can.memory;
}

void ty_limits_close(struct ty_limits *l)
{
    ty_cgroups_close(l->cgroups);
    l->cgroups = NULL;
}

static void name_of(const struct ty_pod_runtime *p, size_t c, char ret[512])
{
    snprintf(ret, 512, "%s.%s", p->name, p->plan.containers[c].name);
}

static int64_t pids_most(void)
{
    FILE *f = fopen("/proc/sys/kernel/pid_max", "re");
    long long most = 0;
    bool known = f && fscanf(f, "%lld", &most) == 1;

    if (f)
        fclose(f);
    return known && most / 2 < PIDS_MOST ? most / 2 : PIDS_MOST;
}

int ty_limits_begin(const struct ty_pod_runtime *p, size_t c, int *ret_fd, struct ty_err *err)
{
    const struct ty_container_plan *plan = &p->plan.containers[c];
    struct ty_cgroup_limits l = { .memory = plan->memory_limit,
                                  .cpu_milli = plan->cpu_limit_milli };
    char name[512];

    *ret_fd = 0;
    if (!p->e->limits.cgroups)
        return 0;
    l.pids = pids_most();
    name_of(p, c, name);
    int r = ty_cgroup_create(p->e->limits.cgroups, name, &l, err);
    if (r == 0)
        *ret_fd = ty_limits_join(p, c);
    return r;
}

int ty_limits_join(const struct ty_pod_runtime *p, size_t c)
{
    char name[512];

    if (!p->e->limits.cgroups)
        return 0;
    name_of(p, c, name);
    int fd = ty_cgroup_procs(p->e->limits.cgroups, name);
    return fd > 0 ? fd : 0;
}

bool ty_limits_end(const struct ty_pod_runtime *p, size_t c)
{
    char name[512];

    if (!p->e->limits.cgroups)
        return false;
    name_of(p, c, name);
    bool oom = ty_cgroup_oom_kills(p->e->limits.cgroups, name) > 0;
    ty_cgroup_remove(p->e->limits.cgroups, name);
    return oom;
}
