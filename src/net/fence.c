#include "net/fence.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

bool ty_fence_is_open(const struct ty_fence *f)
{
    return !f || !f->open || f->open(f->ctx);
}

static void set_linger(int fd, bool reset)
{
    struct linger l = { .l_onoff = reset };
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &l, sizeof(l));
}

void ty_fence_arm(const struct ty_fence *f, int fd)
{
    if (!f || !f->open)
        return;
    int most = (int)f->unacked_ms;
    set_linger(fd, true);
    if (most > 0)
        setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &most, sizeof(most));
}

bool ty_fence_disarm(const struct ty_fence *f, int fd)
{
    int unacked = 0;

    if (!f || !f->open)
        return true;
    if (!ty_fence_is_open(f) || ioctl(fd, SIOCOUTQ, &unacked) < 0 || unacked > 0)
        return false;
    set_linger(fd, false);
    return true;
}

void ty_fence_cut(int fd)
{
    const struct sockaddr nowhere = { .sa_family = AF_UNSPEC };

    set_linger(fd, true);
    (void)connect(fd, &nowhere,
                  sizeof(nowhere)); /* the kernel resets the connection and discards unsent bytes */
}
