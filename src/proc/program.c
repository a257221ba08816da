#include "proc/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/xalloc.h"

const char *ty_program_find(struct ty_arena *a, const char *name)
{
    /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    const char *path = getenv("PATH");
    struct ty_str rest = ty_str(path ? path : ""), dir;

    while (rest.n) {
        rest = ty_str_cut(rest, ':', &dir);
        const char *file = ty_arena_printf(a, "%.*s/%s", TY_ARG(dir), name);
        if (dir.n && access(file, X_OK) == 0)
            return file;
    }
    return NULL;
}

static int64_t clock_ms(void)
{
    struct timespec t = { 0 };

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Until the output is closed or `ret` is full. False: out of time. */
static bool read_output(int fd, char *ret, size_t max, int64_t end_ms, size_t *ret_n)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };

    for (*ret_n = 0; *ret_n < max;) {
        int64_t left = end_ms - clock_ms();
        int ready = left > 0 ? poll(&p, 1, (int)left) : 0;
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0)
            return false;
        ssize_t got = read(fd, ret + *ret_n, max - *ret_n);
        if (got <= 0)
            break;
        *ret_n += (size_t)got;
    }
    return true;
}

/* A process group of its own, so that what a script has started ends with it. */
static int start_program(const char *const *argv, int out, pid_t *ret)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;

    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_init(&how);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);
    int r = posix_spawn(ret, argv[0], &files, &how, (char *const *)(uintptr_t)argv, environ);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    return r;
}

const char *ty_program_output(struct ty_arena *a, const char *const *argv, size_t max,
                              int64_t timeout_ms)
{
    int ends[2], status = 0;
    pid_t pid = 0;
    size_t n = 0;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return NULL;
    int r = start_program(argv, ends[1], &pid);
    close(ends[1]);
    char *text = ty_xalloc(malloc(max + 1));
    bool in_time = r == 0 && read_output(ends[0], text, max, clock_ms() + timeout_ms, &n);
    close(ends[0]);
    if (r == 0) {
        kill(-pid, SIGKILL); /* it has closed its output, or is out of time */
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
    }
    struct ty_str said = ty_str_trim((struct ty_str){ text, in_time ? n : 0 });
    const char *ret = said.n ? ty_arena_cstr(a, said) : NULL;
    free(text);
    return ret;
}
