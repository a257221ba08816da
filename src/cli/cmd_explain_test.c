#include "cli/testing.h"

static void test_explain(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    assert_int_equal(FIXTURE_RUN(&b, "explain", "trainjob.spec"), TY_EXIT_OK);
    assert_has(b.out, "runtimeRef");
    assert_string_equal(b.err, "");
    fixture_close(&b);
}

static void test_recursive(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    assert_int_equal(FIXTURE_RUN(&b, "explain", "-R", "trainjob.spec"), TY_EXIT_OK);
    assert_has(b.out, "storageUri");
    fixture_close(&b);
}

static void test_mistakes(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    assert_int_equal(FIXTURE_RUN(&b, "explain", "trainjob.spac"), TY_EXIT_BAD);
    assert_has(b.err, "error: TrainJob has no field spac; did you mean spec?\n");
    assert_int_equal(FIXTURE_RUN(&b, "explain"), TY_EXIT_USAGE);
    assert_int_equal(b.n_out, 0);
    fixture_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_explain),
        cmocka_unit_test(test_recursive),
        cmocka_unit_test(test_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
