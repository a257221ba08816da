#include "cli/testing.h"

#define CONFIG "apiVersion: config.trainer.kubeflow.org/v1alpha1\nkind: Configuration\n"

static void test_table(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    assert_int_equal(FIXTURE_RUN(&b, "plugins"), TY_EXIT_OK);
    assert_has(b.out, "NAME            STATE     HOOKS");
    assert_has(b.out, "\nTorch           on        validate,ml ");
    assert_has(b.out, "\nJobSet          required  ");
    fixture_close(&b);
}

static void test_switched_off(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    fixture_file("c.yaml", CONFIG "plugins: {enabledPlugins: [torch], disabledPlugins: [\"*\"]}\n");
    assert_int_equal(FIXTURE_RUN(&b, "plugins", "--config", "c.yaml"), TY_EXIT_OK);
    assert_has(b.out, "\nTorch           on ");
    assert_has(b.out, "\nMPI             off ");
    assert_has(b.out, "\nJobSet          required "); /* it cannot be switched off */
    fixture_close(&b);
}

static void test_mistakes(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    assert_int_equal(FIXTURE_RUN(&b, "plugins", "torch"), TY_EXIT_USAGE);
    assert_int_equal(FIXTURE_RUN(&b, "plugins", "--config", "gone.yaml"), TY_EXIT_BAD);
    assert_has(b.err, "error: gone.yaml: cannot open: No such file or directory\n");
    fixture_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_switched_off),
        cmocka_unit_test(test_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
