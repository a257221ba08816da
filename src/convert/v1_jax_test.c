#include "convert/convert_testing.h"

#define JAX(worker)                                                                                \
    HEAD("JAXJob")                                                                                 \
    "  jaxReplicaSpecs: {Worker: {replicas: 3, restartPolicy: OnFailure, template: " worker "}}\n"

static void test_variables(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done = convert(a, JAX(POD("jax")));
    assert_null(done.runtime);
    assert_null(done.warnings);
    assert_true(ty_str_is(trainer_env(&done, "COORDINATOR_ADDRESS"), "j-node-0-0.j"));
    assert_true(ty_str_is(trainer_env(&done, "COORDINATOR_PORT"), "6666"));
    assert_true(ty_str_is(trainer_env(&done, "NUM_PROCESSES"), "3"));
    assert_true(ty_str_is(trainer_env(&done, "PROCESS_ID"), "$(TY_INDEX)"));
}

static void test_port_by_name(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done = convert(
        a, JAX("{spec: {containers: [{name: jax, image: x, ports: [{name: web, containerPort: 80}, "
               "{name: jaxjob-port, containerPort: 77}]}]}}"));
    assert_true(ty_str_is(trainer_env(&done, "COORDINATOR_PORT"), "77"));
    const struct ty_json *main =
        ty_json_item(ty_json_get(rjob_pod(&done, "node"), "containers"), 0);
    assert_int_equal(ty_json_len(ty_json_get(main, "ports")), 2);
}

static void test_only_workers(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    refuse(a, HEAD("JAXJob") "  jaxReplicaSpecs: {Master: {template: " POD("jax") "}}\n",
           "spec.jaxReplicaSpecs.Master", "a JAXJob has no such role");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_variables),
        cmocka_unit_test(test_port_by_name),
        cmocka_unit_test(test_only_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
