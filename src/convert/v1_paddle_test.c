#include "convert/convert_testing.h"

#define ONE                 POD("paddle")
#define PADDLE(more, roles) HEAD("PaddleJob") more "  paddleReplicaSpecs: {" roles "}\n"

static void test_collective(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done = convert(
        a,
        PADDLE("", "Worker: {replicas: 3, template: {spec: {containers: [{name: paddle, image: x, "
                   "ports: [{name: master, containerPort: 5}]}]}}}"));
    assert_true(ty_str_is(trainer_env(&done, "PADDLE_NNODES"), "3"));
    assert_true(ty_str_is(trainer_env(&done, "PADDLE_MASTER"), "j-node-0-0.j:5"));
    assert_true(trainer_env(&done, "PADDLE_TRAINER_NUM").n == 0);
    assert_string_equal(json_at(a, done.runtime, "spec.template.spec.successPolicy"), "null");
}

static void test_servers(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done =
        convert(a, PADDLE("", "Master: {replicas: 2, template: " ONE
                              "}, Worker: {replicas: 2, template: " ONE "}"));
    const struct ty_json *master =
        ty_json_item(ty_json_get(rjob_pod(&done, "master"), "containers"), 0);
    assert_true(ty_str_is(env_value(master, "PADDLE_SERVER_NUM"), "1"));
    assert_true(env_value(master, "PADDLE_TRAINER_NUM").n == 0);
    assert_true(ty_str_is(trainer_env(&done, "PADDLE_TRAINER_NUM"), "1"));
    assert_true(ty_str_is(trainer_env(&done, "PADDLE_NNODES"), "4"));
    assert_string_equal(json_at(a, rjob(&done, "master"), "template.spec.parallelism"), "2");
    assert_string_equal(
        json_at(a, done.runtime, "spec.template.spec.successPolicy.targetReplicatedJobs"),
        "[\"master\"]");
}

static void test_master_alone(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done = convert(a, PADDLE("", "Master: {template: " ONE "}"));
    assert_non_null(rjob(&done, "node"));
    assert_true(ty_str_is(trainer_env(&done, "PADDLE_MASTER"), "j-node-0-0.j:36543"));
}

static void test_elastic(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done =
        convert(a, PADDLE("  elasticPolicy: {maxRestarts: 3, minReplicas: 1, odd: 1}\n",
                          "Worker: {template: " ONE "}"));
    assert_string_equal(json_at(a, done.runtime, "spec.template.spec.failurePolicy.maxRestarts"),
                        "3");
    assert_true(warned(&done, "spec.elasticPolicy.minReplicas"));
    assert_true(warned(&done, "spec.elasticPolicy.odd"));
    refuse(a, PADDLE("  elasticPolicy: {maxRestarts: -1}\n", "Worker: {template: " ONE "}"),
           "spec.elasticPolicy.maxRestarts", "must be a whole number");
    refuse(a, PADDLE("  elasticPolicy: 5\n", "Worker: {template: " ONE "}"), "spec.elasticPolicy",
           "must be an object");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_collective),
        cmocka_unit_test(test_servers),
        cmocka_unit_test(test_master_alone),
        cmocka_unit_test(test_elastic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
