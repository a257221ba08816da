/* A fence for connections: bytes are passed to the kernel only while a callback permits it, and
 * when it no longer does, bytes that the kernel still holds are discarded. For the writes of a
 * leader: a write that was queued before the lease was lost must not arrive afterwards.
 *
 * A stopped process cannot check. So sockets are armed from the start: if the process dies, the
 * kernel resets the connection (RST) instead of sending the rest, and if it is stopped, the kernel
 * drops bytes that are not acknowledged in time. Bytes that another machine has acknowledged cannot
 * be recalled. */
#ifndef TY_NET_FENCE_H
#define TY_NET_FENCE_H

#include <stdbool.h>
#include <stdint.h>

struct ty_fence {
    /* Called each time before bytes are passed to the kernel: reads the clock itself, must not
     * start or cancel anything. NULL: no fence. */
    bool (*open)(void *ctx);
    void *ctx;
    int64_t unacked_ms; /* drop bytes that are not acknowledged for so long; 0: as set by
                           ty_tcp_keepalive_set */
};
#define TY_FENCE_CLOSED "canceled: this process may not write any more"

bool ty_fence_is_open(const struct ty_fence *f); /* true without a fence; NULL is fine */
/* Arms a new socket: from now on every close resets it, also that of a killed process. No effect
 * without a fence. Call after ty_tcp_keepalive_set, which sets the same timeout. */
void ty_fence_arm(const struct ty_fence *f, int fd);
/* Before an orderly close. True: the fence is open and all bytes are acknowledged, so a TLS
 * close-notify may be sent. False: the close will reset the connection. */
bool ty_fence_disarm(const struct ty_fence *f, int fd);
/* Resets the connection at once, for a socket that a library will close: nothing more can be sent
 * over it. */
void ty_fence_cut(int fd);

#endif
