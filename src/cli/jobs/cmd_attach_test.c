#include "cli/history/job_history_testing.h"

/* A job that is over is shown to its end. */
static void test_after_the_end(void **state)
{
    struct hist *h = *state;

    assert_int_equal(HIST_RUN(h, "attach", "ddp", "--run", "1", "-o", "plain"), TY_EXIT_BAD);
    assert_has(h->b.err, "trainjob/ddp: Failed after");
    assert_int_equal(HIST_RUN(h, "attach", "trainjob/other"), 130);
    assert_has(h->b.err, "trainjob/other: Stopped after");
    assert_has(h->b.err, "the run was killed");
}

static void test_words(void **state)
{
    struct hist *h = *state;

    assert_int_equal(HIST_RUN(h, "attach"), TY_EXIT_USAGE);
    assert_int_equal(HIST_RUN(h, "attach", "ddp", "--tail", "-2"), TY_EXIT_USAGE);
    assert_int_equal(HIST_RUN(h, "attach", "ghost"), TY_EXIT_BAD);
}

int main(void)
{
    const struct CMUnitTest tests[] = { HIST_FULL(test_after_the_end), HIST_FULL(test_words) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
