/* For the tests of this folder: pods that run shell scripts, as root and as an ordinary user. */
#ifndef TY_PROC_TESTING_H
#define TY_PROC_TESTING_H

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/testing.h"
#include "base/wait_testing.h"
#include "proc/shim.h"
#include "proc/zygote_inner.h"

enum { PATIENCE_MS = 60000 };
/* A machine that allows everything, one without pid namespaces, one without any. */
static const unsigned modes[] = { 0, TY_NO_PID_NS, TY_NO_PID_NS | TY_NO_MOUNTS };
enum { N_MODES = TY_COUNT(modes) };

/* A uid that no other run of these tests has: limits of processes count all of a user. */
static inline int ordinary_uid(void)
{
    return 1000000 + (int)getpid();
}

static inline int become_ordinary(void)
{
    uid_t id = (uid_t)ordinary_uid();
    if (setgroups(0, NULL) < 0 || setresgid(id, id, id) < 0 || setresuid(id, id, id) < 0 ||
        chdir("/") < 0)
        return -1;
    return prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); /* as after an exec: /proc/self is ours again */
}

/* Runs the tests; as root once more as an ordinary user. */
static inline int run_as_both(const char *name, const struct CMUnitTest *tests, size_t n)
{
    int failed = _cmocka_run_group_tests(name, tests, n, NULL, NULL), status = 0;
    if (geteuid() != 0)
        return failed;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        if (become_ordinary() < 0)
            exit(100);
        exit(_cmocka_run_group_tests(name, tests, n, NULL, NULL));
    }
    if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
        return 100;
    return failed + WEXITSTATUS(status);
}

/* What a shim sees when its client dies; TY_SHIM_GONE follows when all its processes are dead. */
static inline void stop_shim(struct ty_shim *k)
{
    shutdown(ty_shim_fd(k), SHUT_WR);
}

static inline struct ty_zygote *zygote(unsigned without)
{
    struct ty_zygote *z = NULL;
    struct ty_err err = { 0 };
    if (ty_zygote_start_with(without, false, &z, &err) < 0)
        fail_msg("%s", err.text);
    return z;
}

static inline struct ty_shim *shim(struct ty_zygote *z, const struct ty_bind_mount *binds)
{
    struct ty_shim_spec keep = { .hostname = "pod-0", .binds = binds };
    struct ty_shim *k = NULL;
    struct ty_err err = { 0 };
    if (ty_shim_new(z, &keep, &k, &err) < 0)
        fail_msg("%s", err.text);
    return k;
}

static const char *const plain_env[] = { "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin", NULL };

static inline struct ty_process_spec plain(uint32_t id, const char *const *argv)
{
    struct ty_process_spec s = ty_process_spec_none;

    s.id = id;
    s.argv = argv;
    s.env = plain_env;
    s.cwd = "/";
    return s;
}

static inline void start(struct ty_shim *k, const struct ty_process_spec *s)
{
    struct ty_err err = { 0 };
    if (ty_shim_start(k, s, &err) < 0)
        fail_msg("%s", err.text);
}

static inline void start_sh(struct ty_shim *k, uint32_t id, const char *script)
{
    const char *const argv[] = { "sh", "-c", script, NULL };
    struct ty_process_spec s = plain(id, argv);
    start(k, &s);
}

/* The next news, waited for. */
static inline struct ty_shim_event next(struct ty_shim *k)
{
    struct ty_shim_event n = { 0 };
    for (;;) {
        ty_shim_next(k, &n);
        if (n.what != TY_SHIM_NOTHING)
            return n;
        struct pollfd p = { ty_shim_fd(k), POLLIN, 0 };
        if (poll(&p, 1, PATIENCE_MS) == 0)
            fail_msg("no news from the keeper");
    }
}

static inline struct ty_shim_event expect(struct ty_shim *k, enum ty_shim_event_type what,
                                          uint32_t id)
{
    struct ty_shim_event n = next(k);
    if (n.what != what || n.id != id)
        fail_msg("news %d of %u instead of %d of %u: %s", (int)n.what, n.id, (int)what, id, n.text);
    return n;
}

struct said {
    char text[4096]; /* stdout and stderr */
    struct ty_shim_event end;
};

static inline void read_all(int fd, char *ret, size_t size)
{
    size_t n = 0;
    while (n < size - 1) {
        ssize_t r = read(fd, ret + n, size - 1 - n);
        if (r <= 0)
            break;
        n += (size_t)r;
    }
    ret[n] = 0;
}

/* Runs s in the pod to its end. */
static inline struct said run(struct ty_shim *k, struct ty_process_spec s)
{
    struct said said = { 0 };
    int pipe[2];
    assert_int_equal(pipe2(pipe, O_CLOEXEC), 0);
    s.out = s.err = pipe[1];
    start(k, &s);
    close(pipe[1]);
    struct ty_shim_event n = next(k);
    if (n.what != TY_SHIM_STARTED) {
        said.end = n;
    } else {
        read_all(pipe[0], said.text, sizeof(said.text));
        said.end = expect(k, TY_SHIM_EXITED, s.id);
    }
    close(pipe[0]);
    return said;
}

static inline struct said run_sh(struct ty_shim *k, const char *script)
{
    const char *const argv[] = { "sh", "-c", script, NULL };
    return run(k, plain(77, argv));
}

static inline void assert_exit(const struct said *s, int code)
{
    if (s->end.what != TY_SHIM_EXITED || !WIFEXITED(s->end.wstatus) ||
        WEXITSTATUS(s->end.wstatus) != code)
        fail_msg("news %d, status %d, not exit %d: %s%s", (int)s->end.what, s->end.wstatus, code,
                 s->text, s->end.text);
}

static inline int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Gone, or only waiting to be reaped by somebody else. */
static inline bool is_dead(pid_t pid)
{
    char path[64], room[512];
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return true;
    read_all(fd, room, sizeof(room));
    close(fd);
    const char *after = strrchr(room, ')');
    return !after || after[2] == 'Z' || after[2] == 'X';
}

/* Until it is dead, or a minute is over. */
static inline void wait_dead(pid_t pid)
{
    int waited = 0;
    while (!is_dead(pid) && wait_a_moment(&waited))
        ;
}

#endif
