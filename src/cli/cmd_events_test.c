#include "cli/history/job_history_testing.h"

static void test_events(void **state)
{
    struct hist *h = *state;

    assert_int_equal(HIST_RUN(h, "events", "ddp", "--run", "1"), TY_EXIT_OK);
    assert_has(h->b.out, "LAST SEEN");
    const char *started = strstr(h->b.out, "Started"), *failed = strstr(h->b.out, "FailedJobs");
    assert_true(started && failed && started < failed); /* oldest first */
    assert_int_equal(HIST_RUN(h, "events", "other"), TY_EXIT_OK);
    assert_string_equal(h->b.err, "No events found\n");
}

static void test_mistakes(void **state)
{
    struct hist *h = *state;

    assert_int_equal(HIST_RUN(h, "events"), TY_EXIT_USAGE);
    assert_int_equal(HIST_RUN(h, "events", "a", "b"), TY_EXIT_USAGE);
    assert_int_equal(HIST_RUN(h, "events", "ddp", "--run", "-1"), TY_EXIT_USAGE);
    assert_int_equal(HIST_RUN(h, "events", "ghost"), TY_EXIT_BAD);
}

int main(void)
{
    const struct CMUnitTest tests[] = { HIST_FULL(test_events), HIST_FULL(test_mistakes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
