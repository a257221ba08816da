#include "trainer/plugins/fixture.h"

#define XGB(n, container) RUNTIME("{'numNodes':" n ",'xgboost':{}}", container)
#define GPU(where, n)     "'resources':{'" where "':{'nvidia.com/gpu':" n "}}"

static void check_workers(struct fixture *f, const char *runtime, const char *job, const char *want)
{
    fx_run(f, runtime, job);
    const char *env = fx_env(f, "node", "node"), *at = strstr(env, "DMLC_NUM_WORKER=");
    assert_non_null(at);
    assert_string_equal(at + strlen("DMLC_NUM_WORKER="), want);
}

static void test_tracker(void **state)
{
    struct fixture *f = *state;

    fx_run(f, XGB("1", ""), JOB("'numNodes':3,'env':[{'name':'DEPTH','value':'6'}]"));
    assert_string_equal(fx_env(f, "node", "node"),
                        "DEPTH=6;DMLC_TRACKER_URI=j-node-0-0.j;DMLC_TRACKER_PORT=29500;"
                        "DMLC_TASK_ID=" FX_INDEX ";DMLC_NUM_WORKER=3");
    assert_string_equal(fx_member(f, "node", "node", "ports"), "[{'containerPort':29500}]");
}

static void test_workers(void **state)
{
    struct fixture *f = *state;

    check_workers(f, XGB("2", ""), JOB_OF("rt", ""), "2");
    check_workers(f, XGB("3", "," GPU("requests", "2")), JOB(""), "6");
    check_workers(f, XGB("1", "," GPU("limits", "8")),
                  JOB("'numNodes':2,'resourcesPerNode':{'requests':{'cpu':4}}"), "16");
    check_workers(f, XGB("2", "," GPU("limits", "'9E'")), JOB(""), "9223372036854775807");
    check_workers(f, XGB("1", "," GPU("limits", "1")),
                  JOB("'numNodes':2,'resourcesPerNode':{'limits':{'nvidia.com/gpu':3}}"), "6");
}

static void test_runtime_variables_keep_their_place(void **state)
{
    struct fixture *f = *state;

    fx_run(f,
           XGB("2", ",'env':[{'name':'DMLC_TRACKER_PORT','value':'1'},{'name':'D','value':'6'}],"
                    "'ports':[{'containerPort':9091}]"),
           JOB(""));
    assert_has(fx_env(f, "node", "node"), "DMLC_TRACKER_PORT=29500;D=6;DMLC_TRACKER_");
    assert_string_equal(fx_member(f, "node", "node", "ports"),
                        "[{'containerPort':9091},{'containerPort':29500}]");
}

static void test_reserved(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(
        fx_validate(f, XGB("1", ""),
                    JOB("'env':[{'name':'A','value':'1'},{'name':'DMLC_TASK_ID','value':'2'},"
                        "{'name':'DMLC_NUM_WORKER','value':'3'}]")),
        "[spec.trainer.env[1]: Forbidden: DMLC_TASK_ID is reserved for the XGBoost runtime, "
        "spec.trainer.env[2]: Forbidden: DMLC_NUM_WORKER is reserved for the XGBoost runtime]");
    assert_string_equal(fx_validate(f, RUNTIME("{'jax':{}}", ""),
                                    JOB("'env':[{'name':'DMLC_TASK_ID','value':'2'}]")),
                        "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fx_test(test_tracker),
        fx_test(test_workers),
        fx_test(test_runtime_variables_keep_their_place),
        fx_test(test_reserved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
