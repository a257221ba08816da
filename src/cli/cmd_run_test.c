/* Errors before anything is started; tests/run has whole runs. */
#include "cli/testing.h"

#define API "apiVersion: trainer.kubeflow.org/v1alpha1\n"

static int setup(void **state)
{
    struct ty_cli_fixture *b = fixture_new(state);

    setenv("XDG_STATE_HOME", b->dir, 1);
    unsetenv("TRAINYARD_HISTORY");
    fixture_file("job.yaml", API "kind: TrainJob\nmetadata: {name: j}\n"
                                 "spec: {runtimeRef: {name: nowhere}}\n");
    return 0;
}

static int teardown(void **state)
{
    assert_int_equal(access("trainyard", F_OK), -1); /* nothing began, nothing was made */
    return fixture_teardown(state);
}

static void test_usage(void **state)
{
    static const char *const rows[][3] = {
        { "--timeout", "soon", "--timeout soon: write seconds, or a duration" },
        { "--timeout", "0", "--timeout 0: write" },
        { "--timeout", "-3", "--timeout -3: write" },
        { "--timeout", "9223372036854775807", "--timeout 9223372036854775807: write" },
        { "--timeout", "", "--timeout : write" },
        { "--history", "0", "--history 0: write" },
        { "--history", "", "--history : write" },
        { "--output", "xml", "xml" },
    };
    struct ty_cli_fixture *b = *state;

    assert_int_equal(FIXTURE_RUN(b, "run"), TY_EXIT_USAGE);
    assert_has(b->err, "nothing to run: give a file");
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        assert_int_equal(FIXTURE_RUN(b, "run", "job.yaml", rows[i][0], rows[i][1]), TY_EXIT_USAGE);
        assert_has(b->err, rows[i][2]);
    }
}

static void test_input(void **state)
{
    struct ty_cli_fixture *b = *state;

    assert_int_equal(FIXTURE_RUN(b, "run", "gone.yaml"), TY_EXIT_BAD);
    assert_has(b->err, "gone.yaml");
    assert_int_equal(FIXTURE_RUN(b, "run", "job.yaml"), TY_EXIT_BAD);
    assert_has(b->err, "ClusterTrainingRuntime.trainer.kubeflow.org \"nowhere\" not found");
    assert_int_equal(FIXTURE_RUN(b, "run", "job.yaml", "--set", "kind=Foo"), TY_EXIT_USAGE);
    assert_has(b->err, "--set kind=Foo: what an object is cannot be changed");
    fixture_file("empty.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n");
    assert_int_equal(FIXTURE_RUN(b, "run", "empty.yaml"), TY_EXIT_BAD);
    assert_has(b->err, "no TrainJob in the input: nothing to run");
    fixture_file("broken.yaml", "a: [");
    assert_int_equal(FIXTURE_RUN(b, "run", "broken.yaml"), TY_EXIT_BAD);
    assert_has(b->err, "broken.yaml:1:");
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = { T(test_usage), T(test_input) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
