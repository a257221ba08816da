/* The zygote: a small process, forked at the start of this program, that forks one shim per pod. */
#ifndef TY_PROC_ZYGOTE_H
#define TY_PROC_ZYGOTE_H

#include <stdbool.h>

#include "base/err.h"

struct ty_zygote;
/* Call from the main thread, before other threads and the event loop exist. Raises our soft limit
 * of open files to the hard one: a pod costs a descriptor. *ret lives until ty_zygote_stop. */
int ty_zygote_start(struct ty_zygote **ret, struct ty_err *err);
/* The same in two steps, for a caller that has other work while the zygote tries what the kernel
 * allows: until ty_zygote_wait has returned 0, only that and ty_zygote_stop may be called.
 * `network`: for a run whose pods have a network of their own (proc/netns.h); ty_zygote_wait
 * returns -errno with the reason if this machine does not allow that. */
int ty_zygote_fork(bool network, struct ty_zygote **ret, struct ty_err *err);
int ty_zygote_wait(struct ty_zygote *z, struct ty_err *err);

/* Continues the zygote and the shims (SIGCONT): one that somebody has stopped would neither take a
 * request nor end its pod. Call it before requests that must be answered. NULL is fine. */
void ty_zygote_continue(const struct ty_zygote *z);

/* Begins the end: all shims and what is in them die. Only ty_zygote_stop may follow. */
void ty_zygote_close(struct ty_zygote *z);
void ty_zygote_stop(
    struct ty_zygote *z); /* closes it, if that was not done, and waits for its end */

/* What this kernel allows us, tried once by the zygote. */
struct ty_zygote_caps {
    bool mounts;   /* binds and host names; without, both are left out */
    bool pid_ns;   /* else a subreaper kills what it finds through /proc */
    bool user_ns;  /* the others only inside one of our own: a container's uid is always ours */
    bool network;  /* pods have network namespaces */
    char why[128]; /* the first refusal in words, "" if none */
};
struct ty_zygote_caps ty_zygote_caps(const struct ty_zygote *z);

/* With a network of pods: a TCP socket in it, nonblocking, for us; or -errno. Waits for the zygote,
 * a second at most: -ETIMEDOUT then. */
int ty_zygote_socket(const struct ty_zygote *z);
/* Its uplink through slirp4netns, if that is installed; it ends with us. 0, or -errno with
 * the reason. */
int ty_zygote_open_uplink(struct ty_zygote *z, struct ty_err *err);

#endif
