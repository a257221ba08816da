/* Mount points that do not exist yet. The engine makes those where what a pod writes has to stay
 * (engine/mount_points.h). All others are made here, and the host never sees them: inside a
 * volume of the pod, or in a private copy of the nearest directory that exists. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "proc/proc_failure.h"
#include "proc/shim_mounts.h"
#include "proc/shim_overlay.h"

enum { TRIES = 16 }; /* others add and remove names at the same time: in /tmp, /run, a volume */

static void cut_name(struct ty_shim_path *p)
{
    while (p->n > 1 && p->p[p->n - 1] == '/')
        p->n--;
    while (p->n > 1 && p->p[p->n - 1] != '/')
        p->n--;
    while (p->n > 1 && p->p[p->n - 1] == '/')
        p->n--;
    p->p[p->n] = 0;
}

/* Cuts the path back to what exists and we may look into, and opens it. */
static int open_existing(struct ty_shim_path *p)
{
    for (;;) {
        int fd = open(p->p, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (fd >= 0 || (errno != ENOENT && errno != EACCES) || p->n <= 1)
            return fd;
        cut_name(p);
    }
}

/* In a volume of this pod that is mounted already. */
static bool in_volume(const char *path, const struct ty_bind_mount *made, size_t n_made)
{
    struct ty_shim_path to;

    for (size_t i = 0; i < n_made; i++) {
        int fd = open(made[i].to, O_PATH | O_CLOEXEC);
        if (fd < 0)
            continue;
        bool below = ty_shim_path_resolve(fd, &to) == 0 && ty_path_below(path, to.p);
        close(fd);
        if (below)
            return true;
    }
    return false;
}

static int make_empty(int at, const char *name, bool dir)
{
    return dir ? mkdirat(at, name, 0755) : mknodat(at, name, S_IFREG | 0644, 0);
}

/* Goes down one name. -ENOENT also for a link: it leads nowhere, or somebody has just made it, so
 * the path is to be looked up again. Following it here could lead out of the volume or copy. */
static int enter(int *at, const char *name)
{
    int fd = openat(*at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOTDIR ? -ENOENT : -errno;
    close(*at);
    *at = fd;
    return 0;
}

/* The names of `rest` below the directory, which is closed, one after the other. */
static int make_rest(int at, const char *rest, bool dir)
{
    struct ty_shim_path name;
    int r = 0;

    for (rest += strspn(rest, "/"); *rest && r == 0;) {
        size_t n = strcspn(rest, "/");
        const char *next = rest + n + strspn(rest + n, "/");
        name.n = 0;
        r = ty_shim_path_add(&name, rest, n);
        if (r == 0 && strcmp(name.p, "..") == 0)
            r = -EINVAL; /* it may lead out, too */
        if (r == 0 && make_empty(at, name.p, dir || *next) < 0 && errno != EEXIST)
            r = -errno;
        if (r == 0 && *next)
            r = enter(&at, name.p);
        rest = next;
    }
    close(at);
    return r;
}

/* Lays a private copy over the directory, and opens that. */
static int open_copy(const char *dir, const char *const *keep, struct ty_proc_failure *fail)
{
    int r = ty_shim_overlay_mount(dir, keep, fail);
    if (r < 0)
        return r;
    int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0 && ty_shim_overlay_has(fd))
        return fd;
    if (fd >= 0) {
        close(fd);
        errno = ENOENT; /* a directory on the way was replaced meanwhile */
    }
    return ty_proc_failure_set(fail, "open", dir);
}

/* 0: there is something of the right type now, or was. */
static int try_create(const char *to, bool dir, const struct ty_shim_mounts_ctx *x,
                      struct ty_proc_failure *fail)
{
    struct ty_shim_path p;

    p.n = 0;
    if (ty_shim_path_add(&p, to, strlen(to)) < 0)
        return ty_proc_failure_set(fail, "mount", to);
    int fd = open_existing(&p);
    if (fd < 0)
        return ty_proc_failure_set(fail, "make", to);
    const char *rest = to + p.n;
    int r = ty_shim_path_resolve(fd, &p);
    if (r < 0) {
        close(fd);
        errno = -r;
        return ty_proc_failure_set(fail, "find", to);
    }
    if (!ty_shim_overlay_has(fd) && !in_volume(p.p, x->made, x->n_made)) {
        close(fd);
        fd = open_copy(p.p, x->keep, fail);
        if (fd < 0)
            return fd;
    }
    errno = -make_rest(fd, rest, dir);
    return errno ? ty_proc_failure_set(fail, "make", to) : 0;
}

int ty_shim_mount_target_create(const char *to, bool dir, const struct ty_shim_mounts_ctx *x,
                                struct ty_proc_failure *fail)
{
    struct stat st;
    int r = 0;

    if (to[0] != '/') {
        errno = EINVAL;
        return ty_proc_failure_set(fail, "mount", to);
    }
    for (int i = 0; i < TRIES && (r == 0 || r == -ENOENT); i++) {
        if (stat(to, &st) == 0) {
            errno = dir ? ENOTDIR : EISDIR;
            return dir == S_ISDIR(st.st_mode) ? 0 : ty_proc_failure_set(fail, "mount", to);
        }
        r = try_create(to, dir, x, fail);
    }
    if (r == 0) { /* somebody removed it each time */
        errno = EAGAIN;
        r = ty_proc_failure_set(fail, "make", to);
    }
    return r;
}
