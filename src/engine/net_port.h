/* TCP ports for the pods of a run, reserved among all runs of this user. */
#ifndef TY_ENGINE_NET_PORT_H
#define TY_ENGINE_NET_PORT_H

#include "base/err.h"

struct ty_net_port {
    int port; /* 0 none */
    int lock; /* fd of the lock file that reserves it */
};

/* A free port, reserved until it is released: nothing listens on it, and no other run gets it.
 * dir: where the lock files of all runs are. *next: where to continue the search; 0 at first. */
int ty_net_port_reserve(const char *dir, unsigned *next, struct ty_net_port *ret,
                        struct ty_err *err);
void ty_net_port_release(struct ty_net_port *p); /* none is fine */

#endif
