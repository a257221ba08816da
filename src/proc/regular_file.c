#include "proc/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

int ty_regular_file_open(const char *path, enum ty_state_depth depth, int flags, mode_t mode)
{
    struct stat st;
    int fd = ty_no_links_open_last(path, depth, flags | O_NONBLOCK | O_NOCTTY, mode);

    if (fd < 0) /* a FIFO that nobody reads, or a link; ENOTDIR: a link on the way */
        return fd == -ENXIO || fd == -ELOOP || fd == -ENOTDIR ? -EBADF : fd;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        return fd;
    close(fd);
    return -EBADF;
}

const char *ty_regular_file_error(int code)
{
    return code == -EBADF || code == EBADF ? "it is not a regular file"
                                           : strerrordesc_np(code < 0 ? -code : code);
}

FILE *ty_regular_file_fopen(const char *path, enum ty_state_depth depth, const char *mode)
{
    int how = mode[0] == 'r'   ? O_RDONLY
              : mode[0] == 'a' ? O_WRONLY | O_CREAT | O_APPEND
                               : O_WRONLY | O_CREAT | O_TRUNC;
    int fd = ty_regular_file_open(path, depth, how, 0666);
    FILE *f = fd < 0 ? NULL : fdopen(fd, mode);

    if (fd < 0) {
        errno = -fd;
    } else if (!f) {
        int e = errno;
        close(fd);
        errno = e;
    }
    return f;
}

int ty_regular_file_lock(int fd, int operation, int dir, const char *name)
{
    struct stat opened, named;

    if (flock(fd, operation | LOCK_NB) < 0)
        return -errno;
    if (fstat(fd, &opened) < 0 || fstatat(dir, name, &named, AT_SYMLINK_NOFOLLOW) < 0 ||
        opened.st_dev != named.st_dev || opened.st_ino != named.st_ino)
        return -ESTALE;
    return 0;
}
