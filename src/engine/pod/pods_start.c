/* Starts the processes of containers: their environment, devices, mounts, limits and logs. */
#include <string.h>
#include <unistd.h>

#include "engine/engine_inner.h"
#include "engine/pod/container_log.h"
#include "engine/pod/gpus.h"
#include "engine/pod/limits.h"
#include "engine/pod/pod_files.h"
#include "engine/pod/pods.h"
#include "proc/shim.h"

static void pin_cpus(const struct ty_pod_runtime *p, const struct ty_container_plan *c,
                     struct ty_process_spec *s)
{
    int64_t cpus = p->e->o.host.cpus;
    int64_t first = 0;

    if (c->whole_cpus <= 0 || cpus <= 0 || c->whole_cpus >= cpus || cpus > 1024)
        return; /* as many as there are, or more: no use in pinning */
    first = (p->index > 0 ? p->index : 0) * c->whole_cpus % cpus;
    for (int64_t i = 0; i < c->whole_cpus; i++) {
        int64_t cpu = (first + i) % cpus;
        s->cpus_mask[cpu / 64] |= (int64_t)((uint64_t)1 << (cpu % 64));
    }
}

/* "dataset" or "model": our own program instead of the image's. */
static const char *const *initializer_argv(struct ty_arena *a, const struct ty_pod_runtime *p,
                                           const char *what)
{
    const char **argv = ty_new_n(a, const char *, 4);

    argv[0] = p->e->o.program;
    argv[1] = "initialize";
    argv[2] = what;
    return argv;
}

static size_t remove_variable(const char **env, size_t n, const char *name)
{
    size_t left = 0, len = strlen(name);

    for (size_t i = 0; i < n; i++)
        if (strncmp(env[i], name, len) != 0 || env[i][len] != '=')
            env[left++] = env[i];
    env[left] = NULL;
    return left;
}

/* The plan's variables and the devices that the pod was given. */
static const char *const *env_of(struct ty_arena *a, const struct ty_pod_runtime *p,
                                 const struct ty_container_plan *c)
{
    const struct ty_host *h = &p->e->o.host;
    size_t n = 0;

    while (c->env[n])
        n++;
    const char **env = ty_new_n(a, const char *, n + 2);
    memcpy(env, c->env, n * sizeof(*env));
    if (!h->gpus || !h->gpus[0])
        return env;
    n = remove_variable(env, n, h->gpu_var); /* nobody sees devices that are not locked for him */
    ty_auto_buf list = { 0 };
    ty_gpus_print(&list, p, (size_t)(c - p->plan.containers));
    env[n] = ty_arena_printf(a, "%s=%.*s", h->gpu_var, (int)list.n, list.n ? list.p : "");
    return env;
}

struct ty_process_spec ty_pods_exec_start(struct ty_arena *a, const struct ty_pod_runtime *p,
                                          const struct ty_container_plan *c, uint32_t id,
                                          const char *const *argv)
{
    struct ty_process_spec s = ty_process_spec_none;

    s.id = id;
    s.argv = argv;
    s.env = env_of(a, p, c);
    s.cwd = c->cwd ? c->cwd : p->e->o.workdir ? p->e->o.workdir : p->dir;
    return s;
}

int ty_pods_start_container(struct ty_pod_runtime *p, size_t c, struct ty_err *err)
{
    const struct ty_container_plan *plan = &p->plan.containers[c];
    ty_auto_arena *a = ty_arena_new(TY_PROCESS_CEILING);
    struct ty_process_spec s = ty_pods_exec_start(a, p, plan, (uint32_t)c + 1, plan->argv);
    int fd = -1;

    if (plan->initializer)
        s.argv = initializer_argv(a, p, plan->initializer);
    s.binds = ty_pod_files_binds(a, p, c, err);
    if (!s.binds)
        return err->code;
    pin_cpus(p, plan, &s);
    p->logs[c] = ty_container_log_new(p, c, p->attempts[c]++, &fd, err);
    if (!p->logs[c])
        return err->code;
    p->by_us[c] = false;
    p->stop_ms[c] = 0;
    s.out = s.err = fd;
    int r = ty_limits_begin(p, c, &s.cgroup, err);
    if (r == 0)
        r = ty_shim_start(p->shim, &s, err);
    if (s.cgroup > 0)
        close(s.cgroup);
    close(fd);
    return r;
}
