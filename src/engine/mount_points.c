#include "engine/mount_points.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/path.h"
#include "base/xalloc.h"
#include "engine/mount_points_record.h"
#include "proc/no_links.h"
#include "proc/regular_file.h"

enum { TRIES = 10 }; /* the event loop waits for them */

struct mount_point {
    char *path;
    int fd; /* has the shared lock */
    size_t users;
};
struct ty_mount_point_hold {
    struct mount_point *point;
    struct ty_mount_point_hold *next;
};

void ty_mount_points_init(struct ty_mount_points *m, const char *dir, const char *workdir)
{
    /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    const char *const places[] = { getenv("HOME"), workdir, "/tmp" };
    char record[PATH_MAX];

    *m = (struct ty_mount_points){ 0 };
    ty_mount_points_record_path(record, dir);
    m->record = ty_xalloc(strdup(record));
    for (size_t i = 0; i < TY_COUNT(places); i++) {
        m->places[i] = places[i] && places[i][0] == '/' ? realpath(places[i], NULL) : NULL;
        if (m->places[i] && !m->places[i][1]) { /* "/" would be everywhere */
            free(m->places[i]);
            m->places[i] = NULL;
        }
    }
}

/* ---- creating ---- */

static void note_created(struct ty_mount_points *m, int at, const char *name, const char *path,
                         bool dir)
{
    struct stat st;
    if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return;
    struct ty_host_entry *e = ty_xalloc(calloc(1, sizeof(*e)));
    *e = (struct ty_host_entry){
        .path = ty_xalloc(strdup(path)), .dev = st.st_dev, .ino = st.st_ino, .dir = dir
    };
    ty_mount_points_record_add(m->record, e);
    struct ty_host_entry *old = ty_map_put(&m->created, ty_str(path), e);
    if (old)
        free(old->path);
    free(old);
}

/* One name in the directory `at`: created if it is missing. Returns it opened, or -errno. */
static int open_name(struct ty_mount_points *m, int at, const char *name, const char *path,
                     bool dir, bool last)
{
    int flags = O_CLOEXEC | O_NOFOLLOW | (dir ? O_DIRECTORY : O_NONBLOCK);
    int r = dir ? mkdirat(at, name, 0755) : mknodat(at, name, S_IFREG | 0644, 0);

    if (r < 0 && errno != EEXIST)
        return -errno;
    if (r == 0)
        note_created(m, at, name, path, dir);
    int fd = openat(at, name, (last ? O_RDONLY : O_PATH) | flags);
    return fd < 0 ? -errno : fd;
}

static bool may_create_in(const struct ty_mount_points *m, const char *root, const char *real)
{
    char top[PATH_MAX];

    if (root)
        return realpath(root, top) && ty_path_below(real, top);
    for (size_t i = 0; i < TY_COUNT(m->places); i++)
        if (m->places[i] && ty_path_below(real, m->places[i]))
            return true;
    return false;
}

/* Where it is now: a directory on the way may have been moved since its path was checked. */
static bool may_create_in_fd(const struct ty_mount_points *m, const char *root, int fd)
{
    char link[32], now[PATH_MAX];

    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, now, sizeof(now) - 1);
    if (n < 0)
        return false;
    now[n] = 0;
    return may_create_in(m, root, now);
}

/* The names of `rest` below the descriptor, which is closed; they are added to `real`. */
static int open_names(struct ty_mount_points *m, int at, char real[PATH_MAX], const char *rest,
                      bool dir)
{
    while (*rest) {
        size_t n = strcspn(rest, "/"), had = real[1] ? strlen(real) : 0;
        const char *next = rest + n + strspn(rest + n, "/");
        bool up = n == 2 && memcmp(rest, "..", 2) == 0;
        if (up || had + 1 + n >= PATH_MAX) {
            close(at);
            return up ? -EINVAL : -ENAMETOOLONG;
        }
        real[had] = '/';
        memcpy(real + had + 1, rest, n);
        real[had + 1 + n] = 0;
        int fd = open_name(m, at, real + had + 1, real, dir || *next, !*next);
        close(at);
        if (fd < 0)
            return fd;
        at = fd;
        rest = next;
    }
    return at;
}

static int open_below(struct ty_mount_points *m, const char *root, char real[PATH_MAX],
                      const char *rest, bool dir)
{
    rest += strspn(rest, "/");
    int at = ty_no_links_open(real, *rest ? O_PATH | O_DIRECTORY : O_RDONLY | O_NONBLOCK);

    if (at >= 0 && !may_create_in_fd(m, root, at)) {
        close(at);
        return -EPERM;
    }
    return at < 0 ? at : open_names(m, at, real, rest, dir);
}

/* The nearest that exists, without links, and what of the path is missing. */
static const char *find_existing(const char *path, char real[PATH_MAX])
{
    char cut[PATH_MAX];
    size_t n = strlen(path);

    if (n >= sizeof(cut))
        return NULL;
    memcpy(cut, path, n + 1);
    while (!realpath(cut, real)) {
        if (errno != ENOENT || n <= 1)
            return NULL;
        while (n > 1 && cut[n - 1] == '/')
            n--;
        while (n > 1 && cut[n - 1] != '/')
            n--;
        cut[n] = 0;
    }
    return path + n;
}

/* Another run removes it at this moment, or has done so since it was opened: -EAGAIN. */
static int lock_point(int fd, const char *path)
{
    int r = ty_regular_file_lock(fd, LOCK_SH, AT_FDCWD, path);

    return r == -EWOULDBLOCK || r == -ESTALE ? -EAGAIN : 0;
}

/* A descriptor with its lock, its path in real; or -errno. */
static int open_point(struct ty_mount_points *m, const char *root, const char *path, bool dir,
                      char real[PATH_MAX])
{
    int r = -EAGAIN;

    for (int i = 0; i < TRIES && (r == -EAGAIN || r == -ENOENT); i++) {
        const char *rest = find_existing(path, real);
        if (!rest || !may_create_in(m, root, real))
            return -EPERM;
        int fd = open_below(m, root, real, rest, dir);
        r = fd < 0 ? fd : lock_point(fd, real);
        if (r == 0)
            return fd;
        if (fd >= 0)
            close(fd);
        if (r == -EAGAIN) /* about as long as an rmdir takes */
            nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    }
    return r;
}

int ty_mount_points_hold(struct ty_mount_points *m, struct ty_mount_point_hold **list,
                         const char *root, const char *path, bool dir)
{
    char real[PATH_MAX];
    int fd = open_point(m, root, path, dir, real);

    if (fd < 0)
        return fd;
    struct mount_point *p = ty_map_get(&m->in_use, ty_str(real));
    for (struct ty_mount_point_hold *h = *list; h && p; h = h->next)
        if (h->point == p) { /* its container starts again */
            close(fd);
            return 0;
        }
    if (p) {
        close(fd);
    } else {
        p = ty_xalloc(calloc(1, sizeof(*p)));
        p->path = ty_xalloc(strdup(real));
        p->fd = fd;
        ty_map_put(&m->in_use, ty_str(real), p);
    }
    p->users++;
    struct ty_mount_point_hold *h = ty_xalloc(calloc(1, sizeof(*h)));
    *h = (struct ty_mount_point_hold){ .point = p, .next = *list };
    *list = h;
    return 0;
}

/* ---- removing ---- */

enum mount_removal { REMOVED, IN_USE, NOT_EMPTY };

static enum mount_removal remove_name(int at, const char *name, const struct ty_host_entry *e)
{
    int flags = O_NOFOLLOW | O_CLOEXEC | (e->dir ? O_RDONLY | O_DIRECTORY : O_RDWR | O_NONBLOCK);
    int fd = openat(at, name, flags);
    struct stat st;

    if (fd < 0)
        return errno == ENOENT ? REMOVED : NOT_EMPTY;
    enum mount_removal r = NOT_EMPTY;
    bool same = fstat(fd, &st) == 0 && st.st_dev == e->dev && st.st_ino == e->ino &&
                (e->dir || (st.st_size == 0 && st.st_nlink == 1));
    if (same && flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
        r = IN_USE;
    else if (same && unlinkat(at, name, e->dir ? AT_REMOVEDIR : 0) == 0)
        r = REMOVED;
    close(fd);
    return r;
}

static enum mount_removal remove_entry(const struct ty_host_entry *e)
{
    const char *name = NULL;
    int at = ty_no_links_open_parent(e->path, &name);

    if (at < 0)
        return at == -ENOENT ? REMOVED : NOT_EMPTY;
    enum mount_removal r = remove_name(at, name, e);
    close(at);
    return r;
}

static void free_entry(struct ty_host_entry *e)
{
    free(e->path);
    free(e);
}

/* The mount point and the directories above it, as far as this run created them. */
static void remove_up(struct ty_mount_points *m, const char *path)
{
    char at[PATH_MAX];
    struct ty_host_entry *e;

    snprintf(at, sizeof(at), "%s", path);
    while ((e = ty_map_get(&m->created, ty_str(at))) && !ty_map_get(&m->in_use, ty_str(at)) &&
           remove_entry(e) == REMOVED) {
        ty_map_del(&m->created, ty_str(at));
        free_entry(e);
        *strrchr(at, '/') = 0;
    }
}

void ty_mount_points_release(struct ty_mount_points *m, struct ty_mount_point_hold **list)
{
    while (*list) {
        struct ty_mount_point_hold *h = *list;
        struct mount_point *p = h->point;
        *list = h->next;
        free(h);
        if (--p->users)
            continue;
        close(p->fd);
        ty_map_del(&m->in_use, ty_str(p->path));
        remove_up(m, p->path);
        free(p->path);
        free(p);
    }
}

/* Below its parents in the list: the last one first. What stays is recorded. */
static void remove_all(struct ty_host_entry *v, size_t n, const char *record, bool keep_all)
{
    for (size_t i = n; i-- > 0;) {
        enum mount_removal r = remove_entry(&v[i]);
        keep_all = keep_all || r == IN_USE; /* it may be what is in those above */
        v[i].stays = keep_all && r != REMOVED;
    }
    ty_mount_points_record_remove(record);
    for (size_t i = 0; i < n; i++)
        if (v[i].stays)
            ty_mount_points_record_add(record, &v[i]);
}

void ty_mount_points_done(struct ty_mount_points *m)
{
    struct ty_host_entry *v = ty_xalloc(calloc(m->created.n + 1, sizeof(*v)));
    const struct ty_map_slot *s = NULL;
    size_t n = 0, at = 0;

    while ((s = ty_map_next(&m->created, &at)))
        v[n++] = *(const struct ty_host_entry *)s->value;
    if (m->record)
        remove_all(v, n, m->record, true); /* another run may have made a name in it */
    free(v);
    for (at = 0; (s = ty_map_next(&m->created, &at));)
        free_entry(s->value);
    ty_map_done(&m->created);
    ty_map_done(&m->in_use);
    for (size_t i = 0; i < TY_COUNT(m->places); i++)
        free(m->places[i]);
    free(m->record);
}

/* ---- runs that were killed ---- */

void ty_mount_points_gc(const char *dir)
{
    char record[PATH_MAX];
    struct ty_mount_points_list all;

    ty_mount_points_record_path(record, dir);
    if (ty_mount_points_record_read(record, &all))
        remove_all(all.v, all.n, record, false);
    ty_mount_points_record_done(&all);
}
