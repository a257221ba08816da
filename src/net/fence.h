/* A fence around connections: bytes are handed to the kernel only while somebody says that they may
 * be, and when they may not, those that the kernel still holds are dropped. For the writes of a
 * leader: what was queued before the lease was lost must not arrive after it.
 *
 * A process can be stopped, and then nobody asks. So the sockets are armed from the start: a kernel
 * whose process dies resets the connection (RST) instead of sending the rest, and one whose process
 * is stopped drops bytes that are not acknowledged in time. What another machine has acknowledged
 * cannot be called back. */
#ifndef TY_NET_FENCE_H
#define TY_NET_FENCE_H

#include <stdbool.h>
#include <stdint.h>

struct ty_fence {
    /* Asked each time before bytes are handed to the kernel: reads the clock itself, starts and
     * cancels nothing. NULL: there is no fence. */
    bool (*open)(void *ctx);
    void *ctx;
    int64_t unacked_ms; /* bytes unacknowledged for so long are dropped; 0: as without a fence */
};
#define TY_FENCE_CLOSED "canceled: this process may not write any more"

bool ty_fence_is_open(const struct ty_fence *f); /* also without a fence; NULL is fine */
/* A new socket: from now on any close resets it, that of a killed process, too. Nothing without a
 * fence. After ty_tcp_keepalive_set, which sets the same time. */
void ty_fence_arm(const struct ty_fence *f, int fd);
/* Before an orderly close. True: the fence is open and all bytes are acknowledged, so the peer may
 * be told goodbye. False: close resets it. */
bool ty_fence_disarm(const struct ty_fence *f, int fd);
/* Resets the connection at once, for a socket that others will close: they can send nothing more
 * over it. */
void ty_fence_cut(int fd);

#endif
