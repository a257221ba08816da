#include "proc/no_links.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DIR_FLAGS = O_PATH | O_DIRECTORY | O_CLOEXEC };

/* Consumes `at`. */
static int walk_by_name(int at, const char *path, const char *end)
{
    char part[NAME_MAX + 1];

    while (at >= 0 && (path += strspn(path, "/")) < end) {
        size_t n = strcspn(path, "/");
        int fd = -ENAMETOOLONG;
        if (n < sizeof(part)) {
            memcpy(part, path, n);
            part[n] = 0;
            fd = openat(at, part, DIR_FLAGS | O_NOFOLLOW);
            fd = fd < 0 ? -errno : fd;
        }
        close(at);
        at = fd;
        path += n;
    }
    return at;
}

/* One system call for all names, because a pod costs a dozen such paths. -ENOSYS where the kernel
 * or a filter of system calls does not have it; -ENOTDIR for a link, as by name. */
static int walk_at_once(int at, const char *path, const char *end)
{
    struct open_how how = { .flags = DIR_FLAGS, .resolve = RESOLVE_NO_SYMLINKS };
    char part[PATH_MAX];
    size_t n = (size_t)(end - path);

    if (n >= sizeof(part))
        return -ENAMETOOLONG;
    memcpy(part, path, n);
    part[n] = 0;
    int fd = (int)syscall(SYS_openat2, at, part, &how, sizeof(how));
    if (fd < 0)
        return errno == EPERM ? -ENOSYS : errno == ELOOP ? -ENOTDIR : -errno;
    return fd;
}

/* Opens the directory `from` in which `path` begins, and goes to the last name of the path. */
static int walk_to_last(const char *from, int how, const char *path, const char **name)
{
    int at = open(from, DIR_FLAGS | how);

    if (at < 0)
        return -errno;
    path += strspn(path, "/");
    if (path >= *name)
        return at;
    int fd = walk_at_once(at, path, *name);
    if (fd == -ENOSYS)
        return walk_by_name(at, path, *name);
    close(at);
    return fd;
}

int ty_no_links_open_parent(const char *path, const char **name)
{
    *name = strrchr(path, '/') + 1;
    return walk_to_last("/", O_NOFOLLOW, path, name);
}

int ty_no_links_open_last_parent(const char *path, unsigned depth, const char **name)
{
    char above[PATH_MAX];
    const char *cut = path + strlen(path);

    for (; depth && cut > path; depth--)
        do
            cut--;
        while (cut > path && *cut != '/');
    const char *last = strrchr(path, '/');
    *name = last ? last + 1 : path;
    if (cut == path) /* all of it */
        return walk_to_last(*path == '/' ? "/" : ".", 0, path, name);
    if ((size_t)(cut - path) >= sizeof(above))
        return -ENAMETOOLONG;
    memcpy(above, path, (size_t)(cut - path));
    above[cut - path] = 0;
    return walk_to_last(above, 0, cut, name);
}

int ty_no_links_open_last(const char *path, unsigned depth, int flags, mode_t mode)
{
    const char *name = "";
    int at = ty_no_links_open_last_parent(path, depth, &name);

    if (at < 0)
        return at;
    int fd = openat(at, name, flags | O_NOFOLLOW | O_CLOEXEC, mode);
    fd = fd < 0 ? -errno : fd;
    close(at);
    return fd;
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

DIR *ty_no_links_opendir(const char *path, unsigned depth)
{
    int fd = ty_no_links_open_last(path, depth, O_RDONLY | O_DIRECTORY, 0);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);

    if (fd < 0) {
        errno = -fd;
    } else if (!d) {
        int e = errno;
        close(fd);
        errno = e;
    }
    return d;
}

int ty_no_links_mkdir(const char *path, unsigned depth, mode_t mode)
{
    const char *name = "";
    int at = ty_no_links_open_last_parent(path, depth, &name);
    struct stat st;

    if (at < 0)
        return at;
    int r = mkdirat(at, name, mode) < 0 ? -errno : 0;
    if (r == -EEXIST && fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        r = S_ISDIR(st.st_mode) ? 1 : -ENOTDIR;
    close(at);
    return r;
}

int ty_no_links_fail(struct ty_err *err, const char *path, int code)
{
    if (code == -ENOTDIR || code == -ELOOP) /* a job may have put it there */
        return ty_fail(err, code, "%s: a part of it is a link or a file, not a directory", path);
    return ty_fail(err, code, "%s: %s", path, strerrordesc_np(-code));
}

int ty_no_links_rename(const char *path, unsigned depth, const char *to_name)
{
    const char *name = "";
    int at = ty_no_links_open_last_parent(path, depth, &name);

    if (at < 0)
        return at;
    int r = renameat(at, name, at, to_name) < 0 ? -errno : 0;
    close(at);
    return r;
}

int ty_no_links_unlink(const char *path, unsigned depth, int flags)
{
    const char *name = "";
    int at = ty_no_links_open_last_parent(path, depth, &name);

    if (at < 0)
        return at;
    int r = unlinkat(at, name, flags) < 0 ? -errno : 0;
    close(at);
    return r;
}
