/* connect(2) follows links, and sun_path has 108 bytes: the socket's file is opened without
 * following any, and connected to through /proc/self/fd/N. */
#include "engine/run_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "proc/no_links.h"

static int connect_to(int file, int type)
{
    struct sockaddr_un addr = { .sun_family = AF_UNIX };
    struct stat st;

    if (fstat(file, &st) < 0)
        return -errno;
    if (!S_ISSOCK(st.st_mode))
        return S_ISLNK(st.st_mode) ? -ELOOP : -ENOTSOCK;
    snprintf(addr.sun_path, sizeof(addr.sun_path), "/proc/self/fd/%d", file);
    int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0)
        return fd;
    int e = errno;
    if (fd >= 0)
        close(fd);
    return -e;
}

int ty_run_socket_connect(const char *path, int type)
{
    int file = ty_no_links_open_last(path, TY_DEPTH_RUN, O_PATH, 0);

    if (file < 0)
        return file;
    int fd = connect_to(file, type);
    close(file);
    return fd;
}
