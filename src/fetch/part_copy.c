/* Copies local files: a reflink, else the bytes. Never a hard link: a program that fine-tunes the
 * copy in place would change the user's own file. */
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

/* A file that only its owner may read stays one; nothing is allowed that the umask forbids. A file
 * system without modes of its own cannot keep them. */
static int limit_mode(int fd, mode_t most)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return -errno;
    mode_t mode = (st.st_mode & most & 0777) | S_IRUSR | S_IWUSR;
    if (mode == (st.st_mode & 07777) || fchmod(fd, mode) == 0 || errno == EPERM ||
        errno == EOPNOTSUPP)
        return 0;
    return -errno;
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
    r = limit_mode(p->fd, st.st_mode);
    if (r == 0 && ioctl(p->fd, FICLONE, in) == 0) {
        p->have = st.st_size;
        copied(ctx, st.st_size);
    } else if (r == 0) {
        r = copy_bytes(p, in, copied, ctx);
    }
    ty_download_dir_close_fd(&in);
    return r < 0 ? ty_download_dir_fail(s, r, from, err) : 0;
}
