/* All pods share the ports of this machine. The processes of a run are known by their environment:
 * TRAINYARD_RSH is the run's, TRAINYARD_POD the pod's. */
#include "engine/job/pod_port_conflict.h"

#include "engine/engine_inner.h"
#include "engine/pod/pods.h"
#include "proc/port_holders.h"
#include "report/port_conflict.h"

#define ADVICE                                                                                     \
    "pods share the ports of this machine, so give each node its own, or run with --network pod"
enum { HOLDERS = 256, NAMED = 4 };

/* "node-0-1" of "job-node-0-1" */
static const char *node_of(const struct ty_pod_runtime *p, const char *host)
{
    size_t n = strlen(p->job);

    return strncmp(host, p->job, n) == 0 && host[n] == '-' ? host + n + 1 : host;
}

static const char *known_port(struct ty_arena *a, const struct ty_pod_runtime *p, int port,
                              const struct ty_port_holder *found, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (found[i].port == port)
            return ty_arena_printf(a, "port %d is held by %s: " ADVICE, port,
                                   node_of(p, found[i].value));
    if (ty_port_holders_any(port))
        return ty_arena_printf(
            a,
            "port %d is held by another program on this machine: use another port, or run with "
            "--network pod",
            port);
    return NULL; /* its holder has ended */
}

/* The log names no port: those that other pods hold. */
static const char *any_port(struct ty_arena *a, const struct ty_pod_runtime *p,
                            const struct ty_port_holder *found, size_t n)
{
    ty_auto_buf list = { 0 };
    size_t named = 0;

    for (size_t i = 0; i < n && named < NAMED; i++)
        if (strcmp(found[i].value, p->host) != 0)
            ty_buf_printf(&list, "%s%d (%s)", named++ ? ", " : "", found[i].port,
                          node_of(p, found[i].value));
    if (!named)
        return NULL;
    return ty_arena_printf(a, "the port is in use; other nodes of this run hold %.*s: " ADVICE,
                           TY_ARG(ty_buf_str(&list)));
}

const char *ty_pod_port_conflict(struct ty_arena *a, const struct ty_pod_runtime *p,
                                 struct ty_str log, int *scans)
{
    int port = 0;

    if (p->e->o.pod_network || *scans <= 0 || !ty_port_conflict_find(log, &port))
        return NULL;
    (*scans)--;
    struct ty_port_holder *found = ty_new_n(a, struct ty_port_holder, HOLDERS);
    const char *run = ty_arena_printf(a, "TRAINYARD_RSH=%s", p->e->rsh.path);
    size_t n = ty_port_holders_find(run, "TRAINYARD_POD", found, HOLDERS);
    return port ? known_port(a, p, port, found, n) : any_port(a, p, found, n);
}
