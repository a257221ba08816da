/* The network of a run whose pods have network namespaces of their own (--network pod):
 *
 *   the machine's namespace       the run's namespace (the zygote is in it)
 *   trainyard                     bridge "pods" 10.244.0.1/16 ── ve… ══ eth0 10.244.1.1  pod
 *   slirp4netns, if installed ═══ tap0, a port of the bridge  ── ve… ══ eth0 10.244.1.2  pod
 *                                 (gateway 10.244.0.2, DNS 10.244.0.3)
 *
 * Namespaces live as long as a process in them, so everything here is gone with the run, however it
 * ends. Nothing of the machine's own network changes. Runs do not see each other, so all of them
 * use the same addresses. */
#ifndef TY_PROC_NETNS_H
#define TY_PROC_NETNS_H

#include "proc/proc_failure.h"
#include "proc/zygote.h"

#define TY_NETNS_GATEWAY "10.244.0.1" /* trainyard itself, as pods see it: the status API */
#define TY_NETNS_ROUTER  "10.244.0.2" /* slirp4netns: the uplink */
#define TY_NETNS_DNS     "10.244.0.3"
#define TY_NETNS_CIDR    "10.244.0.0/16"

enum {
    TY_NETNS_PODS_MAX = 1022,       /* at once: a bridge has 1,023 ports, and one leads outside */
    TY_NETNS_ADDRESSES = 254 * 254, /* 10.244.1.1 and up */
};

struct ty_netns {
    int bridge;  /* its index in the run's namespace; 0: there is no network for pods */
    int link;    /* the zygote's rtnetlink socket in it */
    bool uplink; /* pods get a default route */
};

/* The zygote enters a network namespace of the run's own, and makes the bridge. */
int ty_netns_make(struct ty_netns *n, struct ty_proc_failure *fail);
/* slirp4netns has made `tap`: it becomes a port of the bridge. */
int ty_netns_add_uplink(struct ty_netns *n, const char *tap);
/* A shim leaves the run's namespace for one of its pod's own, with loopback and eth0. A pod that
 * had the address before loses it. */
int ty_netns_enter_pod(const struct ty_netns *n, const char *address, struct ty_proc_failure *fail);

#endif
