#include "convert/convert_testing.h"

#define TORCH(env)                                                                                 \
    HEAD("PyTorchJob")                                                                             \
    "  pytorchReplicaSpecs: {Master: {template: &pod {spec: {containers: [{name: pytorch, image: " \
    "x, env: " env "}]}}}, Worker: {template: *pod}}\n"
#define ENV "spec.pytorchReplicaSpecs.Worker.template.spec.containers[0].env"

static void test_v1_wins(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done =
        convert(a, TORCH("[{name: A, value: '1'}, {name: MASTER_ADDR, "
                         "value: me}, {name: PYTHONUNBUFFERED, value: '1'}, "
                         "{name: TY_INDEX, value: '5'}]"));
    assert_true(ty_str_is(trainer_env(&done, "MASTER_ADDR"), "j-node-0-0.j"));
    assert_true(ty_str_is(trainer_env(&done, "A"), "1"));
    assert_has(warning(&done, ENV "[1]"), "the job's own MASTER_ADDR");
    assert_false(warned(&done, ENV "[2]")); /* it is the same anyway */
    assert_true(warned(&done, ENV "[3]"));
    assert_true(trainer_env(&done, "TY_INDEX").n == 0); /* comes from the pod */
    const struct ty_json *env = ty_json_at(done.job, "spec.trainer.env");
    assert_true(ty_str_is(ty_json_str_at(ty_json_item(env, 0), "name"), "TY_INDEX"));
}

/* Without a master V1 sets none of it, so what the user has set stays. */
static void test_user_wins_without_master(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done = convert(
        a,
        HEAD("PyTorchJob") "  pytorchReplicaSpecs: {Worker: {template: {spec: {containers: [{name: "
                           "pytorch, image: x, env: [{name: WORLD_SIZE, value: '9'}]}]}}}}\n");
    assert_true(ty_str_is(trainer_env(&done, "WORLD_SIZE"), "9"));
    assert_true(ty_str_is(trainer_env(&done, "RANK"), "$(TY_INDEX)"));
    assert_null(done.warnings);
}

static void test_refused_by_kind(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done = convert(
        a, TORCH("[{name: PET_NNODES, value: '1'}, {name: DMLC_TASK_ID, value: '2'}, {name: "
                 "OMPI_MCA_plm_rsh_args, value: c}]"));
    assert_true(warned(&done, ENV "[0]"));
    assert_true(trainer_env(&done, "PET_NNODES").n == 0);
    assert_true(ty_str_is(trainer_env(&done, "DMLC_TASK_ID"), "2"));
    assert_true(ty_str_is(trainer_env(&done, "OMPI_MCA_plm_rsh_args"), "c"));
}

/* Only spec.trainer.env is refused anything: the nodes of an MPIJob are in the runtime. */
static void test_refused_by_place_and_implementation(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done = convert(
        a, HEAD2 "  mpiImplementation: Intel\n  mpiReplicaSpecs:\n    Launcher: {template: "
                 "&pod {spec: {containers: [{name: c, image: x, env: [{name: I_MPI_PERHOST, "
                 "value: '1'}, {name: OMPI_MCA_plm_rsh_args, value: a}]}]}}}\n"
                 "    Worker: {replicas: 1, template: *pod}\n");
    assert_true(warned(&done, "spec.mpiReplicaSpecs.Launcher.template.spec.containers[0].env[0]"));
    assert_false(warned(&done, "spec.mpiReplicaSpecs.Launcher.template.spec.containers[0].env[1]"));
    assert_false(warned(&done, "spec.mpiReplicaSpecs.Worker.template.spec.containers[0].env[0]"));
    const struct ty_json *node =
        ty_json_item(ty_json_get(rjob_pod(&done, "node"), "containers"), 0);
    assert_true(ty_str_is(env_value(node, "I_MPI_PERHOST"), "1"));
    assert_true(ty_str_is(env_value(node, "K_MPI_JOB_ROLE"), "worker"));
}

static void test_last_of_two_counts(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done = convert(
        a, TORCH("[{name: A, value: '1'}, {name: B, value: b}, {name: A, value: '2'}, {name: A, "
                 "value: '3'}]"));
    assert_true(ty_str_is(trainer_env(&done, "A"), "3"));
    assert_true(warned(&done, ENV "[0]") && warned(&done, ENV "[2]"));
    assert_false(warned(&done, ENV "[1]") || warned(&done, ENV "[3]"));
}

static void test_sidecars(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done = convert(
        a, HEAD("JAXJob") "  jaxReplicaSpecs: {Worker: {replicas: 2, template: {spec: {containers: "
                          "[{name: jax, image: x}, {name: side, image: z, env: [{name: A, value: "
                          "'1'}, {name: A, value: '2'}, {name: PROCESS_ID, value: '7'}]}]}}}}\n");
    const struct ty_json *side =
        ty_json_item(ty_json_get(rjob_pod(&done, "node"), "containers"), 1);
    assert_true(ty_str_is(env_value(side, "NUM_PROCESSES"), "2"));
    assert_true(ty_str_is(env_value(side, "PROCESS_ID"), "7"));
    assert_true(ty_str_is(env_value(side, "A"), "2"));
    done =
        convert(a, HEAD("TFJob") "  tfReplicaSpecs: {Worker: {replicas: 2, template: {spec: "
                                 "{containers: [{name: side, image: z}, {name: tensorflow, image: "
                                 "x}]}}}}\n"); /* V1 gives TF_CONFIG to the main one alone */
    side = ty_json_item(ty_json_get(rjob_pod(&done, "worker"), "containers"), 1);
    assert_null(ty_json_get(side, "env"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_v1_wins),
        cmocka_unit_test(test_user_wins_without_master),
        cmocka_unit_test(test_refused_by_kind),
        cmocka_unit_test(test_refused_by_place_and_implementation),
        cmocka_unit_test(test_last_of_two_counts),
        cmocka_unit_test(test_sidecars),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
