/* Host names, addresses and ports of each JobSet. */
#ifndef TY_ENGINE_NET_H
#define TY_ENGINE_NET_H

#include "base/err.h"
#include "base/map.h"
#include "engine/net_port.h"

struct ty_engine;
struct ty_json;

/* Addresses, names and ports of one JobSet. */
struct ty_jobset_net {
    struct ty_engine *e;
    char *uid;                 /* of the JobSet */
    char *hosts;               /* path of its /etc/hosts */
    char *domain;              /* "<subdomain>.<namespace>.svc.cluster.local" */
    struct ty_map addresses;   /* host name -> char * address */
    struct ty_net_port master; /* stands for 29500 */
    struct ty_err task_error;  /* of the last port in tasks that could not be reserved */
    struct ty_map tasks;       /* "host:port" of the cluster -> struct ty_net_port */
};

struct ty_net {
    struct ty_map by_jobset; /* uid -> struct ty_jobset_net */
    unsigned next_address, next_port;
    char *resolver; /* path of the pods' /etc/resolv.conf; NULL: the machine's */
};

/* The network of this JobSet, created by the first call. NULL: no free port, or the hosts file
 * could not be written. */
struct ty_jobset_net *ty_net_get(struct ty_engine *e, const struct ty_json *jobset,
                                 struct ty_err *err);
void ty_net_done(struct ty_net *net);
/* The address of a host name of the JobSet (ctx: its struct ty_jobset_net), or NULL. */
const char *ty_net_lookup(void *ctx, struct ty_str host);
/* The port that stands here for a port on which every pod of the JobSet listens, each at its own
 * address; the same for all who ask. reserve: chosen by the first call. 0: the host is none of the
 * JobSet's, nobody reserved one, or none can be: task_error says why then. */
int ty_net_task_port(void *ctx, struct ty_str host, int port, bool reserve);

#endif
