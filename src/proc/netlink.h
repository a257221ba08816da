/* Network interfaces, addresses and routes of a network namespace, by rtnetlink. A socket belongs
 * to the namespace that its maker was in, wherever the maker goes later. */
#ifndef TY_PROC_NETLINK_H
#define TY_PROC_NETLINK_H

#include <stdint.h>
#include <sys/types.h>

/* All return 0 (or an index), or -errno. Addresses are in network byte order. */
int ty_netlink_open(void); /* the socket; close() ends it */
int ty_netlink_index(int nl, const char *name);
int ty_netlink_add_bridge(int nl, const char *name);
/* One end as `name`, a port of the bridge with index `master`; the other as `peer` with address
 * `mac` in the network namespace of process `pid`. Both are down. */
struct ty_netlink_veth {
    const char *name, *peer;
    int master;
    pid_t pid;
    uint8_t mac[6];
};
int ty_netlink_add_veth(int nl, const struct ty_netlink_veth *v);
int ty_netlink_delete(int nl, const char *name);
int ty_netlink_up(int nl, const char *name, int master); /* master 0: none */
int ty_netlink_add_address(int nl, const char *name, uint32_t address, int prefix);
int ty_netlink_add_default_route(int nl, uint32_t gateway);

#endif
