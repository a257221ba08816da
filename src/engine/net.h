/* Host names, addresses and the master port of each JobSet. */
#ifndef TY_ENGINE_NET_H
#define TY_ENGINE_NET_H

#include "base/err.h"
#include "base/map.h"

struct ty_engine;
struct ty_json;

/* Addresses, names and the master port of one JobSet. */
struct ty_jobset_net {
    char *uid;               /* of the JobSet */
    char *hosts;             /* path of its /etc/hosts */
    char *domain;            /* "<subdomain>.<namespace>.svc.cluster.local" */
    struct ty_map addresses; /* host name -> char * address */
    int master_port;
    int port_lock; /* fd of the lock file that reserves the port; -1 none */
};

struct ty_net {
    struct ty_map by_jobset; /* uid -> struct ty_jobset_net */
    unsigned next_address;
};

/* The network of this JobSet, created by the first call. NULL: no free port, or the hosts file
 * could not be written. */
struct ty_jobset_net *ty_net_get(struct ty_engine *e, const struct ty_json *jobset,
                                 struct ty_err *err);
void ty_net_done(struct ty_net *net);
/* The address of a host name of the JobSet (ctx: its struct ty_jobset_net), or NULL. */
const char *ty_net_lookup(void *ctx, struct ty_str host);

#endif
