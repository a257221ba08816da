#include "cli/history/job_history_testing.h"

static void test_what_has_come_and_what_cannot(void **state)
{
    struct hist *h = *state;

    assert_int_equal(HIST_RUN(h, "wait", "ddp", "--run", "1", "--for", "failed"), TY_EXIT_OK);
    assert_string_equal(h->b.out, "trainjob.trainer.kubeflow.org/ddp condition met\n");
    assert_int_equal(HIST_RUN(h, "wait", "ddp", "--run", "1", "--for=condition=FAILED=true"),
                     TY_EXIT_OK);
    assert_int_equal(HIST_RUN(h, "wait", "ddp", "--run", "1"), TY_EXIT_BAD);
    assert_string_equal(
        h->b.err, "error: trainjob \"ddp\" is Failed: the condition cannot be met any more\n");
    assert_int_equal(HIST_RUN(h, "wait", "trainjob/other"), TY_EXIT_BAD);
    assert_has(h->b.err, "is Interrupted");
    assert_int_equal(HIST_RUN(h, "wait", "ghost"), TY_EXIT_BAD);
    assert_has(h->b.err, "\"ghost\" not found");
    assert_int_equal(HIST_RUN(h, "wait", "trainjob/ghost", "--for", "delete"), TY_EXIT_OK);
    assert_string_equal(h->b.out, "trainjob.trainer.kubeflow.org/ghost condition met\n");
    assert_string_equal(h->b.err, "");
}

static void test_words(void **state)
{
    struct hist *h = *state;

    assert_int_equal(HIST_RUN(h, "wait"), TY_EXIT_USAGE);
    assert_int_equal(HIST_RUN(h, "wait", "ddp", "--for", "condition="), TY_EXIT_USAGE);
    assert_int_equal(HIST_RUN(h, "wait", "ddp", "--for", "done"), TY_EXIT_USAGE);
    assert_int_equal(HIST_RUN(h, "wait", "ddp", "--timeout", "soon"), TY_EXIT_USAGE);
    assert_int_equal(HIST_RUN(h, "wait", "ddp", "--run", "x"), TY_EXIT_USAGE);
}

/* Of another kind, which may exist or not: nothing is met. */
static void test_other_kinds(void **state)
{
    static const char *const kinds[] = { "jobset/ddp", "deployment/ddp", "po/ddp",
                                         "a/b",        "trainjob/a/b",   "/ddp" };
    struct hist *h = *state;

    for (size_t i = 0; i < TY_COUNT(kinds); i++) {
        assert_int_equal(HIST_RUN(h, "wait", kinds[i], "--for", "delete"), TY_EXIT_USAGE);
        assert_has(h->b.err, ": write NAME or trainjob/NAME; wait works on TrainJobs\n");
        assert_string_equal(h->b.out, "");
    }
    assert_int_equal(HIST_RUN(h, "wait", "pod/nothing", "--for", "delete"), TY_EXIT_BAD);
    assert_has(h->b.err, "\"pod/nothing\" not found");
    assert_int_equal(HIST_RUN(h, "wait", "pod/ddp-node-0-1", "--run", "1", "--for", "failed"),
                     TY_EXIT_OK);
    assert_string_equal(h->b.out, "trainjob.trainer.kubeflow.org/ddp condition met\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = { HIST_FULL(test_what_has_come_and_what_cannot),
                                        HIST_FULL(test_words), HIST_FULL(test_other_kinds) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
