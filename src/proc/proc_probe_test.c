/* What is said to be allowed is so, and what is not is said in words. */
#include "proc/testing.h"

#include "proc/proc_failure.h"
#include "proc/proc_probe.h"

static void switches_are_obeyed(void **state)
{
    (void)state;
    struct ty_zygote_caps can = ty_proc_probe(TY_NO_MOUNTS);
    assert_false(can.mounts || can.pid_ns || can.user_ns);
    assert_string_equal(can.why, "switched off");
    can = ty_proc_probe(TY_NO_PID_NS);
    assert_false(can.pid_ns);
    assert_true(can.why[0]);
    can = ty_proc_probe(TY_NO_USER_NS);
    assert_false(can.user_ns);
    if (geteuid() != 0) {
        assert_false(can.mounts || can.pid_ns);
        assert_string_equal(can.why, "make a mount namespace: Operation not permitted");
    }
}

/* Trying changes nothing here. */
static void trying_leaves_no_trace(void **state)
{
    (void)state;
    char before[64] = "", after[64] = "";
    assert_true(readlink("/proc/self/ns/mnt", before, sizeof(before) - 1) > 0);
    ty_proc_probe(0);
    assert_true(readlink("/proc/self/ns/mnt", after, sizeof(after) - 1) > 0);
    assert_string_equal(before, after);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child left */
}

/* What the trial promises, the way in keeps; on a machine that forbids it there is nothing to see.
 */
static void promises_are_kept(void **state)
{
    (void)state;
    struct ty_zygote_caps can = ty_proc_probe(0);
    print_message("mounts %d, pid_ns %d, user_ns %d, why \"%s\"\n", can.mounts, can.pid_ns,
                  can.user_ns, can.why);
    assert_int_equal(can.pid_ns, can.why[0] == 0);
    assert_int_equal(can.user_ns, can.mounts && geteuid() != 0);
    uid_t uid = geteuid();
    gid_t gid = getegid();
    pid_t pid = fork();
    if (pid == 0) {
        struct ty_proc_failure fail;
        int status = 1;
        if (ty_proc_enter_namespaces(&can, &fail) < 0 || geteuid() != uid || getegid() != gid)
            _exit(1);
        pid_t inner = ty_proc_fork_pod(&can);
        if (inner == 0)
            _exit((getpid() == 1) == can.pid_ns ? 0 : 1);
        _exit(waitpid(inner, &status, 0) == inner && status == 0 ? 0 : 1);
    }
    int status = 1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(switches_are_obeyed),
        cmocka_unit_test(trying_leaves_no_trace),
        cmocka_unit_test(promises_are_kept),
    };
    return run_as_both("proc_probe", tests, TY_COUNT(tests));
}
