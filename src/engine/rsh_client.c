#include "engine/rsh_client.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/err.h"

int ty_rsh_client_connect(const char *path, struct ty_err *err)
{
    struct sockaddr_un addr = { .sun_family = AF_UNIX };
    char *dir = strdup(path), *slash = dir ? strrchr(dir, '/') : NULL;
    int fd = -1, at = -1;

    errno = ENOTDIR; /* for a path without a directory */
    if (slash)
        *slash = 0;
    at = slash ? open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    if (at >= 0) {
        snprintf(addr.sun_path, sizeof(addr.sun_path), "/proc/self/fd/%d/%.80s", at, slash + 1);
        fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    }
    if (fd < 0 || connect(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0) {
        ty_fail(err, -errno, "%s: %s", path, strerrordesc_np(errno));
        if (fd >= 0)
            close(fd);
        fd = -1;
    }
    if (at >= 0)
        close(at);
    free(dir);
    return fd;
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
