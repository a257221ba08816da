#include "store/history/run_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "proc/regular_file.h"

#define RETRIES 1000 /* a millisecond apart */

static int open_lock(const char *dir, int flags)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    return ty_regular_file_open(ty_arena_printf(a, "%s/lock", dir), TY_DEPTH_RUN, flags, 0600);
}

/* ty_run_lock_is_held takes the lock, shared, for microseconds: a check by another process must not
 * leave this run without its lock. */
static int lock_exclusively(int fd)
{
    int r = flock(fd, LOCK_EX | LOCK_NB);

    for (int i = 0; r < 0 && errno == EWOULDBLOCK && i < RETRIES; i++) {
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
        r = flock(fd, LOCK_EX | LOCK_NB);
    }
    return r;
}

int ty_run_lock_acquire(const char *dir, struct ty_err *err)
{
    int fd = open_lock(dir, O_RDWR | O_CREAT);

    if (fd < 0)
        return ty_fail(err, fd, "%s/lock: %s", dir, ty_regular_file_error(fd));
    if (lock_exclusively(fd) < 0) {
        int r = ty_fail(err, -errno, "%s/lock: %s", dir, strerrordesc_np(errno));
        close(fd);
        return r;
    }
    return fd;
}

bool ty_run_lock_is_held(const char *dir)
{
    int fd = open_lock(dir, O_RDONLY);
    bool held = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;

    if (fd >= 0)
        close(fd);
    return held;
}
