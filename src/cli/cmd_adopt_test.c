/* Tests without a cluster; tests/adopt uses a real one. */
#include "cli/testing.h"

#define KUBECONFIG                                                                                 \
    "apiVersion: v1\nkind: Config\ncurrent-context: c\n"                                           \
    "clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]\n"                            \
    "contexts: [{name: c, context: {cluster: c}}]\n"

static void test_usage(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    assert_int_equal(FIXTURE_RUN(&b, "adopt", "job"), TY_EXIT_USAGE);
    assert_int_equal(FIXTURE_RUN(&b, "adopt", "-n", "x", "-A"), TY_EXIT_USAGE);
    assert_has(b.err, "-n and -A exclude each other");
    assert_int_equal(FIXTURE_RUN(&b, "adopt", "-o", "table"), TY_EXIT_USAGE);
    assert_int_equal(FIXTURE_RUN(&b, "adopt", "-n", ""), TY_EXIT_USAGE);
    assert_int_equal(FIXTURE_RUN(&b, "adopt", "--operator-namespace", "a/b"), TY_EXIT_USAGE);
    assert_has(b.err, "\"a/b\" cannot be a namespace: ");
    fixture_close(&b);
}

static void test_no_cluster(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    assert_int_equal(FIXTURE_RUN(&b, "adopt", "--kubeconfig", "gone.yaml"), TY_EXIT_USAGE);
    assert_has(b.err, "gone.yaml");
    fixture_file("k.yaml", KUBECONFIG);
    assert_int_equal(FIXTURE_RUN(&b, "adopt", "--kubeconfig", "k.yaml"), TY_EXIT_USAGE);
    assert_has(b.err, "error: https://127.0.0.1:1: TrainJobs cannot be listed: "
                      "cannot connect to 127.0.0.1 port 1: Connection refused\n");
    assert_string_equal(b.out ? b.out : "", "");
    fixture_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_usage),
        cmocka_unit_test(test_no_cluster),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
