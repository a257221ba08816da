#include "cli/testing.h"

#define HEAD                                                                                       \
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: j}\nspec:\n"

static void test_valid(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    fixture_file("job.yaml", HEAD "  runtimeRef: {name: torch-distributed}\n");
    assert_int_equal(FIXTURE_RUN(&b, "validate", "-f", "job.yaml"), TY_EXIT_OK);
    assert_string_equal(b.out, "");
    assert_string_equal(b.err, "1 object, 0 invalid\n");
    fixture_close(&b);
}

static void test_invalid(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    fixture_file("job.yaml", HEAD "  suspend: true\n");
    assert_int_equal(FIXTURE_RUN(&b, "validate", "-f", "job.yaml"), TY_EXIT_BAD);
    assert_has(b.out, "job.yaml:5:3: spec.runtimeRef: Required value (there are: deepspeed-");
    assert_has(b.err, "1 object, 1 invalid");
    fixture_close(&b);
}

static void test_quiet_has_no_warnings(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    fixture_file("rt.yaml",
                 "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\n"
                 "metadata: {name: r, labels: {trainer.kubeflow.org/support: deprecated}}\n"
                 "spec: {mlPolicy: {numNodes: 1}}\n");
    assert_int_equal(FIXTURE_RUN(&b, "validate", "rt.yaml"), TY_EXIT_OK);
    assert_has(b.out, "rt.yaml:1: warning: ClusterTrainingRuntime r: ");
    assert_has(b.err, "1 object, 0 invalid, 1 warning\n");
    fixture_close(&b);
    fixture_open(&b);
    fixture_file("rt.yaml",
                 "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\n"
                 "metadata: {name: r, labels: {trainer.kubeflow.org/support: deprecated}}\n"
                 "spec: {mlPolicy: {numNodes: 1}}\n");
    assert_int_equal(FIXTURE_RUN(&b, "validate", "-q", "rt.yaml"), TY_EXIT_OK);
    assert_int_equal(b.n_out + b.n_err, 0);
    fixture_close(&b);
}

static void test_json(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    assert_int_equal(FIXTURE_RUN(&b, "validate", "-o", "json", "gone.yaml"), TY_EXIT_BAD);
    assert_has(b.out, "\"file\": \"gone.yaml\"");
    fixture_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_valid),
        cmocka_unit_test(test_invalid),
        cmocka_unit_test(test_quiet_has_no_warnings),
        cmocka_unit_test(test_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
