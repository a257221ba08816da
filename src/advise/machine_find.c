/* Collects facts about this machine. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "advise/machine.h"
#include "net/curl.h"
#include "proc/cgroup.h"
#include "proc/shim.h"

#define ASK_MS 10000 /* python is slow to start on a slow disk */
#define SAID   256   /* bytes of output that are read */
#define TORCH  "import importlib.metadata as m; print(m.version('torch'))"

/* Searches PATH; NULL: not found. */
static const char *find_program(struct ty_arena *a, const char *name)
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

/* Waits for its end, or the timeout. */
static size_t read_output(int fd, char *ret, size_t cap)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };
    size_t n = 0;

    while (n < cap && poll(&p, 1, ASK_MS) > 0) {
        ssize_t got = read(fd, ret + n, cap - n);
        if (got <= 0)
            break;
        n += (size_t)got;
    }
    return n;
}

/* The output of a program, without the newline; NULL: it failed or printed nothing. */
static const char *run_program(struct ty_arena *a, const char *const *argv)
{
    posix_spawn_file_actions_t files;
    char said[SAID];
    int ends[2], status = 0;
    pid_t pid = 0;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return NULL;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int r = posix_spawn(&pid, argv[0], &files, NULL, (char *const *)(uintptr_t)argv, environ);
    posix_spawn_file_actions_destroy(&files);
    close(ends[1]);
    size_t n = r == 0 ? read_output(ends[0], said, sizeof(said)) : 0;
    close(ends[0]);
    if (r != 0)
        return NULL;
    kill(pid, SIGKILL); /* it has closed its output, or timed out */
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    struct ty_str text = ty_str_trim((struct ty_str){ said, n });
    return text.n ? ty_arena_cstr(a, text) : NULL;
}

static void find_host(struct ty_arena *a, struct ty_machine *m)
{
    struct ty_zygote *z = NULL;
    struct ty_err err = { 0 };

    if (ty_zygote_start(&z, &err) < 0) {
        m->zygote = ty_arena_strdup(a, err.text);
        return;
    }
    ty_host_find(a, z, &m->host);
    ty_zygote_stop(z);
    m->cgroup = ty_cgroups_find(a, &err);
    if (!m->cgroup)
        m->no_cgroup = ty_arena_strdup(a, err.text);
}

/* The nearest existing parent folder, in which it would be created. */
static void find_state(struct ty_arena *a, const char *state, struct ty_machine *m)
{
    char *at = ty_arena_strdup(a, state);
    struct statvfs fs;

    m->state = state;
    while (access(at, F_OK) < 0 && errno == ENOENT && strrchr(at, '/') > at)
        *strrchr(at, '/') = '\0';
    if (access(at, W_OK | X_OK) < 0 || statvfs(at, &fs) < 0)
        m->state_bad = ty_arena_printf(a, "%s: %s", at, strerrordesc_np(errno));
    else
        m->state_free = (int64_t)(fs.f_bavail * fs.f_frsize);
}

static void find_sizes(struct ty_machine *m)
{
    FILE *f = fopen("/proc/sys/net/ipv4/ip_local_port_range", "re");
    struct statvfs fs;
    long long lo = 0, hi = -1;

    if (f && fscanf(f, "%lld %lld", &lo, &hi) != 2)
        hi = -1;
    if (f)
        fclose(f);
    m->port_lo = lo;
    m->port_hi = hi;
    m->shm = statvfs("/dev/shm", &fs) == 0 ? (int64_t)(fs.f_blocks * fs.f_frsize) : -1;
}

static void find_libcurl(struct ty_arena *a, struct ty_machine *m)
{
    struct ty_curl curl = { 0 };
    struct ty_err err = { 0 };

    if (ty_curl_load(&curl, &err) < 0)
        m->no_curl = ty_arena_strdup(a, err.text);
    ty_curl_done(&curl);
}

void ty_machine_find(struct ty_arena *a, const char *state, struct ty_machine *ret)
{
    *ret = (struct ty_machine){ 0 };
    find_host(a, ret); /* first, while this process is small */
    ret->python = find_program(a, "python3");
    ret->mpirun = find_program(a, "mpirun");
    if (ret->python)
        ret->torch = run_program(a, (const char *const[]){ ret->python, "-c", TORCH, NULL });
    find_state(a, state, ret);
    find_sizes(ret);
    find_libcurl(a, ret);
}
