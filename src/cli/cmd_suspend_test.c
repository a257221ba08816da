#include "cli/history/job_history_testing.h"
#include "store/history/run_lock.h"

static void test_only_what_runs(void **state)
{
    struct hist *h = *state;

    assert_int_equal(HIST_RUN(h, "suspend", "ddp"), TY_EXIT_BAD);
    assert_string_equal(h->b.err, "error: trainjob \"ddp\" does not run: it is Interrupted\n");
    assert_int_equal(HIST_RUN(h, "resume", "ddp", "--run", "1"), TY_EXIT_BAD);
    assert_string_equal(h->b.err, "error: trainjob \"ddp\" does not run: it is Failed\n");
    assert_int_equal(HIST_RUN(h, "resume", "ghost"), TY_EXIT_BAD);
    assert_int_equal(HIST_RUN(h, "suspend"), TY_EXIT_USAGE);
    assert_int_equal(HIST_RUN(h, "suspend", "a", "--run", "b"), TY_EXIT_USAGE);
}

/* The run holds its lock, but its control socket does not answer. */
static void test_nobody_answers(void **state)
{
    struct hist *h = *state;
    struct ty_err err = { 0 };
    int fd = ty_run_lock_acquire(h->dir, &err);

    assert_true(fd >= 0);
    assert_int_equal(HIST_RUN(h, "suspend", "ddp"), TY_EXIT_BAD);
    assert_has(h->b.err, "/control.sock: No such file or directory");
    assert_int_equal(HIST_RUN(h, "get", "ddp"), TY_EXIT_OK);
    assert_has(h->b.out, "Starting");                            /* its JobSet has counted no pod */
    assert_int_equal(HIST_RUN(h, "delete", "ddp"), TY_EXIT_BAD); /* not behind the back of a run */
    assert_has(h->b.err, "/control.sock: ");
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = { HIST_FULL(test_only_what_runs),
                                        HIST_FULL(test_nobody_answers) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
