/* Binds and tmpfs of a pod or a container, in order. Sources are copied before the first mount, so
 * that a volume laid over a directory hides no later source below it, and is part of none. */
#include "proc/shim_mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "proc/proc_failure.h"
#include "proc/sub_path.h"

int ty_shim_path_add(struct ty_shim_path *p, const char *s, size_t n)
{
    if (n >= sizeof(p->p) - p->n) {
        errno = ENAMETOOLONG;
        return -ENAMETOOLONG;
    }
    memcpy(p->p + p->n, s, n);
    p->n += n;
    p->p[p->n] = 0;
    return 0;
}

int ty_shim_path_add_number(struct ty_shim_path *p, int v)
{
    char digits[12], *at = digits + sizeof(digits);
    do
        *--at = (char)('0' + v % 10);
    while (v /= 10);
    return ty_shim_path_add(p, at, (size_t)(digits + sizeof(digits) - at));
}

int ty_shim_path_resolve(int fd, struct ty_shim_path *ret)
{
    static const char dir[] = "/proc/self/fd/";
    char name[sizeof(dir) + 12], *at = name + sizeof(name);

    *--at = 0;
    do
        *--at = (char)('0' + fd % 10);
    while (fd /= 10);
    memcpy(at -= sizeof(dir) - 1, dir, sizeof(dir) - 1);
    ssize_t n = readlink(at, ret->p, sizeof(ret->p) - 1);
    if (n < 0)
        return -errno;
    ret->n = (size_t)n;
    ret->p[n] = 0;
    return 0;
}

int ty_shim_mounts_clone(int dir, const char *name)
{
    return open_tree(dir, name, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
}

int ty_shim_mounts_attach(int tree, const char *to)
{
    return move_mount(tree, "", AT_FDCWD, to,
                      MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_SYMLINKS | MOVE_MOUNT_T_AUTOMOUNTS);
}

int ty_shim_mounts_make_private(struct ty_proc_failure *fail)
{
    if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
        return ty_proc_failure_set(fail, "separate the mounts", NULL);
    return 0;
}

int ty_shim_mounts_proc(struct ty_proc_failure *fail)
{
    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
        return ty_proc_failure_set(fail, "mount", "/proc");
    return 0;
}

/* The flags that a remount must repeat: a mount from outside our user namespace has them locked. */
static unsigned long kept_flags(const char *path)
{
    struct statvfs st;
    if (statvfs(path, &st) < 0)
        return 0;
    return (st.f_flag & ST_NOSUID ? MS_NOSUID : 0UL) | (st.f_flag & ST_NODEV ? MS_NODEV : 0UL) |
           (st.f_flag & ST_NOEXEC ? MS_NOEXEC : 0UL) | (st.f_flag & ST_NOATIME ? MS_NOATIME : 0UL) |
           (st.f_flag & ST_NODIRATIME ? MS_NODIRATIME : 0UL) |
           (st.f_flag & ST_RELATIME ? MS_RELATIME : 0UL);
}

static bool has_sub(const struct ty_bind_mount *b)
{
    return b->sub && b->sub[0];
}

static int clone_source(const struct ty_bind_mount *b)
{
    if (!has_sub(b))
        return ty_shim_mounts_clone(AT_FDCWD, b->from);
    int fd = ty_sub_path_open(b->from, b->sub);
    if (fd < 0) {
        errno = -fd;
        return -1;
    }
    int tree = open_tree(
        fd, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE | (unsigned)AT_EMPTY_PATH);
    close(fd);
    return tree;
}

static int make_bind(const struct ty_bind_mount *b, int from, struct ty_proc_failure *fail)
{
    if (ty_shim_mounts_attach(from, b->to) < 0)
        return ty_proc_failure_set(fail, "mount", b->to);
    if (b->read_only &&
        mount(NULL, b->to, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY | kept_flags(b->to), NULL) < 0)
        return ty_proc_failure_set(fail, "mount read-only", b->to);
    return 0;
}

static int make_one(const struct ty_shim_mounts_ctx *x, int from, struct ty_proc_failure *fail)
{
    const struct ty_bind_mount *b = &x->made[x->n_made];
    struct stat st = { .st_mode = S_IFDIR };
    if (from >= 0 && fstat(from, &st) < 0)
        return ty_proc_failure_set(fail, "read", b->from);
    int r = ty_shim_mount_target_create(b->to, S_ISDIR(st.st_mode), x, fail);
    if (r < 0 || from >= 0)
        return r < 0 ? r : make_bind(b, from, fail);
    unsigned long flags = MS_NOSUID | MS_NODEV | (b->read_only ? MS_RDONLY : 0);
    if (mount("tmpfs", b->to, "tmpfs", flags, "mode=0777") < 0)
        return ty_proc_failure_set(fail, "mount tmpfs", b->to);
    return 0;
}

static int make_all(struct ty_shim_mounts_ctx *x, const int *from, size_t n,
                    struct ty_proc_failure *fail)
{
    for (; x->n_made < n; x->n_made++) {
        int r = make_one(x, from[x->n_made], fail);
        if (r < 0)
            return r;
    }
    return 0;
}

int ty_shim_mounts_bind(const struct ty_bind_mount *binds, const char *const *keep,
                        struct ty_proc_failure *fail)
{
    struct ty_shim_mounts_ctx x = { .made = binds, .keep = keep };
    int from[TY_SHIM_BINDS_MAX];
    size_t n = 0;
    int r = 0;

    for (; r == 0 && binds[n].to; n++) {
        if (n == TY_SHIM_BINDS_MAX) {
            errno = E2BIG;
            r = ty_proc_failure_set(fail, "mount", binds[n].to);
            break;
        }
        from[n] = binds[n].tmpfs ? -1 : clone_source(&binds[n]);
        if (from[n] < 0 && !binds[n].tmpfs)
            r = has_sub(&binds[n]) ? ty_proc_failure_set(fail, "open the subPath", binds[n].sub)
                                   : ty_proc_failure_set(fail, "open", binds[n].from);
    }
    if (r == 0)
        r = make_all(&x, from, n, fail);
    while (n--)
        if (from[n] >= 0)
            close(from[n]);
    return r;
}
