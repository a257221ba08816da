/* A private copy of a directory, laid over it in the pod, to which names can be added: the host
 * never sees them. Two forms, both with the files of the host:
 *
 *   binds    a tmpfs with a bind of every entry. What exists is the host's own: files written into
 *            its directories stay, its sockets answer. For "/" this tmpfs becomes the root.
 *
 *              /etc /home /usr        /etc->bind /home->bind /usr->bind /workspace
 *
 *   overlay  overlayfs with its upper directory on that tmpfs, for directories of software with
 *            many entries: one mount instead of hundreds. Its changes are the pod's own, and
 *            sockets in it do not answer, so it is not used where data or sockets may be. */
#include "proc/shim_overlay.h"

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

#include "base/path.h"
#include "base/str.h"
#include "proc/proc_failure.h"
#include "proc/shim_mounts.h"

/* The mode of our copies distinguishes them from other file systems: it is unusual for a root. */
#define OVER_MODE   01755
#define OVER_OPTION "mode=1755"
enum { BINDS_MOST = 1024, BINDS_CHEAP = 64 };
static const char stage[] = "/etc"; /* where a new root is put together */
/* Not /opt and /usr/local: administrators keep data there. */
static const char *const software_dirs[] = { "/etc", "/usr", "/lib", "/lib64", "/bin", "/sbin" };
static const char local_dir[] = "/usr/local";

/* Names in the directory, each ending with NUL: what is mounted there, or is to stay the host's. An
 * overlay shows neither. */
struct below {
    size_t n;
    char p[4096];
    bool full;
};

struct copy {
    int dir;           /* what is laid over */
    int staged;        /* a copy of what was at `stage`, or -1: the copy lies in its place */
    const char *where; /* the tmpfs */
    struct below *below;
};

/* The root of the file system that the directory is on; a descriptor to close, or -1. */
static int open_fs_root(int dir)
{
    struct stat st, up;
    int at = openat(dir, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);

    while (at >= 0 && fstat(at, &st) == 0) {
        int above = openat(at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (above < 0 || fstat(above, &up) < 0 || up.st_dev != st.st_dev ||
            up.st_ino == st.st_ino) {
            if (above >= 0)
                close(above);
            return at;
        }
        close(at);
        at = above;
    }
    return at;
}

bool ty_shim_overlay_has(int dir)
{
    struct statfs fs;
    struct stat st;

    if (fstatfs(dir, &fs) < 0 || (fs.f_type != TMPFS_MAGIC && fs.f_type != OVERLAYFS_SUPER_MAGIC))
        return false;
    int root = open_fs_root(dir);
    bool ours = root >= 0 && fstat(root, &st) == 0 && (st.st_mode & 07777) == OVER_MODE &&
                st.st_uid == geteuid();
    if (root >= 0)
        close(root);
    return ours;
}

static int add_names(struct ty_shim_path *to, const char *dir, const char *name)
{
    to->n = 0;
    int r = ty_shim_path_add(to, dir, strlen(dir));
    if (r == 0)
        r = ty_shim_path_add(to, "/", 1);
    return r < 0 ? r : ty_shim_path_add(to, name, strlen(name));
}

/* ---- binds ---- */

static int copy_link(const struct copy *o, const char *name, const char *to)
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
static int copy_tree(const struct copy *o, const char *name, bool staged, const char *to)
{
    int tree = staged ? o->staged : ty_shim_mounts_clone(o->dir, name);
    if (tree < 0)
        return errno == EACCES || errno == ENOENT ? 0 : -1;
    int r = ty_shim_mounts_attach(tree, to);
    if (!staged)
        close(tree);
    return r;
}

/* A mount less for each device: /dev has a hundred, and every namespace of a pod copies all mounts.
 * Root makes the node; other users need those only that they can open. True: done. */
static bool copy_node(const struct copy *o, const char *name, const struct stat *st, const char *to)
{
    if (!S_ISCHR(st->st_mode) && !S_ISBLK(st->st_mode))
        return false;
    if (mknod(to, st->st_mode, st->st_rdev) < 0)
        return faccessat(o->dir, name, R_OK, AT_EACCESS) < 0 &&
               faccessat(o->dir, name, W_OK, AT_EACCESS) < 0 && mknod(to, S_IFREG, 0) == 0;
    int fd = open(to, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    bool usable = fd >= 0 && fchownat(fd, "", st->st_uid, st->st_gid, AT_EMPTY_PATH) == 0 &&
                  chmod(to, st->st_mode & 07777) == 0;
    if (fd >= 0)
        close(fd);
    return usable || (unlink(to) < 0); /* else bound */
}

static int copy_entry(const struct copy *o, const char *name)
{
    struct ty_shim_path to;
    struct stat st;
    bool staged = o->staged >= 0 && strcmp(name, stage + 1) == 0;

    if (add_names(&to, o->where, name) < 0)
        return -1;
    if (fstatat(o->dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return 0;
    if (S_ISLNK(st.st_mode))
        return copy_link(o, name, to.p);
    if (copy_node(o, name, &st, to.p))
        return 0;
    if ((S_ISDIR(st.st_mode) ? mkdir(to.p, 0755) : mknod(to.p, S_IFREG | 0644, 0)) < 0)
        return -1;
    return copy_tree(o, name, staged, to.p);
}

/* Calls fn for each entry until one fails or there are more than `most`: -E2BIG then. */
static int each_entry(const struct copy *o, size_t most,
                      int (*fn)(const struct copy *o, const char *name))
{
    _Alignas(struct dirent64) char room[4096];
    size_t entries = 0;
    long n;

    if (lseek(o->dir, 0, SEEK_SET) < 0)
        return -errno;
    while ((n = syscall(SYS_getdents64, o->dir, room, sizeof(room))) > 0) {
        for (long at = 0; at < n;) {
            struct dirent64 *e = (struct dirent64 *)(void *)(room + at);
            at += e->d_reclen;
            if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
                continue;
            if (++entries > most)
                return -E2BIG;
            if (fn && fn(o, e->d_name) < 0)
                return -errno;
        }
    }
    return n < 0 ? -errno : 0;
}

static int copy_entries(const struct copy *o, struct ty_proc_failure *fail)
{
    int r = each_entry(o, BINDS_MOST, NULL);
    if (r == 0)
        r = each_entry(o, BINDS_MOST, copy_entry);
    if (r == 0)
        return 0;
    errno = -r;
    ty_proc_failure_set(fail, "make a mount point in", o->where);
    if (r == -E2BIG)
        fail->advice = "it has more than 1,024 entries, which cannot all be mounted: create the "
                       "mount point there yourself, or change the mountPath";
    return r;
}

/* The tmpfs at `stage` becomes the root of every process of this mount namespace: of this one. */
static int enter_stage(struct ty_proc_failure *fail)
{
    if (chdir(stage) < 0 || syscall(SYS_pivot_root, ".", ".") < 0 || umount2(".", MNT_DETACH) < 0 ||
        chdir("/") < 0)
        return ty_proc_failure_set(fail, "change the root", NULL);
    return 0;
}

/* ---- overlay ---- */

static bool wants_overlay(const struct copy *o, bool root)
{
    bool known = false;
    for (size_t i = 0; i < TY_COUNT(software_dirs); i++)
        known = known || ty_path_below(o->where, software_dirs[i]);
    return !root && known && !ty_path_below(o->where, local_dir) && !strpbrk(o->where, ",:\\") &&
           each_entry(o, BINDS_CHEAP, NULL) == -E2BIG;
}

static void add_below(struct below *b, const char *dir, const char *path)
{
    path = ty_path_below(path, dir);
    if (!path || !path[0] || !path[1])
        return;
    path++;
    for (const char *p = b->p; p < b->p + b->n; p += strlen(p) + 1)
        if (ty_path_below(path, p))
            return; /* comes with the one above */
    size_t len = strlen(path) + 1;
    b->full = b->full || len > sizeof(b->p) - b->n;
    if (b->full)
        return;
    memcpy(b->p + b->n, path, len);
    b->n += len;
}

static void keep_below(struct below *b, const char *dir, const char *path)
{
    struct ty_shim_path p;
    int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return;
    if (ty_shim_path_resolve(fd, &p) == 0)
        add_below(b, dir, p.p);
    close(fd);
}

/* The fifth field of a line of mountinfo, in which blanks and backslashes are octal. */
static void add_mount_line(struct below *b, const char *dir, char *line)
{
    char *in = line;
    for (int i = 0; i < 4 && in; i++)
        in = strchr(in + (i > 0), ' ');
    if (!in)
        return;
    char *path = ++in, *out = in;
    for (; *in && *in != ' '; in++) {
        bool octal = in[0] == '\\' && in[1] && in[2] && in[3];
        *out++ = octal ? (char)((in[1] - '0') * 64 + (in[2] - '0') * 8 + (in[3] - '0')) : *in;
        in += octal ? 3 : 0;
    }
    *out = 0;
    add_below(b, dir, path);
}

/* Returns -1 if there are more than fit. */
static int read_mounts(struct below *b, const char *dir)
{
    char room[4096];
    size_t have = 0;
    ssize_t n;
    int fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return -1;
    while (!b->full && (n = read(fd, room + have, sizeof(room) - 1 - have)) > 0) {
        have += (size_t)n;
        room[have] = 0;
        char *line = room, *end;
        while ((end = strchr(line, '\n'))) {
            *end = 0;
            add_mount_line(b, dir, line);
            line = end + 1;
        }
        have -= (size_t)(line - room);
        memmove(room, line, have);
        b->full = b->full || have == sizeof(room) - 1; /* a line longer than the room */
    }
    close(fd);
    return b->full ? -1 : 0;
}

static int mount_tmpfs(const char *where)
{
    return mount("tmpfs", where, "tmpfs", MS_NOSUID, OVER_OPTION);
}

static int add_text(struct ty_shim_path *p, const char *text)
{
    return ty_shim_path_add(p, text, strlen(text));
}

/* "lowerdir=/proc/self/fd/N,upperdir=WHERE/u,workdir=WHERE/w" */
static int overlay_options(const struct copy *o, struct ty_shim_path *ret)
{
    ret->n = 0;
    if (add_text(ret, "lowerdir=/proc/self/fd/") < 0 || ty_shim_path_add_number(ret, o->dir) < 0 ||
        add_text(ret, ",upperdir=") < 0 || add_text(ret, o->where) < 0 ||
        add_text(ret, "/u,workdir=") < 0 || add_text(ret, o->where) < 0 || add_text(ret, "/w") < 0)
        return -1;
    return 0;
}

static int make_layers(const struct copy *o)
{
    struct ty_shim_path p;
    if (add_names(&p, o->where, "w") < 0 || mkdir(p.p, 0755) < 0)
        return -1;
    p.p[p.n - 1] = 'u';
    return mkdir(p.p, 0755) < 0 ? -1 : chmod(p.p, OVER_MODE);
}

/* 0: done. 1: the kernel refuses; the tmpfs is empty. */
static int mount_overlay(const struct copy *o, struct ty_proc_failure *fail)
{
    struct ty_shim_path options;

    if (make_layers(o) == 0 && overlay_options(o, &options) == 0) {
        if (mount("overlay", o->where, "overlay", MS_NOSUID, options.p) == 0)
            return 0;
        /* A user namespace must keep its marks in other attributes. */
        if (add_text(&options, ",userxattr") == 0 &&
            mount("overlay", o->where, "overlay", MS_NOSUID, options.p) == 0)
            return 0;
    }
    /* Its layers are not to be seen in the other form. */
    if (umount2(o->where, MNT_DETACH) < 0 || mount_tmpfs(o->where) < 0)
        return ty_proc_failure_set(fail, "mount tmpfs", o->where);
    return 1;
}

static int attach_below(const struct copy *o, const struct below *b, struct ty_proc_failure *fail)
{
    struct ty_shim_path to;
    for (const char *name = b->p; name < b->p + b->n; name += strlen(name) + 1)
        if (add_names(&to, o->where, name) < 0 || copy_tree(o, name, false, to.p) < 0)
            return ty_proc_failure_set(fail, "mount", to.p);
    return 0;
}

/* 0: done. 1: the kernel refuses, or there is too much below; nothing has changed. */
static int make_overlay(const struct copy *o, struct ty_proc_failure *fail)
{
    int r = read_mounts(o->below, o->where) < 0 ? 1 : mount_overlay(o, fail);
    if (r != 0)
        return r;
    r = attach_below(o, o->below, fail);
    if (r < 0)
        umount2(o->where, MNT_DETACH);
    return r;
}

/* ---- both ---- */

static int fill(const struct copy *o, bool root, struct ty_proc_failure *fail)
{
    int r = wants_overlay(o, root) ? make_overlay(o, fail) : 1;
    if (r == 1)
        r = copy_entries(o, fail);
    return r == 0 && root ? enter_stage(fail) : r;
}

int ty_shim_overlay_mount(const char *dir, const char *const *keep, struct ty_proc_failure *fail)
{
    bool root = dir[1] == 0;
    struct below below;
    struct copy o = { .staged = -1, .where = root ? stage : dir, .below = &below };
    o.dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool closed = o.dir < 0 && errno == EACCES; /* /root: what is in there is not for us anyway */
    if (o.dir < 0 && !closed)
        return ty_proc_failure_set(fail, "open", o.where);
    below.n = 0;
    below.full = false;
    for (; keep && *keep; keep++)
        keep_below(&below, dir, *keep); /* while they can be found */
    keep_below(&below, dir, local_dir);
    if (root)
        o.staged = ty_shim_mounts_clone(AT_FDCWD, stage);
    int r = 0;
    bool mounted = false;
    if (root && o.staged < 0)
        r = ty_proc_failure_set(fail, "copy", stage);
    else if (mount_tmpfs(o.where) < 0)
        r = ty_proc_failure_set(fail, "mount tmpfs", o.where);
    else
        mounted = true;
    if (r == 0 && !closed)
        r = fill(&o, root, fail);
    if (r < 0 && mounted)
        umount2(o.where, MNT_DETACH); /* no half of a copy: the zygote's would be in every pod */
    if (o.dir >= 0)
        close(o.dir);
    if (o.staged >= 0)
        close(o.staged);
    return r;
}
