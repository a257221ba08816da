#include "cli/testing.h"

static size_t count_crds(const char *text, const char *part)
{
    size_t n = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        n++;
    return n;
}

static void test_three_documents(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    assert_int_equal(FIXTURE_RUN(&b, "crds"), TY_EXIT_OK);
    assert_int_equal(count_crds(b.out, "\nkind: CustomResourceDefinition\n"), 3);
    assert_int_equal(count_crds(b.out, "\n---\n"), 2);
    fixture_close(&b);
}

static void test_compact_list(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    assert_int_equal(FIXTURE_RUN(&b, "crds", "-o", "json"), TY_EXIT_OK);
    assert_int_equal(strncmp(b.out, "{\"apiVersion\":\"v1\",\"kind\":\"List\",", 32), 0);
    assert_int_equal(count_crds(b.out, "\n"), 1);
    assert_true(b.n_out < 300000);
    fixture_close(&b);
}

static void test_usage(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    assert_int_equal(FIXTURE_RUN(&b, "crds", "trainjob"), TY_EXIT_USAGE);
    fixture_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_three_documents),
        cmocka_unit_test(test_compact_list),
        cmocka_unit_test(test_usage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
