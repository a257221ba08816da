/* Nothing is written to the files, so nothing that others put in their place can be damaged: the
 * kernel's table of locks names the holder. Existing files are opened without O_CREAT, because
 * fs.protected_regular refuses that for files of other users in such a directory. */
#include "engine/pod/gpu_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "proc/regular_file.h"

enum { TRIES = 8 }; /* somebody removes or creates the file at the same moment */

/* ---- the directory ---- */

static void describe_user(uid_t uid, char ret[128])
{
    /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    const struct passwd *user = getpwuid(uid);

    if (user)
        snprintf(ret, 128, "user %s", user->pw_name);
    else
        snprintf(ret, 128, "uid %u", uid);
}

/* Without the sticky bit everybody could remove the files of others; its owner always can, so that
 * two runs would lock different files of one name. */
static int check_dir(int fd, const char *path, struct ty_err *err)
{
    struct stat st;

    if (fstat(fd, &st) < 0 || faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) < 0)
        return ty_fail(err, -errno, "%s: %s", path, strerrordesc_np(errno));
    if (!(st.st_mode & S_ISVTX))
        return ty_fail(err, -EPERM, "%s: the sticky bit is not set: chmod 1777 %s", path, path);
    if (st.st_uid != 0 && st.st_uid != geteuid()) {
        char owner[128];
        describe_user(st.st_uid, owner);
        return ty_fail(err, -EPERM,
                       "%s belongs to %s, who could remove locks of others: chown root %s", path,
                       owner, path);
    }
    return 0;
}

int ty_gpu_lock_open_dir(const char *path, struct ty_err *err)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int fd = open(path, flags);

    if (fd < 0 && errno == ENOENT) {
        mode_t mask = umask(0); /* one thread; a chmod later would leave a moment in between */
        int made = mkdir(path, 01777);
        umask(mask);
        if (made == 0 || errno == EEXIST)
            fd = open(path, flags);
    }
    if (fd < 0)
        return ty_fail(err, -errno, "%s: %s", path, strerrordesc_np(errno));
    int r = check_dir(fd, path, err);
    if (r < 0)
        close(fd);
    return r < 0 ? r : fd;
}

/* ---- one lock ---- */

static int open_file(int dir, const char *name)
{
    const int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK; /* a FIFO does not block */
    int fd = openat(dir, name, flags);

    if (fd < 0 && errno == ENOENT) {
        mode_t mask = umask(0);
        fd = openat(dir, name, flags | O_CREAT | O_EXCL, 0444);
        umask(mask);
    }
    return fd;
}

/* "1: FLOCK  ADVISORY  WRITE 4711 00:19:1234 0 EOF", or READ; 0: not found. */
static pid_t find_holder(const struct stat *st)
{
    char line[256];
    FILE *f = fopen("/proc/locks", "re");
    pid_t found = 0;

    while (f && !found && fgets(line, sizeof(line), f)) {
        unsigned maj, min;
        unsigned long long ino;
        int pid;
        if (sscanf(line, "%*d: FLOCK %*s %*s %d %x:%x:%llu", &pid, &maj, &min, &ino) == 4 &&
            pid > 0 && ino == st->st_ino && makedev(maj, min) == st->st_dev)
            found = pid;
    }
    if (f)
        fclose(f);
    return found;
}

/* 0: not visible here. The table comes in pieces, and lines between them are missing when others
 * unlock something meanwhile. */
static pid_t holder_of(int fd)
{
    struct stat st;
    pid_t pid = 0;

    for (int i = 0; i < TRIES && !pid && fstat(fd, &st) == 0; i++)
        pid = find_holder(&st);
    return pid;
}

static int fail_held(int fd, const char *id, struct ty_err *why)
{
    pid_t pid = holder_of(fd);
    char path[32], name[128] = "";
    struct stat st;

    snprintf(path, sizeof(path), "/proc/%d", (int)pid);
    if (pid && stat(path, &st) == 0)
        describe_user(st.st_uid, name);
    if (pid)
        return ty_fail(why, -EBUSY, "GPU %s is used by another run (pid %d%s%s)", id, (int)pid,
                       *name ? ", " : "", name);
    return ty_fail(why, -EBUSY, "GPU %s is used by another run", id);
}

/* A file that cannot be used: only its owner and root can change that. */
static int fail_file(const struct ty_gpu_locks *l, const char *name, const char *id, int code,
                     struct ty_err *why)
{
    const char *text = code == -EINVAL ? "not a regular file" : strerrordesc_np(-code);
    char owner[128] = "";
    struct stat st;

    if (fstatat(l->dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        describe_user(st.st_uid, owner);
    return ty_fail(why, code, "GPU %s: %s/%s: %s%s%s", id, l->path, name, text,
                   *owner ? "; it belongs to " : "", owner);
}

/* -ESTALE: somebody has removed the file since it was opened. */
static int lock_opened(const struct ty_gpu_locks *l, const char *name, const char *id, int fd,
                       struct ty_err *why)
{
    int r = ty_regular_file_lock(fd, LOCK_EX, l->dir, name);

    if (r == 0 || r == -ESTALE)
        return r;
    return r == -EWOULDBLOCK ? fail_held(fd, id, why)
                             : ty_fail(why, r, "GPU %s: cannot lock %s/%s: %s", id, l->path, name,
                                       strerrordesc_np(-r));
}

/* Gives a descriptor, or -errno. */
static int lock_file(const struct ty_gpu_locks *l, const char *name, const char *id,
                     struct ty_err *why)
{
    for (int i = 0; i < TRIES; i++) {
        int fd = open_file(l->dir, name);
        struct stat st;
        int r = 0;
        if (fd < 0 && errno == EEXIST)
            continue;
        if (fd < 0)
            return fail_file(l, name, id, -errno, why);
        if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
            r = fail_file(l, name, id, -EINVAL, why);
        else
            r = lock_opened(l, name, id, fd, why);
        if (r == 0)
            return fd;
        close(fd);
        if (r != -ESTALE)
            return r;
    }
    return ty_fail(why, -EAGAIN, "GPU %s: %s/%s is being replaced", id, l->path, name);
}

/* ---- the devices of a run ---- */

/* "nvidia-0": the vendor is the first part of nvidia.com/gpu. */
static int lock_device(const struct ty_gpu_locks *l, const struct ty_host *host, size_t i,
                       struct ty_err *why)
{
    char name[128];

    if (!l->path)
        return 0;
    snprintf(name, sizeof(name), "%.*s-%s", (int)strcspn(host->gpu_resource, "."),
             host->gpu_resource, host->gpus[i]);
    for (char *slash = strchr(name, '/'); slash; slash = strchr(slash, '/'))
        *slash = '_'; /* of a MIG device */
    return lock_file(l, name, host->gpus[i], why);
}

static void unlock_device(struct ty_gpu_locks *l, size_t i)
{
    if (l->path)
        close(l->fds[i]);
    l->held &= ~((uint64_t)1 << i);
}

static int64_t count_bits(uint64_t v)
{
    return __builtin_popcountll(v);
}

bool ty_gpu_locks_extend(struct ty_gpu_locks *l, const struct ty_host *host, int64_t want,
                         struct ty_err *why)
{
    uint64_t before = l->held;
    struct ty_err err = { 0 };
    size_t n = 0;

    if (l->path && !l->dir) {
        int dir = ty_gpu_lock_open_dir(l->path, why);
        if (dir < 0)
            return false;
        l->dir = dir;
    }
    while (n < TY_GPU_LOCK_MAX && host->gpus && host->gpus[n])
        n++;
    /* Two runs that want all devices meet at the first: as soon as too few are left, stop. */
    int64_t left = (int64_t)n - count_bits(before);
    for (size_t i = 0; i < n && count_bits(l->held) < want && count_bits(l->held) + left >= want;
         i++) {
        if (before >> i & 1)
            continue;
        int fd = lock_device(l, host, i, &err);
        left--;
        if (fd < 0) {
            if (!why->code)
                *why = err;
            continue;
        }
        l->fds[i] = fd;
        l->held |= (uint64_t)1 << i;
    }
    if (count_bits(l->held) >= want)
        return true;
    ty_gpu_locks_trim(l, before, count_bits(before));
    return false;
}

void ty_gpu_locks_trim(struct ty_gpu_locks *l, uint64_t used, int64_t want)
{
    for (size_t i = TY_GPU_LOCK_MAX; i > 0 && count_bits(l->held) > want; i--)
        if ((l->held & ~used) >> (i - 1) & 1)
            unlock_device(l, i - 1);
}

void ty_gpu_locks_done(struct ty_gpu_locks *l)
{
    ty_gpu_locks_trim(l, 0, 0);
    if (l->dir > 0)
        close(l->dir);
    l->dir = 0;
}
