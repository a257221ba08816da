/* Starting and ending a zygote, and what it says of this machine. */
#include "proc/testing.h"

static void it_starts_and_stops(void **state)
{
    (void)state;
    for (size_t m = 0; m < N_MODES; m++) {
        struct ty_zygote *z = zygote(modes[m]);
        pid_t pid = z->pid;
        struct ty_zygote_caps can = ty_zygote_caps(z);
        assert_false(is_dead(pid));
        assert_int_equal(can.pid_ns && (modes[m] & TY_NO_PID_NS), 0);
        assert_int_equal(can.mounts && (modes[m] & TY_NO_MOUNTS), 0);
        assert_true(can.pid_ns || can.why[0]);
        ty_zygote_stop(z);
        assert_int_equal(kill(pid, 0), -1);
    }
    ty_zygote_stop(NULL);
}

static void the_plain_start_asks_for_everything(void **state)
{
    (void)state;
    struct ty_zygote *z = NULL, *full = zygote(0);
    struct ty_err err = { 0 };
    assert_int_equal(ty_zygote_start(&z, &err), 0);
    struct ty_zygote_caps a = ty_zygote_caps(z), b = ty_zygote_caps(full);
    assert_true(a.mounts == b.mounts && a.pid_ns == b.pid_ns && a.user_ns == b.user_ns);
    ty_zygote_stop(full); /* two at once do not mind each other */
    struct ty_shim *k = shim(z, NULL);
    struct said s = run_sh(k, "exit 0");
    assert_exit(&s, 0);
    ty_shim_free(k);
    ty_zygote_stop(z);
}

static void a_fork_is_usable_after_the_wait(void **state)
{
    (void)state;
    struct ty_zygote *z = NULL;
    struct ty_err err = { 0 };
    assert_int_equal(ty_zygote_fork(false, &z, &err), 0);
    assert_int_equal(ty_zygote_wait(z, &err), 0);
    struct ty_shim *k = shim(z, NULL);
    struct said s = run_sh(k, "exit 3");
    assert_exit(&s, 3);
    ty_shim_free(k);
    ty_zygote_stop(z);
}

/* Of a run whose input is wrong: the zygote has nobody to answer. */
static void a_fork_ends_without_the_wait(void **state)
{
    (void)state;
    for (size_t m = 0; m < N_MODES; m++) {
        struct ty_zygote *z = NULL;
        assert_int_equal(ty_zygote_fork_with(modes[m], false, &z, NULL), 0);
        pid_t pid = z->pid;
        ty_zygote_stop(z);
        assert_int_equal(kill(pid, 0), -1);
    }
}

static void close_kills_and_stop_waits(void **state)
{
    (void)state;
    for (size_t m = 0; m < N_MODES; m++) {
        struct ty_zygote *z = zygote(modes[m]);
        struct ty_shim *k = shim(z, NULL);
        start_sh(k, 1, "trap '' TERM HUP INT; sleep 1000; sleep 1000");
        pid_t pid = expect(k, TY_SHIM_STARTED, 1).pid, zygote_pid = z->pid;
        ty_zygote_close(z);
        struct ty_shim_event n = next(k); /* without a stop */
        while (n.what == TY_SHIM_EXITED)
            n = next(k);
        assert_int_equal(n.what, TY_SHIM_GONE);
        assert_true(is_dead(pid));
        ty_zygote_close(z); /* once is enough */
        ty_zygote_stop(z);
        assert_int_equal(kill(zygote_pid, 0), -1);
        ty_shim_free(k);
    }
}

static void stop_waits_for_all(void **state)
{
    (void)state;
    for (size_t m = 0; m < N_MODES; m++) {
        enum { PODS = 5 };
        struct ty_zygote *z = zygote(modes[m]);
        struct ty_shim *k[PODS];
        pid_t pids[PODS];
        for (int i = 0; i < PODS; i++) {
            k[i] = shim(z, NULL);
            start_sh(k[i], 1, "trap '' TERM HUP INT; sleep 1000; sleep 1000");
            pids[i] = expect(k[i], TY_SHIM_STARTED, 1).pid;
        }
        ty_zygote_stop(z);
        for (int i = 0; i < PODS; i++) {
            assert_true(is_dead(pids[i]));
            struct ty_shim_event n = next(k[i]);
            while (n.what == TY_SHIM_EXITED)
                n = next(k[i]);
            assert_int_equal(n.what, TY_SHIM_GONE);
            ty_shim_free(k[i]);
        }
    }
}

static void a_dead_zygote_is_told(void **state)
{
    (void)state;
    struct ty_zygote *z = zygote(0);
    struct ty_shim_spec keep = { .hostname = "x" };
    struct ty_shim *k = NULL, *old = shim(z, NULL);
    struct ty_err err = { 0 };
    start_sh(old, 1, "sleep 1000");
    expect(old, TY_SHIM_STARTED, 1);
    kill(z->pid, SIGKILL);
    expect(old, TY_SHIM_GONE, 0);
    wait_dead(z->pid);
    assert_int_equal(ty_shim_new(z, &keep, &k, &err), -EPIPE);
    assert_string_equal(err.text, "cannot make a pod: the helper process that starts pods is gone");
    assert_null(k);
    ty_shim_free(old);
    ty_zygote_stop(z);
}

/* Ctrl-C on the terminal is for trainyard alone. */
static void it_leaves_our_session(void **state)
{
    (void)state;
    struct ty_zygote *z = zygote(0);
    assert_int_equal(getsid(z->pid), z->pid);
    kill(z->pid, SIGTERM); /* what a service manager sends to all at once */
    kill(z->pid, SIGINT);
    struct ty_shim *k = shim(z, NULL);
    struct said s = run_sh(k, "exit 0");
    assert_exit(&s, 0);
    ty_shim_free(k);
    ty_zygote_stop(z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_starts_and_stops),
        cmocka_unit_test(the_plain_start_asks_for_everything),
        cmocka_unit_test(a_fork_is_usable_after_the_wait),
        cmocka_unit_test(a_fork_ends_without_the_wait),
        cmocka_unit_test(close_kills_and_stop_waits),
        cmocka_unit_test(stop_waits_for_all),
        cmocka_unit_test(a_dead_zygote_is_told),
        cmocka_unit_test(it_leaves_our_session),
    };
    return run_as_both("zygote", tests, TY_COUNT(tests));
}
