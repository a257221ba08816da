/* The zygote's life seen from outside: what it keeps open, what it tells when it cannot fork, and
 * that the end of a pod is told only when all of it is dead. */
#include "proc/testing.h"

#include <dirent.h>

static size_t fds_of(pid_t pid)
{
    char path[64];
    size_t n = 0;
    snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
    DIR *d = opendir(path);
    assert_non_null(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

static pid_t keeper_of(struct ty_zygote *z)
{
    char path[64], room[64];
    int pid = 0;
    snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)z->pid, (int)z->pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    read_all(fd, room, sizeof(room));
    close(fd);
    assert_int_equal(sscanf(room, "%d", &pid), 1);
    return pid;
}

/* The zygote makes mount points after it has told that it runs: a first pod comes after that. */
static void await_ready(struct ty_zygote *z)
{
    struct ty_shim *k = shim(z, NULL);
    struct said s = run_sh(k, "true");

    assert_exit(&s, 0);
    stop_shim(k);
    expect(k, TY_SHIM_GONE, 0);
    ty_shim_free(k);
}

static void it_keeps_nothing_of_dead_pods(void **state)
{
    (void)state;
    for (size_t m = 0; m < N_MODES; m++) {
        struct ty_zygote *z = zygote(modes[m]);
        await_ready(z);
        size_t before = fds_of(z->pid);
        struct ty_shim *k[10];
        for (size_t i = 0; i < 10; i++) {
            k[i] = shim(z, NULL);
            struct said s = run_sh(k[i], "true");
            assert_exit(&s, 0);
        }
        assert_int_equal(fds_of(z->pid), before + 10);
        for (size_t i = 0; i < 10; i++) {
            stop_shim(k[i]);
            expect(k[i], TY_SHIM_GONE, 0);
            ty_shim_free(k[i]);
        }
        assert_int_equal(fds_of(z->pid), before);
        ty_zygote_stop(z);
    }
}

/* A shim has its own socket, the lifeline and its signals, and no other pod's. */
static void a_keeper_has_little_open(void **state)
{
    (void)state;
    struct ty_zygote *z = zygote(0);
    struct ty_shim *others[20];
    for (size_t i = 0; i < 20; i++)
        others[i] = shim(z, NULL);
    struct ty_shim *k = shim(z, NULL);
    struct said s = run_sh(k, "sleep 0.2; ls /proc/1/fd | tr '\\n' ' '");
    if (ty_zygote_caps(z).pid_ns)
        assert_string_equal(s.text, "0 1 2 3 4 5 ");
    for (size_t i = 0; i < 20; i++)
        ty_shim_free(others[i]);
    ty_shim_free(k);
    ty_zygote_stop(z);
}

static void gone_means_dead(void **state)
{
    (void)state;
    for (size_t m = 0; m < N_MODES; m++) {
        for (int i = 0; i < 5; i++) {
            struct ty_zygote *z = zygote(modes[m]);
            struct ty_shim *k = shim(z, NULL);
            /* much memory takes the kernel long to free */
            const char *const argv[] = { "perl", "-e",
                                         "$_ = 'x' x 100_000_000; print 1; sleep 1000", NULL };
            struct ty_process_spec s = plain(1, argv);
            start(k, &s);
            pid_t pid = expect(k, TY_SHIM_STARTED, 1).pid;
            kill(keeper_of(z), SIGKILL);
            expect(k, TY_SHIM_GONE, 0);
            assert_true(is_dead(pid));
            ty_shim_free(k);
            ty_zygote_stop(z);
        }
    }
}

/* No process left for the shim: as an ordinary user, who has a limit. */
static void a_failed_fork_is_told(void **state)
{
    (void)state;
    if (geteuid() == 0)
        skip();
    struct ty_zygote *z = zygote(TY_NO_PID_NS | TY_NO_MOUNTS);
    struct rlimit one = { 1, 1 };
    assert_int_equal(prlimit(z->pid, RLIMIT_NPROC, &one, NULL), 0);
    struct ty_shim *k = shim(z, NULL);
    struct ty_shim_event n = expect(k, TY_SHIM_GONE, 0);
    assert_int_equal(n.code, EAGAIN);
    assert_string_equal(n.text, "fork a keeper: Resource temporarily unavailable");
    ty_shim_next(k, &n);
    assert_int_equal(n.what, TY_SHIM_NOTHING);
    ty_shim_free(k);
    ty_zygote_stop(z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_keeps_nothing_of_dead_pods),
        cmocka_unit_test(a_keeper_has_little_open),
        cmocka_unit_test(gone_means_dead),
        cmocka_unit_test(a_failed_fork_is_told),
    };
    return run_as_both("zygote_run", tests, TY_COUNT(tests));
}
