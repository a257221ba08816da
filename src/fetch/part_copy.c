/* Copies local files: a reflink, else a hard link, else the bytes. */
#include "fetch/download_dir_inner.h"
#include "fetch/part.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK ((size_t)64 << 20)

/* If the kernel cannot copy between the two file systems. */
static int copy_by_hand(int in, int out, char *buf, size_t n)
{
    ssize_t got = read(in, buf, n);
    for (ssize_t at = 0; at < got;) {
        ssize_t put = write(out, buf + at, (size_t)(got - at));
        if (put < 0 && errno != EINTR)
            return -errno;
        at += put > 0 ? put : 0;
    }
    return got < 0 ? -errno : (int)got;
}

static int64_t copy_some(int in, int out)
{
    char buf[1 << 16];
    ssize_t n = copy_file_range(in, NULL, out, NULL, CHUNK, 0);
    if (n > 0)
        return n;
    if (n < 0 && errno != EXDEV && errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP &&
        errno != EPERM)
        return -errno;
    return copy_by_hand(in, out, buf, sizeof(buf)); /* also files as in /proc that report size 0 */
}

static int copy_bytes(struct ty_part *p, int in, void (*copied)(void *ctx, int64_t n), void *ctx)
{
    for (;;) {
        int64_t n = copy_some(in, p->fd);
        if (n == -EINTR)
            continue;
        if (n <= 0)
            return (int)n;
        p->have += n;
        copied(ctx, n);
    }
}

/* Creates a hard link, after removing the part's own file. */
static bool link_to(struct ty_download_dir *s, const struct ty_part *p, const char *from)
{
    char file[48], fresh[48];
    snprintf(file, sizeof(file), "%s.part", p->id);
    snprintf(fresh, sizeof(fresh), "%s.new.part", p->id);
    unlinkat(s->own, fresh, 0);
    return linkat(AT_FDCWD, from, s->own, fresh, AT_SYMLINK_FOLLOW) == 0 &&
           renameat(s->own, fresh, s->own, file) == 0;
}

int ty_part_copy(struct ty_download_dir *s, struct ty_part *p, const char *from,
                 void (*copied)(void *ctx, int64_t n), void *ctx, struct ty_err *err)
{
    struct stat st;
    int in = open(from, O_RDONLY | O_CLOEXEC), r = 0;
    if (in < 0 || fstat(in, &st) < 0) {
        int code = -errno;
        ty_download_dir_close_fd(&in);
        return ty_fail(err, code, "%s: %s", from, strerrordesc_np(-code));
    }
    if (ioctl(p->fd, FICLONE, in) == 0 || link_to(s, p, from)) {
        p->have = st.st_size;
        copied(ctx, st.st_size);
    } else {
        r = copy_bytes(p, in, copied, ctx);
    }
    ty_download_dir_close_fd(&in);
    return r < 0 ? ty_download_dir_fail(s, r, from, err) : 0;
}
