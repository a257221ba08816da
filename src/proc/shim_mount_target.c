/* Mount points that do not exist yet. A pod may ask for /workspace where only root may make it, and
 * the host shall not see it: then the directory above is laid over with a tmpfs that holds a bind
 * of every entry, and the new name beside them. For "/" that tmpfs becomes the root.
 *
 *   /etc /home /usr        /etc->bind /home->bind /usr->bind /workspace
 */
#include "proc/proc_failure.h"
#include "proc/shim_mounts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The mode of our overlays distinguishes them from other tmpfs: it is unusual for a directory. */
#define OVER_MODE   01755
#define OVER_OPTION "mode=1755"
enum { ENTRIES_MOST = 1024 };
static const char stage[] = "/etc"; /* where a new root is put together */

static bool is_below(const char *path, const char *dir)
{
    size_t n = strlen(dir);
    while (n > 1 && dir[n - 1] == '/')
        n--;
    return strncmp(path, dir, n) == 0 && (n == 1 || path[n] == '/' || !path[n]);
}

static bool is_ours(const char *path, const struct ty_bind_mount *made, size_t n_made)
{
    struct statfs fs;
    struct stat st;
    for (size_t i = 0; i < n_made; i++)
        if (is_below(path, made[i].to))
            return true;
    return statfs(path, &fs) == 0 && fs.f_type == TMPFS_MAGIC && stat(path, &st) == 0 &&
           (st.st_mode & 07777) == OVER_MODE && st.st_uid == geteuid();
}

/* Cuts the path back to what exists. */
static void cut_to_existing(struct ty_shim_path *p)
{
    struct stat st;
    while (stat(p->p, &st) < 0) {
        while (p->n > 1 && p->p[p->n - 1] == '/')
            p->n--;
        while (p->n > 1 && p->p[p->n - 1] != '/')
            p->n--;
        while (p->n > 1 && p->p[p->n - 1] == '/')
            p->n--;
        p->p[p->n] = 0;
        if (p->n <= 1)
            return;
    }
}

static int make_empty(const char *path, bool dir, mode_t mode)
{
    if (dir)
        return mkdir(path, mode);
    int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
    if (fd >= 0)
        close(fd);
    return fd < 0 ? -1 : 0;
}

struct overlay {
    int dir;           /* what is laid over */
    int staged;        /* a copy of what was at `stage`, or -1: the overlay lies in its place */
    const char *where; /* the tmpfs */
};

static int copy_link(const struct overlay *o, const char *name, const char *to)
{
    char target[4096];
    ssize_t n = readlinkat(o->dir, name, target, sizeof(target) - 1);
    if (n < 0)
        return -1;
    target[n] = 0;
    return symlink(target, to);
}

/* An entry that we cannot open (a FUSE mount of another user, a file just removed) stays empty: the
 * pod could not use it either. */
static int copy_tree(const struct overlay *o, const char *name, bool staged, const char *to)
{
    int tree = staged ? o->staged : ty_shim_mounts_clone(o->dir, name);
    if (tree < 0)
        return errno == EACCES || errno == ENOENT ? 0 : -1;
    int r = ty_shim_mounts_attach(tree, to);
    if (!staged)
        close(tree);
    return r;
}

/* One entry of the directory appears in the overlay. */
static int copy_entry(const struct overlay *o, const char *name)
{
    struct ty_shim_path to;
    struct stat st;
    bool staged = o->staged >= 0 && strcmp(name, stage + 1) == 0;

    to.n = 0;
    if (ty_shim_path_add(&to, o->where, strlen(o->where)) || ty_shim_path_add(&to, "/", 1) ||
        ty_shim_path_add(&to, name, strlen(name)))
        return -1;
    if (fstatat(o->dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return 0;
    if (S_ISLNK(st.st_mode))
        return copy_link(o, name, to.p);
    if (make_empty(to.p, S_ISDIR(st.st_mode), 0755) < 0)
        return -1;
    return copy_tree(o, name, staged, to.p);
}

static int copy_entries(const struct overlay *o, struct ty_proc_failure *fail)
{
    _Alignas(struct dirent64) char room[4096];
    size_t entries = 0;
    long n;

    while ((n = syscall(SYS_getdents64, o->dir, room, sizeof(room))) > 0) {
        for (long at = 0; at < n;) {
            struct dirent64 *e = (struct dirent64 *)(void *)(room + at);
            at += e->d_reclen;
            if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
                continue;
            if (++entries > ENTRIES_MOST) {
                errno = E2BIG;
                return ty_proc_failure_set(fail, "lay over", o->where);
            }
            if (copy_entry(o, e->d_name) < 0)
                return ty_proc_failure_set(fail, "lay over", o->where);
        }
    }
    return n < 0 ? ty_proc_failure_set(fail, "read", o->where) : 0;
}

/* The tmpfs at `stage` becomes the root of every process of this mount namespace: of this one. */
static int enter_stage(struct ty_proc_failure *fail)
{
    if (chdir(stage) < 0 || syscall(SYS_pivot_root, ".", ".") < 0 || umount2(".", MNT_DETACH) < 0 ||
        chdir("/") < 0)
        return ty_proc_failure_set(fail, "change the root", NULL);
    return 0;
}

static int lay_over(const char *dir, struct ty_proc_failure *fail)
{
    bool root = dir[1] == 0;
    struct overlay o = { .staged = -1, .where = root ? stage : dir };
    o.dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool closed = o.dir < 0 && errno == EACCES; /* /root: what is in there is not for us anyway */
    if (o.dir < 0 && !closed)
        return ty_proc_failure_set(fail, "open", o.where);
    if (root)
        o.staged = ty_shim_mounts_clone(AT_FDCWD, stage);
    int r = 0;
    if (root && o.staged < 0)
        r = ty_proc_failure_set(fail, "copy", stage);
    else if (mount("tmpfs", o.where, "tmpfs", MS_NOSUID | MS_NODEV, OVER_OPTION) < 0)
        r = ty_proc_failure_set(fail, "mount tmpfs", o.where);
    if (r == 0 && !closed)
        r = copy_entries(&o, fail);
    if (r == 0 && root)
        r = enter_stage(fail);
    if (o.dir >= 0)
        close(o.dir);
    if (o.staged >= 0)
        close(o.staged);
    return r;
}

/* The missing names below p, one after the other. */
static int make_rest(struct ty_shim_path *p, const char *to, bool dir, struct ty_proc_failure *fail)
{
    const char *rest = to + p->n;
    while (*rest == '/')
        rest++;
    while (*rest) {
        size_t n = strcspn(rest, "/");
        const char *next = rest + n;
        while (*next == '/')
            next++;
        if (p->p[p->n - 1] != '/')
            ty_shim_path_add(p, "/", 1);
        ty_shim_path_add(p, rest, n); /* fits: it is a part of `to`, which did */
        if (make_empty(p->p, dir || *next, 0755) < 0 && (errno != EEXIST || !*next))
            return ty_proc_failure_set(fail, "make", to);
        rest = next;
    }
    return 0;
}

int ty_shim_mount_target_create(const char *to, bool dir, const struct ty_bind_mount *made,
                                size_t n_made, struct ty_proc_failure *fail)
{
    struct ty_shim_path p;
    struct stat st;

    p.n = 0;
    if (to[0] != '/') {
        errno = EINVAL;
        return ty_proc_failure_set(fail, "mount", to);
    }
    if (stat(to, &st) == 0) {
        errno = dir ? ENOTDIR : EISDIR;
        return dir == S_ISDIR(st.st_mode) ? 0 : ty_proc_failure_set(fail, "mount", to);
    }
    if (ty_shim_path_add(&p, to, strlen(to)) < 0)
        return ty_proc_failure_set(fail, "mount", to);
    cut_to_existing(&p);
    bool may_write = p.n > 1 && faccessat(AT_FDCWD, p.p, W_OK, AT_EACCESS) == 0;
    if (!is_ours(p.p, made, n_made) && !may_write) {
        int r = lay_over(p.p, fail);
        if (r < 0)
            return r;
    }
    return make_rest(&p, to, dir, fail);
}
