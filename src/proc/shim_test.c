/* A shim's work: starts, ends, signals, what is left behind; in all modes. */
#include "proc/testing.h"

static void each_mode(void (*fn)(struct ty_zygote *z, struct ty_shim *k))
{
    for (size_t m = 0; m < N_MODES; m++) {
        struct ty_zygote *z = zygote(modes[m]);
        struct ty_shim *k = shim(z, NULL);
        fn(z, k);
        ty_shim_free(k);
        ty_zygote_stop(z);
    }
}

static void do_ends(struct ty_zygote *z, struct ty_shim *k)
{
    (void)z;
    start_sh(k, 1, "exit 3");
    struct ty_shim_event n = expect(k, TY_SHIM_STARTED, 1);
    assert_true(n.pid > 1);
    n = expect(k, TY_SHIM_EXITED, 1);
    assert_true(WIFEXITED(n.wstatus) && WEXITSTATUS(n.wstatus) == 3);
    start_sh(k, 2, "kill -SEGV $$");
    expect(k, TY_SHIM_STARTED, 2);
    n = expect(k, TY_SHIM_EXITED, 2);
    assert_true(WIFSIGNALED(n.wstatus) && WTERMSIG(n.wstatus) == SIGSEGV);
    ty_shim_next(k, &n);
    assert_int_equal(n.what, TY_SHIM_NOTHING);
}

static void ends_are_told(void **state)
{
    (void)state;
    each_mode(do_ends);
}

/* The pid is ours to look at: same command line, seen from outside. */
static void do_pid(struct ty_zygote *z, struct ty_shim *k)
{
    (void)z;
    const char *const argv[] = { "sleep", "1234.5", NULL };
    struct ty_process_spec s = plain(1, argv);
    char path[64], room[64] = "";
    start(k, &s);
    pid_t pid = expect(k, TY_SHIM_STARTED, 1).pid;
    snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
    for (int waited = 0; !room[0] && wait_a_moment(&waited);) {
        int fd = open(path, O_RDONLY | O_CLOEXEC); /* empty while the kernel loads the program */
        assert_true(fd >= 0);
        read_all(fd, room, sizeof(room));
        close(fd);
    }
    assert_string_equal(room, "sleep");
    assert_string_equal(room + 6, "1234.5");
    assert_int_equal(ty_shim_signal(k, 1, SIGTERM, false), 0);
    struct ty_shim_event n = expect(k, TY_SHIM_EXITED, 1);
    assert_true(WIFSIGNALED(n.wstatus) && WTERMSIG(n.wstatus) == SIGTERM);
}

/* A shim that holds a descriptor keeps the file open after we closed ours, until it ends; the
 * processes of the pod do not have it. */
static void do_hold(struct ty_zygote *z, struct ty_shim *k)
{
    (void)z;
    int ends[2];
    char room[64] = "";

    assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    assert_int_equal(ty_shim_hold(k, ends[1]), 0);
    close(ends[1]);
    start_sh(k, 1, "exit $(ls /proc/self/fd | wc -l)"); /* 0, 1, 2 and ls's own */
    expect(k, TY_SHIM_STARTED, 1);
    assert_int_equal(WEXITSTATUS(expect(k, TY_SHIM_EXITED, 1).wstatus), 4);
    assert_int_equal(read(ends[0], room, sizeof(room)), -1); /* somebody may still write to it */
    assert_int_equal(errno, EAGAIN);
    close(ends[0]);
}

static void descriptors_are_held(void **state)
{
    (void)state;
    each_mode(do_hold);
}

static void pids_are_ours(void **state)
{
    (void)state;
    each_mode(do_pid);
}

static void do_usage(struct ty_zygote *z, struct ty_shim *k)
{
    (void)z;
    const char *const argv[] = { "perl", "-e", "my $s = 'x' x 50_000_000; for (1..3000000) {}",
                                 NULL };
    struct said s = run(k, plain(1, argv));
    assert_exit(&s, 0);
    assert_in_range(s.end.max_rss_kb, 50000, 400000);
    /* on some kernels sampled by ticks, so that one of them may be 0 */
    assert_in_range(s.end.user_us + s.end.sys_us, 1000, 60 * 1000 * 1000);
}

static void what_it_used_is_told(void **state)
{
    (void)state;
    each_mode(do_usage);
}

/* One signal to the first process alone, one to all below it. */
static void do_signals(struct ty_zygote *z, struct ty_shim *k)
{
    (void)z;
    static const char script[] = "trap 'sleep 0.3; echo first; exit 1' TERM; "
                                 "setsid sh -c \"trap 'echo second; exit 1' TERM; echo up; "
                                 "while :; do sleep 0.01; done\" & while :; do sleep 0.01; done";
    for (int group = 0; group < 2; group++) {
        const char *const argv[] = { "sh", "-c", script, NULL };
        struct ty_process_spec s = plain(9, argv);
        char room[64] = "";
        int pipe[2];
        assert_int_equal(pipe2(pipe, O_CLOEXEC), 0);
        s.out = pipe[1];
        start(k, &s);
        close(pipe[1]);
        expect(k, TY_SHIM_STARTED, 9);
        assert_int_equal(read(pipe[0], room, 3), 3);
        assert_int_equal(ty_shim_signal(k, 9, SIGTERM, group), 0);
        struct ty_shim_event n = expect(k, TY_SHIM_EXITED, 9);
        assert_int_equal(WEXITSTATUS(n.wstatus), 1);
        read_all(pipe[0], room, sizeof(room)); /* to its end: the second is dead, too */
        close(pipe[0]);
        assert_has(room, "first\n");
        assert_int_equal(strstr(room, "second\n") != NULL, group);
    }
    assert_int_equal(ty_shim_signal(k, 12345, SIGKILL, true), 0); /* nobody: nothing */
    struct said s = run_sh(k, "echo still here");
    assert_exit(&s, 0);
}

static void signals_reach_one_or_all(void **state)
{
    (void)state;
    each_mode(do_signals);
}

/* A daemon that hides from its container is dead before the container's end is told. */
static void do_left(struct ty_zygote *z, struct ty_shim *k)
{
    (void)z;
    static const char leave[] =
        "(setsid sh -c 'trap \"\" TERM HUP; echo up >&3; sleep 1000' &) 3>&1 "
        ">/dev/null 2>&1 | read up; exit 7";
    for (int other = 0; other < 2; other++) {
        if (other) { /* a second container is not touched */
            start_sh(k, 2, "sleep 1000 & wait");
            expect(k, TY_SHIM_STARTED, 2);
        }
        const char *const argv[] = { "sh", "-c", leave, NULL };
        struct ty_process_spec s = plain(1, argv);
        int pipe[2];
        char c;
        assert_int_equal(pipe2(pipe, O_CLOEXEC), 0);
        s.err = pipe[1];
        start(k, &s);
        close(pipe[1]);
        expect(k, TY_SHIM_STARTED, 1);
        assert_int_equal(WEXITSTATUS(expect(k, TY_SHIM_EXITED, 1).wstatus), 7);
        assert_int_equal(fcntl(pipe[0], F_SETFL, O_NONBLOCK), 0);
        assert_int_equal(read(pipe[0], &c, 1), 0); /* nobody holds it open */
        close(pipe[0]);
    }
    ty_shim_signal(k, 2, SIGKILL, false);
    assert_int_equal(WTERMSIG(expect(k, TY_SHIM_EXITED, 2).wstatus), SIGKILL);
}

static void what_a_container_leaves_is_killed(void **state)
{
    (void)state;
    each_mode(do_left);
}

/* A daemon of a running container stays, and is a child of the container's first process. */
static void do_daemon(struct ty_zygote *z, struct ty_shim *k)
{
    (void)z;
    struct said s = run_sh(k, "(setsid sh -c 'sleep 0.05; read a b c parent d </proc/self/stat; "
                              "echo parent $parent' &); sleep 0.01; start_sh=$$; "
                              "(true &); sleep 0.3; echo I $$");
    int parent = 0, first = 0;
    assert_exit(&s, 0);
    assert_int_equal(sscanf(s.text, "parent %d\nI %d", &parent, &first), 2);
    assert_int_equal(parent, first);
}

static void daemons_of_the_living_stay(void **state)
{
    (void)state;
    each_mode(do_daemon);
}

static void do_many(struct ty_zygote *z, struct ty_shim *k)
{
    (void)z;
    enum { N = 40 };
    bool ended[N] = { false };
    for (uint32_t i = 0; i < N; i++)
        start_sh(k, i, "exit 0");
    for (int events = 0; events < 2 * N; events++) {
        struct ty_shim_event n = next(k);
        assert_true(n.id < N);
        assert_false(ended[n.id]);
        assert_true(n.what == TY_SHIM_STARTED || n.what == TY_SHIM_EXITED);
        ended[n.id] = n.what == TY_SHIM_EXITED;
    }
    for (size_t i = 0; i < N; i++)
        assert_true(ended[i]);
}

static void many_at_once(void **state)
{
    (void)state;
    each_mode(do_many);
}

static void do_stop(struct ty_zygote *z, struct ty_shim *k)
{
    (void)k;
    struct ty_shim *other = shim(z, NULL);
    start_sh(other, 1, "trap '' TERM; (setsid sleep 1000 &); sleep 1000");
    pid_t pid = expect(other, TY_SHIM_STARTED, 1).pid;
    stop_shim(other);
    struct ty_shim_event n = next(other);
    if (n.what == TY_SHIM_EXITED) /* a guard that is killing may tell */
        n = next(other);
    assert_int_equal(n.what, TY_SHIM_GONE);
    assert_int_equal(n.code, 0);
    assert_true(is_dead(pid));
    ty_shim_next(other, &n);
    assert_int_equal(n.what, TY_SHIM_NOTHING);
    ty_shim_free(other);
}

static void a_stopped_pod_is_gone(void **state)
{
    (void)state;
    each_mode(do_stop);
}

/* Two pods do not see each other's processes, and both see one /dev/shm. */
static void pods_are_apart(void **state)
{
    (void)state;
    struct ty_zygote *z = zygote(0);
    struct ty_shim *a = shim(z, NULL), *b = shim(z, NULL);
    char script[256];
    start_sh(a, 1, "sleep 1000");
    expect(a, TY_SHIM_STARTED, 1);
    struct said s = run_sh(b, "grep -l sleep /proc/[0-9]*/comm");
    assert_exit(&s, 1);
    snprintf(script, sizeof(script), "echo shared >/dev/shm/ty-test-%d", (int)getpid());
    s = run_sh(a, script);
    assert_exit(&s, 0);
    snprintf(script, sizeof(script), "cat /dev/shm/ty-test-%d; rm /dev/shm/ty-test-%d",
             (int)getpid(), (int)getpid());
    s = run_sh(b, script);
    assert_string_equal(s.text, "shared\n");
    ty_shim_free(a);
    ty_shim_free(b);
    ty_zygote_stop(z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_are_told),
        cmocka_unit_test(pids_are_ours),
        cmocka_unit_test(descriptors_are_held),
        cmocka_unit_test(what_it_used_is_told),
        cmocka_unit_test(signals_reach_one_or_all),
        cmocka_unit_test(what_a_container_leaves_is_killed),
        cmocka_unit_test(daemons_of_the_living_stay),
        cmocka_unit_test(many_at_once),
        cmocka_unit_test(a_stopped_pod_is_gone),
        cmocka_unit_test(pods_are_apart),
    };
    return run_as_both("keeper", tests, TY_COUNT(tests));
}
