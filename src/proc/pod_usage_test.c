#include "proc/pod_usage.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/testing.h"

static void test_stat(void **state)
{
    pid_t parent = 0;
    int64_t ticks = 0;

    (void)state;
    assert_true(ty_pod_usage_parse_stat(
        "12 (a) b) (c) S 7 12 12 0 -1 4194560 1 2 3 4 100 20 3 0 20 0", &parent, &ticks));
    assert_int_equal(parent, 7);
    assert_int_equal(ticks, 123);
    assert_false(ty_pod_usage_parse_stat("", &parent, &ticks));
    assert_false(ty_pod_usage_parse_stat("12 (a) S 7 12", &parent, &ticks));
    assert_false(ty_pod_usage_parse_stat("12 (a", &parent, &ticks));
}

static void test_pss(void **state)
{
    (void)state;
    assert_int_equal(ty_pod_usage_parse_pss("5581-7ffd ---p 0 00:00 0 [rollup]\nRss:  900 kB\n"
                                            "Pss:                 512 kB\nPss_Dirty: 7 kB\n"),
                     512 * 1024);
    assert_int_equal(ty_pod_usage_parse_pss("Rss: 900 kB\nPss_Anon: 7 kB\n"), -1);
    assert_int_equal(ty_pod_usage_parse_pss(""), -1);
}

static pid_t start_sleep(char *const *env)
{
    char name[] = "sleep", seconds[] = "60", *argv[] = { name, seconds, NULL };
    pid_t pid = fork();

    if (pid == 0) {
        execve("/bin/sleep", argv, env);
        _exit(1);
    }
    return pid;
}

/* A parent, as the shim is one, with a process of the pod and one without an environment. The end
 * of the pipe, which exec closes, says that both run. */
static pid_t start_pod(pid_t *ret_marked, pid_t *ret_bare)
{
    char run[] = "TRAINYARD_RSH=/tmp/run-1/rsh.sock", pod[] = "TRAINYARD_POD=ddp-node-0-0";
    char *marked[] = { run, pod, NULL }, *bare[] = { NULL };
    pid_t pids[2] = { 0 };
    int ready[2];

    assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
    pid_t shim = fork();
    if (shim == 0) {
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves it behind */
        pids[0] = start_sleep(marked);
        pids[1] = start_sleep(bare);
        ssize_t n = write(ready[1], pids, sizeof(pids));
        close(ready[1]);
        while (n == (ssize_t)sizeof(pids))
            pause();
        _exit(1);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], pids, sizeof(pids)), sizeof(pids));
    assert_int_equal(read(ready[0], ret_bare, sizeof(*ret_bare)), 0);
    close(ready[0]);
    *ret_marked = pids[0];
    *ret_bare = pids[1];
    return shim;
}

static void test_processes_of_a_pod(void **state)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 30);
    struct ty_pod_usages u;
    pid_t marked = 0, bare = 0, shim = start_pod(&marked, &bare);

    (void)state;
    ty_pod_usage_read(a, &u);
    const struct ty_pod_usage *pod = ty_pod_usage_find(&u, "/tmp/run-1/rsh.sock", "ddp-node-0-0");
    assert_non_null(pod);
    assert_true(pod->memory > 0);
    assert_ptr_equal(ty_pod_usage_of(&u, marked), pod);
    assert_ptr_equal(ty_pod_usage_of(&u, bare), pod);
    assert_ptr_equal(ty_pod_usage_of(&u, shim), pod);
    assert_null(ty_pod_usage_of(&u, getpid()));
    assert_null(ty_pod_usage_find(&u, "/tmp/run-2/rsh.sock", "ddp-node-0-0"));
    assert_null(ty_pod_usage_find(&u, "/tmp/run-1/rsh.sock", "ddp-node-0-1"));
    kill(-shim, SIGKILL);
    assert_int_equal(waitpid(shim, NULL, 0), shim);
}

static void test_milli(void **state)
{
    struct ty_pod_usage had = { .run = "r", .pod = "p", .cpu_ms = 100 }, has = had, other = had;
    struct ty_pod_usages before = { .pods = &had, .n_pods = 1, .at_ms = 1000 },
                         now = { .pods = &has, .n_pods = 1, .at_ms = 3000 };

    (void)state;
    has.cpu_ms = 600;
    assert_int_equal(ty_pod_usage_milli(&before, &now, &has), 250);
    has.cpu_ms = 50; /* a process ended */
    assert_int_equal(ty_pod_usage_milli(&before, &now, &has), 0);
    other.pod = "q"; /* is new */
    assert_int_equal(ty_pod_usage_milli(&before, &now, &other), 0);
    assert_int_equal(ty_pod_usage_milli(&before, &before, &had), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stat),
        cmocka_unit_test(test_pss),
        cmocka_unit_test(test_processes_of_a_pod),
        cmocka_unit_test(test_milli),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
