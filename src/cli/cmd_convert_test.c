#include "cli/testing.h"

#define JOB                                                                                        \
    "apiVersion: kubeflow.org/v1\nkind: JAXJob\nmetadata: {name: j}\nspec:\n"                      \
    "  jaxReplicaSpecs: {Worker: {replicas: 2, restartPolicy: OnFailure, template: {spec: "        \
    "{containers: [{name: jax, image: x}]}}}}\n"

static void test_converts(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    fixture_file("v1.yaml", JOB);
    assert_int_equal(FIXTURE_RUN(&b, "convert", "-f", "v1.yaml", "-n", "team"), TY_EXIT_OK);
    assert_has(b.out, "kind: TrainJob\nmetadata:\n  name: j\n  namespace: team\n");
    assert_has(b.out, "name: jax-distributed");
    assert_string_equal(b.err, "");
    fixture_close(&b);
}

static void test_strict_prints_nothing(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    fixture_file("v1.yaml", JOB "  colour: red\n");
    assert_int_equal(FIXTURE_RUN(&b, "convert", "--strict", "-f", "v1.yaml"), TY_EXIT_BAD);
    assert_string_equal(b.out, "");
    assert_has(b.err, "v1.yaml:6:11: warning: spec.colour: not carried over: ");
    fixture_close(&b);
}

static void test_others_pass_through(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    fixture_file("v1.yaml",
                 "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n---\n"
                 "apiVersion: example.org/v1\nkind: Thing\nmetadata: {name: a}\n---\n" JOB);
    assert_int_equal(FIXTURE_RUN(&b, "convert", "-f", "v1.yaml", "-o", "json"), TY_EXIT_OK);
    assert_has(b.out, "\"kind\": \"Namespace\"");
    assert_has(b.out, "\"kind\": \"Thing\"");
    assert_has(b.out, "\"kind\": \"TrainJob\"");
    fixture_close(&b);
}

static void test_validate_takes_v1(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    fixture_file("v1.yaml", JOB);
    assert_int_equal(FIXTURE_RUN(&b, "validate", "-f", "v1.yaml"), TY_EXIT_OK);
    assert_has(b.err, "note: v1.yaml:1: JAXJob j is converted to a TrainJob");
    fixture_close(&b);
}

static void test_nothing_given(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    assert_int_equal(FIXTURE_RUN(&b, "convert"), TY_EXIT_USAGE);
    fixture_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_converts),
        cmocka_unit_test(test_strict_prints_nothing),
        cmocka_unit_test(test_others_pass_through),
        cmocka_unit_test(test_validate_takes_v1),
        cmocka_unit_test(test_nothing_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
