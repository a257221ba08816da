#include "fetch/download_dir.h"
#include "fetch/download_dir_inner.h"
#include "fetch/safename.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

void ty_download_dir_close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

int ty_download_dir_fail(const struct ty_download_dir *s, int code, const char *name,
                         struct ty_err *err)
{
    if (code == -ENOSPC || code == -EDQUOT)
        return ty_fail(err, code, "no room left on the disk of %s while writing %s", s->to, name);
    if (code == -EISDIR || code == -ENOTDIR || code == -ENOTEMPTY || code == -EEXIST)
        return ty_fail(err, code, "%s/%s: a file and a folder want the same name", s->to, name);
    return ty_fail(err, code, "%s/%s: %s", s->to, name, strerrordesc_np(-code));
}

int ty_download_dir_make_parents(int at, const char *name, struct ty_buf *path)
{
    for (const char *c = strchr(name + 1, '/'); c; c = strchr(c + 1, '/')) {
        path->n = 0;
        ty_buf_put(path, name, (size_t)(c - name));
        ty_buf_chr(path, '\0');
        if (mkdirat(at, path->p, 0777) < 0 && errno != EEXIST)
            return -errno;
    }
    return 0;
}

static int make_target(struct ty_arena *a, const char *to, struct ty_err *err)
{
    ty_auto_buf path = { 0 };
    int r = ty_download_dir_make_parents(AT_FDCWD, ty_arena_printf(a, "%s/", to), &path);
    return r == 0 ? 0
                  : ty_fail(err, r, "cannot make the folder %s: %s", path.p, strerrordesc_np(-r));
}

static int open_all(struct ty_download_dir *s, struct ty_err *err)
{
    s->dir = open(s->to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (s->dir < 0)
        return ty_fail(err, -errno, "%s: %s", s->to, strerrordesc_np(errno));
    if (mkdirat(s->dir, TY_FETCH_FOLDER, 0777) < 0 && errno != EEXIST)
        return ty_download_dir_fail(s, -errno, TY_FETCH_FOLDER, err);
    s->own = openat(s->dir, TY_FETCH_FOLDER, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (s->own < 0)
        return ty_download_dir_fail(s, -errno, TY_FETCH_FOLDER, err);
    s->lock = openat(s->own, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (s->lock < 0)
        return ty_download_dir_fail(s, -errno, TY_FETCH_FOLDER "/lock", err);
    if (flock(s->lock, LOCK_EX | LOCK_NB) < 0)
        return errno == EWOULDBLOCK
                   ? ty_fail(err, -EBUSY, "%s is being filled by another trainyard", s->to)
                   : ty_download_dir_fail(s, -errno, TY_FETCH_FOLDER "/lock", err);
    s->journal =
        openat(s->own, "done.jsonl", O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (s->journal < 0)
        return ty_download_dir_fail(s, -errno, TY_FETCH_FOLDER "/done.jsonl", err);
    return 0;
}

int ty_download_dir_open(struct ty_arena *a, const char *to, struct ty_download_dir **ret,
                         struct ty_err *err)
{
    struct ty_download_dir *s = ty_new(a, struct ty_download_dir);
    *s = (struct ty_download_dir){
        .arena = a, .to = to, .dir = -1, .own = -1, .lock = -1, .journal = -1
    };
    int r = make_target(a, to, err);
    if (r == 0)
        r = open_all(s, err);
    if (r == 0)
        r = ty_download_dir_journal_read(s, err);
    if (r < 0) {
        ty_download_dir_close(s);
        return r;
    }
    *ret = s;
    return 0;
}

void ty_download_dir_close(struct ty_download_dir *s)
{
    if (!s)
        return;
    ty_download_dir_close_fd(&s->journal);
    ty_download_dir_close_fd(&s->lock);
    ty_download_dir_close_fd(&s->own);
    ty_download_dir_close_fd(&s->dir);
}

/* Calls fn for every part and tag file. */
static void each_part(const struct ty_download_dir *s,
                      void (*fn)(int own, const char *name, void *ctx), void *ctx)
{
    int fd = openat(s->own, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d) {
        ty_download_dir_close_fd(&fd);
        return;
    }
    const struct dirent *e;
    while ((e = readdir(d))) { /* NOLINT(concurrency-mt-unsafe): the only reader of this stream */
        struct ty_str name = ty_str(e->d_name);
        if (ty_str_ends(name, TY_LIT(".part")) || ty_str_ends(name, TY_LIT(".tag")))
            fn(s->own, e->d_name, ctx);
    }
    closedir(d);
}

static void remove_part(int own, const char *name, void *ctx)
{
    (void)ctx;
    unlinkat(own, name, 0);
}

void ty_download_dir_cleanup(struct ty_download_dir *s)
{
    each_part(s, remove_part, NULL);
}

static void add_part(int own, const char *name, void *ctx)
{
    struct stat st;
    if (fstatat(own, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode))
        *(uint64_t *)ctx += (uint64_t)st.st_size;
}

int64_t ty_download_dir_free_bytes(const struct ty_download_dir *s)
{
    struct statvfs v;
    uint64_t room, begun = 0;
    each_part(s, add_part, &begun);
    if (fstatvfs(s->dir, &v) < 0 || v.f_blocks == 0 ||
        __builtin_mul_overflow((uint64_t)v.f_bavail, (uint64_t)v.f_frsize, &room) ||
        __builtin_add_overflow(room, begun, &room) || room > INT64_MAX)
        return INT64_MAX;
    return (int64_t)room;
}

int ty_download_dir_open_file(const struct ty_download_dir *s, const char *name, int64_t size)
{
    struct stat st;
    int fd = openat(s->dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size != size))
        ty_download_dir_close_fd(&fd);
    return fd;
}
