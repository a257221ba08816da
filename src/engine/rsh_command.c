#include "engine/rsh_command.h"

#include <errno.h>
#include <unistd.h>

#include "engine/engine_inner.h"
#include "engine/pod/limits.h"
#include "engine/pod/pods.h"
#include "proc/shim.h"
#include "proc/zygote.h"

/* The container `name`; "": the node's, else the last that is no init container. NULL: none. */
static const struct ty_container_plan *find_container(const struct ty_pod_runtime *p,
                                                      const char *name)
{
    const struct ty_container_plan *c = name[0] ? NULL : &p->plan.containers[0];

    for (size_t i = 0; i < p->plan.n && !name[0]; i++)
        if (!p->plan.containers[i].init)
            c = &p->plan.containers[i];
    for (size_t i = p->plan.n; i-- > 0;)
        if (strcmp(p->plan.containers[i].name, name[0] ? name : TY_NODE) == 0)
            c = &p->plan.containers[i];
    return c;
}

/* rsh: a shell runs the command, as sshd does. exec: the words as they are. */
static const char *const *argv_of(struct ty_arena *a, const struct ty_rsh_command *r,
                                  const char *command, size_t n)
{
    const char **argv = ty_new_n(a, const char *, r->argc + 4), *end = command + n;
    size_t i = 0;

    if (!r->argc) {
        argv[i++] = "/bin/sh";
        argv[i++] = "-c";
        argv[i++] = command;
    }
    for (; i < r->argc && command < end; command += strlen(command) + 1)
        argv[i++] = command;
    return argv;
}

static const char *const *with_term(struct ty_arena *a, const char *const *env)
{
    size_t n = 0;

    for (; env[n]; n++)
        if (strncmp(env[n], "TERM=", 5) == 0)
            return env;
    const char **more = ty_new_n(a, const char *, n + 2);
    if (n)
        memcpy(more, env, n * sizeof(*env));
    more[n] = "TERM=xterm";
    return more;
}

int ty_rsh_command_start(struct ty_rsh_command *r, const char *command, size_t n,
                         struct ty_err *err)
{
    struct ty_pod_runtime *p = r->pod;
    const struct ty_container_plan *c = find_container(p, r->container);
    ty_auto_arena *a = ty_arena_new(TY_PROCESS_CEILING);

    if (!c)
        return ty_fail(err, -ENOENT, "the pod has no container \"%s\"", r->container);
    struct ty_process_spec s = ty_pods_exec_start(a, p, c, r->id, argv_of(a, r, command, n));
    if (r->argc)
        s.beside = (uint32_t)(c - p->plan.containers) + 1;
    s.tty = r->tty;
    if (r->tty)
        s.env = with_term(a, s.env);
    s.in = r->fds[0];
    s.out = r->fds[1];
    s.err = r->fds[2];
    s.cgroup = ty_limits_join(p, (size_t)(c - p->plan.containers));
    ty_zygote_continue(p->e->o.zygote);
    int started = ty_shim_start(p->shim, &s, err);
    if (s.cgroup > 0)
        close(s.cgroup);
    return started;
}

static bool has_address(const struct ty_jobset_net *net, struct ty_str address)
{
    const struct ty_map_slot *s = NULL;
    size_t at = 0;

    while ((s = ty_map_next(&net->addresses, &at)))
        if (ty_str_is(address, s->value))
            return true;
    return false;
}

bool ty_rsh_command_knows_host(const struct ty_engine *e, struct ty_str host)
{
    const struct ty_map_slot *s = NULL;
    size_t at = 0;

    while ((s = ty_map_next(&e->net.by_jobset, &at)))
        if (ty_net_lookup(s->value, host) || has_address(s->value, host))
            return true;
    return false;
}
