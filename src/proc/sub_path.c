#include "proc/sub_path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_below(int root, const char *sub)
{
    struct open_how how = { .flags = O_PATH | O_CLOEXEC,
                            .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
    int fd = (int)syscall(SYS_openat2, root, sub, &how, sizeof(how));

    return fd < 0 ? -errno : fd;
}

int ty_sub_path_open(const char *volume, const char *sub)
{
    int root = open(volume, O_PATH | O_DIRECTORY | O_CLOEXEC);

    if (root < 0)
        return -errno;
    int fd = open_below(root, sub);
    close(root);
    return fd;
}

/* The directory `name` in `parent`, a path below root. */
static int create_one(int root, const char *parent, const char *name)
{
    int at = parent[0] ? open_below(root, parent) : dup(root);

    if (at < 0)
        return parent[0] ? at : -errno;
    int r = mkdirat(at, name, 0755) < 0 && errno != EEXIST ? -errno : 0;
    close(at);
    return r;
}

int ty_sub_path_create(const char *volume, const char *sub)
{
    char parent[PATH_MAX] = "", name[NAME_MAX + 1];
    size_t had = 0;
    int r = 0, root = open(volume, O_PATH | O_DIRECTORY | O_CLOEXEC);

    if (root < 0)
        return -errno;
    for (sub += strspn(sub, "/"); *sub && r == 0; sub += strspn(sub, "/")) {
        size_t n = strcspn(sub, "/");
        if (n >= sizeof(name) || had + n + 2 > sizeof(parent)) {
            r = -ENAMETOOLONG;
            break;
        }
        memcpy(name, sub, n);
        name[n] = '\0';
        r = create_one(root, parent, name);
        parent[had] = '/'; /* RESOLVE_IN_ROOT: from the volume */
        memcpy(parent + had + 1, name, n + 1);
        had += n + 1;
        sub += n;
    }
    close(root);
    return r;
}
