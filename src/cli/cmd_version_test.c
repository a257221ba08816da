#include "cli/testing.h"

static void test_version(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    assert_int_equal(FIXTURE_RUN(&b, "version"), TY_EXIT_OK);
    assert_int_equal(strncmp(b.out, "trainyard " TY_VERSION " ", 11 + strlen(TY_VERSION)), 0);
    fixture_close(&b);
}

static void test_json(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    assert_int_equal(FIXTURE_RUN(&b, "version", "-o", "json"), TY_EXIT_OK);
    assert_has(b.out, "\"api\": \"trainer.kubeflow.org/v1alpha1\"");
    fixture_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version),
        cmocka_unit_test(test_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
