/* Tests of the options; tests/doctor checks clusters and machines. */
#include "cli/testing.h"

static void test_usage(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    assert_int_equal(FIXTURE_RUN(&b, "doctor", "x"), TY_EXIT_USAGE);
    assert_int_equal(FIXTURE_RUN(&b, "doctor", "--machine", "--cluster"), TY_EXIT_USAGE);
    assert_has(b.err, "--machine and --cluster exclude each other");
    assert_int_equal(FIXTURE_RUN(&b, "doctor", "-n", "No"), TY_EXIT_USAGE);
    fixture_close(&b);
}

static void test_a_kubeconfig_that_is_asked_for_must_be_there(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    assert_int_equal(FIXTURE_RUN(&b, "doctor", "--cluster", "--kubeconfig", "gone", "-o", "yaml"),
                     TY_EXIT_BAD);
    assert_has(b.out, "ok: false\n");
    assert_has(b.out, "level: fail\n");
    assert_has(b.out, "gone");
    fixture_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_usage),
        cmocka_unit_test(test_a_kubeconfig_that_is_asked_for_must_be_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
