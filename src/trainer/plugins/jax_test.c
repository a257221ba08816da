#include "trainer/plugins/fixture.h"

#define JAX(n) RUNTIME("{'numNodes':" n ",'jax':{}}", "")

static void test_coordinator(void **state)
{
    struct fixture *f = *state;

    fx_run(f, JAX("1"), JOB("'numNodes':3"));
    assert_int_equal(f->plan.trainer->count, 3);
    assert_string_equal(fx_env(f, "node", "node"), "JAX_NUM_PROCESSES=3;JAX_PROCESS_ID=" FX_INDEX
                                                   ";JAX_COORDINATOR_ADDRESS=j-node-0-0.j:29500");
    assert_string_equal(fx_member(f, "node", "node", "ports"), "[{'containerPort':29500}]");
}

static void test_without_trainer(void **state)
{
    struct fixture *f = *state;

    fx_run(f, JAX("2"), JOB_OF("rt", ""));
    assert_string_equal(fx_env(f, "node", "node"), "JAX_NUM_PROCESSES=2;JAX_PROCESS_ID=" FX_INDEX
                                                   ";JAX_COORDINATOR_ADDRESS=j-node-0-0.j:29500");
}

static void test_user_wins(void **state)
{
    struct fixture *f = *state;

    fx_run(f, JAX("2"),
           JOB("'env':[{'name':'JAX_NUM_PROCESSES','value':'7'},"
               "{'name':'XLA_FLAGS','value':'--fast'}]"));
    assert_string_equal(fx_env(f, "node", "node"),
                        "JAX_NUM_PROCESSES=7;JAX_PROCESS_ID=" FX_INDEX
                        ";JAX_COORDINATOR_ADDRESS=j-node-0-0.j:29500;XLA_FLAGS=--fast");
    assert_string_equal(
        fx_validate(f, JAX("2"), JOB("'env':[{'name':'JAX_NUM_PROCESSES','value':'7'}]")), "");
}

static void test_gpus_do_not_count(void **state)
{
    struct fixture *f = *state;

    fx_run(f, JAX("2"),
           JOB("'numProcPerNode':4,'resourcesPerNode':{'limits':{"
               "'nvidia.com/gpu':4}}"));
    assert_has(fx_env(f, "node", "node"), "JAX_NUM_PROCESSES=2;");
}

static void test_no_trainer_job(void **state)
{
    struct fixture *f = *state;
    static const char runtime[] = RUNTIME_JOBS(
        "{'jax':{}}",
        "{'name':'dataset-initializer','template':{'metadata':{'labels':{'trainer.kubeflow.org/"
        "trainjob-ancestor-step':'dataset-initializer'}},'spec':{'template':{'spec':{"
        "'containers':[{'name':'dataset-initializer','image':'i'}]}}}}}");

    fx_run(f, runtime, JOB("'numNodes':2"));
    assert_string_equal(fx_env(f, "dataset-initializer", "dataset-initializer"), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fx_test(test_coordinator),       fx_test(test_without_trainer), fx_test(test_user_wins),
        fx_test(test_gpus_do_not_count), fx_test(test_no_trainer_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
