#include "engine/rsh_client.h"

#include <string.h>
#include <sys/socket.h>

#include "base/err.h"
#include "engine/run_socket.h"

int ty_rsh_client_connect(const char *path, struct ty_err *err)
{
    int fd = ty_run_socket_connect(path, SOCK_SEQPACKET);

    if (fd >= 0)
        return fd;
    ty_fail(err, fd, "%s: %s", path, strerrordesc_np(-fd));
    return -1;
}

bool ty_rsh_client_send(int fd, const struct ty_rsh_request *req, const int fds[3])
{
    struct iovec iov;
    char control[CMSG_SPACE(3 * sizeof(int))] = { 0 };
    struct msghdr msg = {
        .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)
    };
    struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

    memcpy(&iov.iov_base, &req, sizeof(req)); /* sendmsg() does not write to it */
    iov.iov_len = sizeof(*req);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(3 * sizeof(int));
    memcpy(CMSG_DATA(c), fds, 3 * sizeof(int));
    return sendmsg(fd, &msg, MSG_NOSIGNAL) == (ssize_t)sizeof(*req);
}
