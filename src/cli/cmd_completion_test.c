#include "cli/testing.h"

static void test_shells(void **state)
{
    (void)state;
    const char *const shells[] = { "bash", "zsh", "fish" };
    for (size_t i = 0; i < 3; i++) {
        struct ty_cli_fixture b;
        fixture_open(&b);
        assert_int_equal(FIXTURE_RUN(&b, "completion", shells[i]), TY_EXIT_OK);
        assert_has(b.out, shells[i]);
        fixture_close(&b);
    }
}

static void test_mistakes(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    assert_int_equal(FIXTURE_RUN(&b, "completion"), TY_EXIT_USAGE);
    assert_int_equal(FIXTURE_RUN(&b, "completion", "tcsh"), TY_EXIT_USAGE);
    assert_has(b.err, "error: \"tcsh\" is not one of bash, zsh, fish\n");
    fixture_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shells),
        cmocka_unit_test(test_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
