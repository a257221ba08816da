/* The zygote's own side, for the files that start and run it. */
#ifndef TY_PROC_ZYGOTE_INNER_H
#define TY_PROC_ZYGOTE_INNER_H

#include <sys/resource.h>
#include <sys/types.h>

#include "base/str.h"
#include "proc/netns.h"
#include "proc/wire.h"
#include "proc/zygote.h"

struct ty_zygote {
    pid_t pid;
    int control; /* -1: closed */
    bool network;
    pid_t slirp; /* slirp4netns, the uplink of the pods' network; 0 none */
    int uplink;  /* it ends when this pipe does */
    struct ty_zygote_caps can;
};
void ty_zygote_close_uplink(struct ty_zygote *z); /* none is fine */
/* Sends to the zygote once it has room; waits for that. */
int ty_zygote_send(const struct ty_zygote *z, enum ty_wire_kind kind, struct ty_str body, int fd);

/* Parts of the kernel that a zygote shall not use: how tests walk the paths of poorer machines. */
enum ty_zygote_without { TY_NO_PID_NS = 1, TY_NO_MOUNTS = 2, TY_NO_USER_NS = 4 };
int ty_zygote_fork_with(unsigned without, bool network, struct ty_zygote **ret, struct ty_err *err);
int ty_zygote_start_with(unsigned without, bool network, struct ty_zygote **ret,
                         struct ty_err *err);

/* How the zygote works, fixed at its start; shims inherit it. */
struct ty_zygote_mode {
    struct ty_zygote_caps can;
    struct rlimit nofile; /* as our caller had it, before we raised ours: containers get it back */
    struct ty_netns net;
};

/* The zygote's whole life. Ends when `control` ends. */
_Noreturn void ty_zygote_run(int control, pid_t parent, unsigned without, bool network,
                             const struct rlimit *nofile);

#endif
