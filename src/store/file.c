#include "store/file.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define MEBI ((size_t)1 << 20)

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

static int too_big(struct ty_err *err, size_t bytes, const char *more)
{
    return ty_fail(err, -EFBIG, "%zu MB%s is more than the %zu MB limit", bytes / MEBI, more,
                   TY_FILE_MAX / MEBI);
}

/* Reads to the end; `size` is an estimate. */
static int read_all(struct ty_arena *a, int fd, size_t size, struct ty_str *ret_text,
                    struct ty_err *err)
{
    size_t cap = size + 1 > 65536 ? size + 1 : 65536, n = 0;
    char *p = ty_arena_raw(a, cap, 1);
    for (;;) {
        ssize_t got = read(fd, p + n, cap - n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return ty_fail(err, -errno, "cannot read: %s", strerrordesc_np(errno));
        if (got == 0)
            break;
        n += (size_t)got;
        if (n > TY_FILE_MAX)
            return too_big(err, n, " or more");
        if (n == cap) { /* a pipe, or a file that grows */
            char *more = ty_arena_raw(a, cap * 2, 1);
            memcpy(more, p, n);
            p = more;
            cap *= 2;
        }
    }
    *ret_text = (struct ty_str){ p, n };
    return 0;
}

int ty_file_read(struct ty_arena *a, const char *path, int stdin_fd, struct ty_str *ret_text,
                 struct ty_err *err)
{
    bool is_stdin = strcmp(path, "-") == 0;
    int own TY_AUTO(close_fd) = is_stdin ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    int fd = is_stdin ? stdin_fd : own;
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0)
        return ty_fail(err, -errno, "cannot open: %s", strerrordesc_np(errno));
    if (S_ISDIR(st.st_mode))
        return ty_fail(err, -EISDIR, "is a directory, not a file");
    if (S_ISREG(st.st_mode) && st.st_size > (off_t)TY_FILE_MAX)
        return too_big(err, (size_t)st.st_size, "");
    return read_all(a, fd, S_ISREG(st.st_mode) ? (size_t)st.st_size : 0, ret_text, err);
}
