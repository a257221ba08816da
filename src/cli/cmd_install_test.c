#include "cli/testing.h"

/* Runs the command, which must fail, and returns its standard error. */
static const char *run_refused(struct ty_cli_fixture *b, const char *option, const char *value)
{
    assert_int_equal(FIXTURE_RUN(b, "install", option, value), TY_EXIT_USAGE);
    assert_int_equal(b->n_out, 0);
    return b->err;
}

static void test_defaults(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    assert_int_equal(FIXTURE_RUN(&b, "install"), TY_EXIT_OK);
    assert_has(b.out, "image: trainyard:" TY_VERSION "\n");
    assert_has(b.out, "kind: CustomResourceDefinition\n");
    assert_has(b.out, "name: torch-distributed\n");
    assert_null(strstr(b.out, "kind: ServiceMonitor"));
    assert_string_equal(b.err, "");
    fixture_close(&b);
}

static void test_image_and_version(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        { "r.example:5000/ty", "2", "image: r.example:5000/ty:2\n" },
        { "r.example/ty:7", "2", "image: r.example/ty:7\n" },
        { "ty@sha256:0123", "2", "image: ty@sha256:0123\n" },
    };
    for (size_t i = 0; i < 3; i++) {
        struct ty_cli_fixture b;
        fixture_open(&b);
        assert_int_equal(
            FIXTURE_RUN(&b, "install", "--image", cases[i][0], "--version", cases[i][1]),
            TY_EXIT_OK);
        assert_has(b.out, cases[i][2]);
        assert_has(b.out, "app.kubernetes.io/version: \"2\"\n");
        fixture_close(&b);
    }
}

static void test_names(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    assert_int_equal(FIXTURE_RUN(&b, "install", "-o", "name", "--no-crds", "--service-monitor",
                                 "--runtimes",
                                 "torch-distributed,jax-distributed,torch-distributed"),
                     TY_EXIT_OK);
    assert_has(b.out, "namespace/kubeflow-system\nserviceaccount/kubeflow-trainer");
    assert_has(b.out, "servicemonitor.monitoring.coreos.com/kubeflow-trainer");
    assert_has(b.out, "\nclustertrainingruntime.trainer.kubeflow.org/jax-distributed\n"
                      "clustertrainingruntime.trainer.kubeflow.org/torch-distributed\n");
    fixture_close(&b);
}

static void test_no_runtimes(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    assert_int_equal(FIXTURE_RUN(&b, "install", "-o", "name", "--no-runtimes"), TY_EXIT_OK);
    assert_null(strstr(b.out, "clustertrainingruntime.trainer"));
    fixture_close(&b);
}

static void test_mistakes(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        { "--namespace", "Kubeflow", "--namespace: \"Kubeflow\": a lowercase RFC 1123 label" },
        { "--replicas", "0", "--replicas: \"0\" is not a number from 1 to 100" },
        { "--replicas", "two", "--replicas: \"two\" is not a number from 1 to 100" },
        { "--image", "", "--image: \"\" is not an image" },
        { "--image", "a b", "--image: \"a b\" is not an image" },
        { "--version", "1:2", "--version: \"1:2\" cannot be the tag of an image" },
        { "--runtimes", "torch-distribute", "did you mean torch-distributed?" },
        { "--runtimes", "jax-distributed,,", "--runtimes: no runtime \"\"" },
        { "--output", "table", "--output: \"table\" is not one of yaml, json, name" },
    };
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct ty_cli_fixture b;
        fixture_open(&b);
        assert_has(run_refused(&b, cases[i][0], cases[i][1]), cases[i][2]);
        fixture_close(&b);
    }
    struct ty_cli_fixture b;
    fixture_open(&b);
    assert_int_equal(FIXTURE_RUN(&b, "install", "--no-runtimes", "--runtimes", "flux"),
                     TY_EXIT_USAGE);
    assert_has(b.err, "exclude each other");
    assert_int_equal(FIXTURE_RUN(&b, "install", "here"), TY_EXIT_USAGE);
    fixture_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults), cmocka_unit_test(test_image_and_version),
        cmocka_unit_test(test_names),    cmocka_unit_test(test_no_runtimes),
        cmocka_unit_test(test_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
