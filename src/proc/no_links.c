#include "proc/no_links.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* Name by name, and not by openat2(2): old kernels and filters of system calls do not have it. */
int ty_no_links_open_parent(const char *path, const char **name)
{
    const int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    char part[NAME_MAX + 1];
    int at = open("/", flags);

    if (at < 0)
        return -errno;
    *name = strrchr(path, '/') + 1;
    while (at >= 0 && (path += strspn(path, "/")) < *name) {
        size_t n = strcspn(path, "/");
        int fd = -ENAMETOOLONG;
        if (n < sizeof(part)) {
            memcpy(part, path, n);
            part[n] = 0;
            fd = openat(at, part, flags);
            fd = fd < 0 ? -errno : fd;
        }
        close(at);
        at = fd;
        path += n;
    }
    return at;
}

int ty_no_links_open(const char *path, int flags)
{
    const char *name = "";
    int at = ty_no_links_open_parent(path, &name);

    if (at < 0)
        return at;
    int fd = openat(at, *name ? name : ".", flags | O_NOFOLLOW | O_CLOEXEC);
    fd = fd < 0 ? -errno : fd;
    close(at);
    return fd;
}
