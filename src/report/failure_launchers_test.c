#include "report/failure_launchers.h"

#include "base/testing.h"

static struct ty_failure_findings *reads(struct ty_arena *a, const char *text)
{
    struct ty_failure_findings *f = ty_new(a, struct ty_failure_findings);
    struct ty_failure_log log;

    ty_failure_log_read(a, ty_str(text), &log);
    ty_failure_launchers_read(&log, f);
    return f;
}

static void test_torchrun(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    const struct ty_failure_findings *f =
        reads(a, "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n"
                 "Failures:\n[1]:\n  rank      : 3 (local_rank: 1)\n  exitcode  : -9 (pid: 71)\n"
                 "  traceback : Signal 9 (SIGKILL) received by PID 71\n"
                 "Root Cause (first observed failure):\n[0]:\n  rank      : 2 (local_rank: 0)\n"
                 "  exitcode  : 1 (pid: 70)\n  traceback : Traceback (most recent call last):\n"
                 "    File \"x.py\", line 4\n  ValueError: boom\n");

    (void)state;
    assert_int_equal(f->n_children, 2);
    assert_int_equal(f->children[0].rank, 3);
    assert_int_equal(f->children[0].local, 1);
    assert_int_equal(f->children[0].sig, 9);
    assert_true(ty_str_is(f->children[0].said, "Signal 9 (SIGKILL) received by PID 71"));
    assert_false(f->children[0].root);
    assert_true(f->children[1].root);
    assert_int_equal(f->children[1].code, 1);
    assert_true(ty_str_is(f->children[1].error, "ValueError: boom"));
}

static void test_mpirun(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    const struct ty_failure_findings *f =
        reads(a, "MPI_ABORT was invoked on rank 1 in communicator MPI_COMM_WORLD\n"
                 "mpirun noticed that process rank 2 with PID 6 on node n exited on signal 11 "
                 "(Segmentation fault).\n"
                 "  Process name: [[62116,1],0]\n  Exit code:    6\n"
                 "[h:00014] *** reported by process [4070834177,5]\n"
                 "[2026-11-17] [ERROR] [launch.py:259:x] ['python'] exits with return code = -9\n");

    (void)state;
    assert_int_equal(f->n_children, 5);
    assert_int_equal(f->children[4].rank, -1);
    assert_int_equal(f->children[4].sig, 9);
    assert_int_equal(f->children[0].rank, 1);
    assert_int_equal(f->children[1].rank, 2);
    assert_int_equal(f->children[1].sig, 11);
    assert_int_equal(f->children[2].rank, 0);
    assert_int_equal(f->children[2].code, 6);
    assert_int_equal(f->children[3].rank, 5);
}

static void test_a_signal_that_does_not_exist(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    const struct ty_failure_findings *f =
        reads(a, "mpirun noticed that process rank 2 with PID 6 on node n exited on signal "
                 "-9223372036854775808\n"
                 "mpirun noticed that process rank 3 with PID 7 on node n exited on signal -7\n");

    (void)state;
    assert_int_equal(f->n_children, 2);
    assert_int_equal(f->children[0].sig | f->children[0].code, 0);
    assert_int_equal(f->children[1].sig | f->children[1].code, 0);
}

static void test_mpich(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    const struct ty_failure_findings *f =
        reads(a, "Abort(9) on node 1 (rank 1 in comm 0): application called MPI_Abort\n"
                 "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n"
                 "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)\n");

    (void)state;
    assert_int_equal(f->n_children, 2);
    assert_int_equal(f->children[0].rank, 1);
    assert_int_equal(f->children[1].rank, -1);
    assert_int_equal(f->children[1].sig, 9);
    assert_true(ty_str_is(f->children[1].said, "Killed (signal 9)"));
}

static void test_notices(void **state)
{
#define RULE "------------------------------------------------------------------------\n"
    static const struct {
        const char *log, *notice;
        size_t line;
    } rows[] = {
        { "a\n" RULE "no slots for 64\nranks:\n\n  ./x\n\nHelp\n" RULE,
          "no slots for 64 ranks: ./x", 5 },
        { "ssh: cannot resolve h\n" RULE "ORTE failed.\n" RULE, "ssh: cannot resolve h", 0 },
        { RULE "text", "text", 1 },
        { RULE, "", 0 },
        { "-- short --\ntext\n", "", 2 },
        { "", "", 0 },
    };
    ty_auto_arena *a = ty_arena_new(1 << 20);

    (void)state;
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        struct ty_failure_log log;
        size_t line = 0;
        ty_failure_log_read(a, ty_str(rows[i].log), &log);
        assert_true(ty_str_is(ty_failure_launchers_notice(a, &log, &line), rows[i].notice));
        assert_int_equal(line, rows[i].line);
    }
}

static void test_lines(void **state)
{
    (void)state;
    assert_true(ty_failure_launchers_line(TY_LIT("[E1117 17:33:43.1 socket.cpp:9] [c10d] x")));
    assert_true(ty_failure_launchers_line(TY_LIT("W1117 17:33:43.123000 2190 torch/x.py:1] y")));
    assert_true(ty_failure_launchers_line(
        TY_LIT("ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 1)")));
    assert_false(ty_failure_launchers_line(TY_LIT("step 3/10 loss 0.5")));
    assert_false(ty_failure_launchers_line(TY_LIT("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_torchrun),
        cmocka_unit_test(test_mpirun),
        cmocka_unit_test(test_a_signal_that_does_not_exist),
        cmocka_unit_test(test_mpich),
        cmocka_unit_test(test_notices),
        cmocka_unit_test(test_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
