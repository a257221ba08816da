#include "cli/history_testing.h"

static bool there(struct hist *h, const char *path)
{
    return access(ty_arena_printf(h->b.cli.arena, "trainyard/runs/%s", path), F_OK) == 0;
}

static void test_newest_then_older(void **state)
{
    struct hist *h = *state;

    assert_int_equal(HIST_RUN(h, "delete", "ddp"), TY_EXIT_OK);
    assert_string_equal(h->b.out, "trainjob.trainer.kubeflow.org \"ddp\" deleted\n");
    assert_true(there(h, "run-2")); /* "other" is still in it */
    assert_false(there(h, "run-2/logs/ddp-node-0-0"));
    assert_true(there(h, "run-1/logs/ddp-node-0-0"));
    assert_int_equal(HIST_RUN(h, "delete", "other"), TY_EXIT_OK);
    assert_false(there(h, "run-2"));
    assert_int_equal(HIST_RUN(h, "delete", "trainjob", "ddp"), TY_EXIT_OK);
    assert_false(there(h, "run-1"));
    assert_int_equal(HIST_RUN(h, "delete", "ddp"), TY_EXIT_BAD);
    assert_string_equal(h->b.err, "error: trainjobs.trainer.kubeflow.org \"ddp\" not found\n");
    assert_int_equal(HIST_RUN(h, "get"), TY_EXIT_OK);
    assert_string_equal(h->b.out, "");
}

static void test_one_run(void **state)
{
    struct hist *h = *state;

    assert_int_equal(HIST_RUN(h, "delete", "ddp", "--run", "1"), TY_EXIT_OK);
    assert_false(there(h, "run-1"));
    assert_true(there(h, "run-2/logs/ddp-node-0-0"));
    assert_int_equal(HIST_RUN(h, "delete", "ddp", "--run", "1"), TY_EXIT_BAD);
}

static void test_all(void **state)
{
    struct hist *h = *state;

    assert_int_equal(HIST_RUN(h, "delete", "ddp", "--all"), TY_EXIT_OK);
    assert_false(there(h, "run-1"));
    assert_true(there(h, "run-2"));
    assert_int_equal(HIST_RUN(h, "delete", "--all"), TY_EXIT_OK);
    assert_string_equal(h->b.out, "trainjob.trainer.kubeflow.org \"other\" deleted\n");
    assert_false(there(h, "run-2"));
    assert_int_equal(HIST_RUN(h, "delete", "--all"),
                     TY_EXIT_OK); /* nothing is left, which is well */
}

static void test_mistakes(void **state)
{
    struct hist *h = *state;

    assert_int_equal(HIST_RUN(h, "delete"), TY_EXIT_USAGE);
    assert_has(h->b.err, "name a TrainJob, or say --all");
    assert_int_equal(HIST_RUN(h, "delete", "x", "--run", "0"), TY_EXIT_USAGE);
    assert_int_equal(HIST_RUN(h, "delete", "ghost", "other"), TY_EXIT_BAD);
    assert_has(h->b.out, "\"other\" deleted"); /* what can be done is */
}

static void test_no_history_is_made(void **state)
{
    struct hist *h = *state;

    assert_int_equal(HIST_RUN(h, "delete", "x"), TY_EXIT_BAD);
    assert_int_equal(access("trainyard", F_OK), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = { HIST_FULL(test_newest_then_older), HIST_FULL(test_one_run),
                                        HIST_FULL(test_all), HIST_FULL(test_mistakes),
                                        HIST_EMPTY(test_no_history_is_made) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
