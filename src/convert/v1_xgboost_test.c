#include "convert/convert_testing.h"

#define PORT(n)                                                                                    \
    "{spec: {containers: [{name: xgboost, image: x, ports: [{name: xgboostjob-port, "              \
    "containerPort: " n "}]}]}}"

static void test_variables(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done =
        convert(a, HEAD("XGBoostJob") "  xgbReplicaSpecs: {Master: {template: " PORT(
                       "11") "}, Worker: {replicas: 2, template: " PORT("12") "}}\n");
    assert_true(ty_str_is(trainer_env(&done, "MASTER_PORT"), "11"));
    assert_true(ty_str_is(trainer_env(&done, "WORKER_PORT"), "12"));
    assert_true(ty_str_is(trainer_env(&done, "WORLD_SIZE"), "3"));
    assert_true(ty_str_is(trainer_env(&done, "WORKER_ADDRS"), "j-node-0-1.j,j-node-0-2.j"));
    const struct ty_json *rules =
        ty_json_at(rjob(&done, "node"), "template.spec.successPolicy.rules");
    assert_true(ty_str_is(ty_json_str_at(ty_json_item(rules, 0), "succeededIndexes"), "0"));
}

static void test_two_masters(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    refuse(a,
           HEAD("XGBoostJob") "  xgbReplicaSpecs: {Master: {replicas: 2, template: " POD(
               "xgboost") "}}\n",
           "spec.xgbReplicaSpecs.Master.replicas", "has at most 1 replica");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_variables),
        cmocka_unit_test(test_two_masters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
