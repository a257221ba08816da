/* Reserves a port with a locked file, because the port itself must stay unbound for the job. */
#include "engine/net_port.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proc/regular_file.h"

/* Below the ports that the kernel gives to outgoing connections (32768 and up): one of those could
 * take a port between its reservation and the pod that listens on it. And below 29500, which
 * pod_env_net.c replaces. */
enum { FIRST = 20000, LAST = 29499, N_PORTS = LAST - FIRST + 1 };

static bool is_free(int port)
{
    struct sockaddr_in addr = { .sin_family = AF_INET,
                                .sin_addr.s_addr = htonl(INADDR_ANY),
                                .sin_port = htons((uint16_t)port) };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool ok = fd >= 0 && bind(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0;

    if (fd >= 0)
        close(fd);
    return ok;
}

int ty_net_port_reserve(const char *dir, unsigned *next, struct ty_net_port *ret,
                        struct ty_err *err)
{
    if (*next == 0)
        *next = (unsigned)getpid() * 64; /* runs that begin together look in different places */
    for (int i = 0; i < N_PORTS; i++) {
        char path[4096];
        int port = FIRST + (int)((*next)++ % N_PORTS);
        if (!is_free(port))
            continue;
        snprintf(path, sizeof(path), "%s/port-%d.lock", dir, port);
        int fd = ty_regular_file_open(path, TY_DEPTH_ENTRY, O_RDWR | O_CREAT, 0600);
        if (fd < 0 && fd != -EACCES && fd != -EBADF)
            return ty_fail(err, fd, "%s cannot be made: %s", path, strerrordesc_np(-fd));
        /* A run removes the lock file when it releases the port: a lock on that is void. */
        if (fd >= 0 && ty_regular_file_lock(fd, LOCK_EX, AT_FDCWD, path) == 0) {
            *ret = (struct ty_net_port){ .port = port, .lock = fd };
            return 0;
        }
        if (fd >= 0)
            close(fd);
    }
    return ty_fail(err, -EADDRINUSE, "no free TCP port between %d and %d for the job", FIRST, LAST);
}

void ty_net_port_release(struct ty_net_port *p)
{
    char path[64], file[4096];

    if (!p->port)
        return;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", p->lock);
    ssize_t got = readlink(path, file, sizeof(file) - 1);
    if (got > 0) {
        file[got] = 0;
        ty_no_links_unlink(file, UINT_MAX, 0); /* the kernel gave a path without links */
    }
    close(p->lock);
    *p = (struct ty_net_port){ 0 };
}
