#include "convert/convert_testing.h"

static void test_kinds(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_yaml_docs docs = { 0 };
    assert_int_equal(ty_yaml_parse(a, "t",
                                   TY_LIT("{apiVersion: kubeflow.org/v2beta1, kind: TFJob}"), NULL,
                                   &docs, NULL),
                     0);
    struct ty_convert_result done;
    assert_false(ty_convert_supports(docs.v[0]));
    assert_int_equal(ty_convert(a, docs.v[0], NULL, &done), -EINVAL);
    assert_non_null(done.bad);
    assert_false(ty_convert_supports(NULL));
}

static void test_only_workers_use_a_built_in_runtime(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done;
    int r = convert_with(
        a,
        HEAD("PyTorchJob") "  pytorchReplicaSpecs: {worker: {replicas: 3, template: " POD(
            "pytorch") "}}\n",
        (struct ty_convert_opts){ 0 }, &done);
    int64_t n = 0;
    assert_int_equal(r, 0);
    assert_null(done.runtime);
    assert_null(done.warnings);
    assert_true(ty_json_int_at(done.job, "spec.trainer.numNodes", &n));
    assert_int_equal(n, 3);
    assert_true(ty_str_is(ty_json_str_at(done.job, "spec.runtimeRef.name"), "torch-distributed"));
}

static void test_every_unknown_field_is_told(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done;
    int r = convert_with(
        a,
        HEAD("JAXJob") "  x: 1\n  runPolicy: {yy: 1, schedulingPolicy: {z: 1}}\n"
                       "  jaxReplicaSpecs: {Worker: {w: 1, template: " POD("jax") "}}\n",
        (struct ty_convert_opts){ 0 }, &done);
    assert_int_equal(r, 0);
    assert_true(warned(&done, "spec.x"));
    assert_true(warned(&done, "spec.runPolicy.yy"));
    assert_true(warned(&done, "spec.runPolicy.schedulingPolicy.z"));
    assert_true(warned(&done, "spec.jaxReplicaSpecs.Worker.w"));
}

static void test_gang_restart(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done;
    int r = convert_with(
        a,
        HEAD("PaddleJob") "  runPolicy: {backoffLimit: 5}\n  paddleReplicaSpecs: "
                          "{Worker: {replicas: 2, template: " POD("paddle") "}}\n",
        (struct ty_convert_opts){ .gang_restart = true, .gang = TY_CONVERT_GANG_VOLCANO }, &done);
    int64_t n = 0;
    assert_int_equal(r, 0);
    assert_true(ty_json_int_at(done.runtime, "spec.template.spec.failurePolicy.maxRestarts", &n));
    assert_int_equal(n, 3); /* 5 failures of 2 pods, rounded up */
    assert_non_null(ty_json_at(done.runtime, "spec.podGroupPolicy.volcano"));
}

static void test_unequal_templates(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done;
    int r =
        convert_with(a,
                     HEAD("XGBoostJob") "  xgbReplicaSpecs:\n    Master: {template: " POD(
                         "xgboost") "}\n    Worker: {template: {spec: {nodeName: a, containers: "
                                    "[{name: xgboost, image: x}]}}}\n",
                     (struct ty_convert_opts){ .split_script = true }, &done);
    assert_int_equal(r, -EINVAL);
    assert_string_equal(done.bad->path, "spec.xgbReplicaSpecs.Worker.template.spec.nodeName");
    assert_null(done.job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_only_workers_use_a_built_in_runtime),
        cmocka_unit_test(test_every_unknown_field_is_told),
        cmocka_unit_test(test_gang_restart),
        cmocka_unit_test(test_unequal_templates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
