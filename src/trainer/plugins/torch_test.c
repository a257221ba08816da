#include "trainer/plugins/fixture.h"

#define TORCH(container) RUNTIME("{'numNodes':1,'torch':{}}", container)
#define CPU(where, n)    "'resourcesPerNode':{'" where "':{'cpu':'" n "'}}"
#define GPUS             ",'resourcesPerNode':{'limits':{'nvidia.com/gpu':2,'cpu':6}}"
#define MASTER           ";PET_MASTER_ADDR=j-node-0-0.j;PET_MASTER_PORT=29500"
#define PET(nodes, procs)                                                                          \
    "PET_NNODES=" nodes ";PET_NPROC_PER_NODE=" procs ";PET_NODE_RANK=" FX_INDEX MASTER

static void check_procs(struct fixture *f, const char *runtime, const char *job, const char *want)
{
    fx_run(f, runtime, job);
    assert_string_equal(
        fx_env(f, "node", "node"),
        ty_arena_printf(f->arena,
                        "PET_NNODES=1;PET_NPROC_PER_NODE=%s;PET_NODE_RANK=" FX_INDEX MASTER, want));
}

static void test_nodes(void **state)
{
    struct fixture *f = *state;

    fx_run(f, TORCH(""), JOB("'numNodes':4"));
    assert_string_equal(fx_env(f, "node", "node"), PET("4", "1"));
    assert_string_equal(fx_member(f, "node", "node", "ports"), "[{'containerPort':29500}]");
    assert_int_equal(f->plan.trainer->count, 4);
    fx_run(f, TORCH(""), JOB("'numNodes':0"));
    assert_string_equal(fx_env(f, "node", "node"), PET("0", "1"));
    fx_run(f, RUNTIME("{'numNodes':2,'torch':{}}", ""), JOB_OF("rt", ""));
    assert_string_equal(fx_env(f, "node", "node"), PET("2", "1"));
}

static void test_processes_by_cpu(void **state)
{
    struct fixture *f = *state;

    check_procs(f, TORCH(""), JOB(CPU("limits", "4")), "4");
    check_procs(f, TORCH(""), JOB(CPU("requests", "2500m")), "3");
    check_procs(f, TORCH(""), JOB(CPU("requests", "0.7")), "1");
    check_procs(f, TORCH(""), JOB("'resourcesPerNode':{'requests':{'cpu':2},'limits':{'cpu':8}}"),
                "2");
    check_procs(f, TORCH(""), JOB("'resourcesPerNode':{'requests':{'cpu':0},'limits':{'cpu':3}}"),
                "3");
}

static void test_processes_by_gpu(void **state)
{
    struct fixture *f = *state;

    check_procs(f, TORCH(""), JOB("'resourcesPerNode':{'limits':{'example.com/gpu':2}}"), "auto");
    check_procs(f, TORCH(",'resources':{'limits':{'amd.com/gpu':2}}"), JOB(""), "auto");
    check_procs(f, TORCH(""), JOB("'resourcesPerNode':{'requests':{'cpu':4,'nvidia.com/gpu':0}}"),
                "4");
    /* the merged resources decide (B6) */
    check_procs(f, TORCH(",'resources':{'limits':{'nvidia.com/gpu':4}}"), JOB(CPU("requests", "2")),
                "auto");
}

static void test_process_words(void **state)
{
    struct fixture *f = *state;

    check_procs(f, TORCH(""), JOB("'numProcPerNode':3," CPU("limits", "8")), "3");
    check_procs(f, TORCH(""), JOB("'numProcPerNode':'cpu'" GPUS), "6");
    check_procs(f, TORCH(""), JOB("'numProcPerNode':'gpu'" GPUS), "gpu");
    check_procs(f, TORCH(""), JOB("'numProcPerNode':'auto'" GPUS), "auto");
    check_procs(f, TORCH(""), JOB("'numProcPerNode':'auto'"), "1");
    check_procs(f, TORCH(""), JOB("'numProcPerNode':'gpu'"), "gpu");
    /* the older API says it in the runtime; the TrainJob wins */
    check_procs(f, RUNTIME("{'torch':{'numProcPerNode':5}}", ""), JOB(""), "5");
    check_procs(f, RUNTIME("{'torch':{'numProcPerNode':'cpu'}}", ""), JOB(CPU("limits", "2")), "2");
    check_procs(f, RUNTIME("{'torch':{'numProcPerNode':5}}", ""), JOB("'numProcPerNode':2"), "2");
}

static void test_user_and_runtime_variables(void **state)
{
    struct fixture *f = *state;

    fx_run(f, TORCH(",'env':[{'name':'PET_NNODES','value':'99'},{'name':'L','value':'info'}]"),
           JOB("'env':[{'name':'C','value':'c'},{'name':'L','value':'debug'}]"));
    assert_string_equal(
        fx_env(f, "node", "node"),
        "PET_NNODES=1;L=debug;C=c;PET_NPROC_PER_NODE=1;PET_NODE_RANK=" FX_INDEX MASTER);
}

static void test_ports_stay(void **state)
{
    struct fixture *f = *state;

    fx_run(f, TORCH(",'ports':[{'containerPort':8080}]"), JOB(""));
    assert_string_equal(fx_member(f, "node", "node", "ports"),
                        "[{'containerPort':8080},{'containerPort':29500}]");
    fx_run(f, TORCH(",'ports':[{'name':'rdzv','containerPort':29500}]"), JOB(""));
    assert_string_equal(fx_member(f, "node", "node", "ports"),
                        "[{'name':'rdzv','containerPort':29500}]");
}

static void test_real_addresses(void **state)
{
    struct fixture *f = *state;

    fx_run(f,
           "{'metadata':{'name':'rt'},'spec':{'mlPolicy':{'torch':{}},'template':{'spec':{'network'"
           ":{'subdomain':'mesh'},'replicatedJobs':[" TRAINER_JOB("workers", "") "]}}}}",
           JOB(""));
    assert_has(fx_env(f, "workers", "node"), "PET_MASTER_ADDR=j-workers-0-0.mesh;");
}

/* ---- envInjection ---- */

#define TARGETS(list) "{'torch':{'envInjection':{'targets':" list "}}}"
#define INJECTED(list)                                                                             \
    RUNTIME_JOBS(                                                                                  \
        TARGETS(list),                                                                             \
        "{'name':'node','template':{'metadata':{'labels':{'trainer.kubeflow.org/trainjob-"         \
        "ancestor-step':'trainer'}},'spec':{'template':{'spec':{'initContainers':[{"               \
        "'name':'probe','image':'p','env':[{'name':'OWN','value':'1'}]},{'name':'other',"          \
        "'image':'o'}],'containers':[{'name':'node','image':'i'},{'name':'side','image':"          \
        "'s'}]}}}}}," PLAIN_JOB("eval", "1", "{'name':'watch','image':'w'}"))

static void test_injection(void **state)
{
    struct fixture *f = *state;
    static const char runtime[] = INJECTED("[{'jobName':'node','containerNames':['probe','side']},"
                                           "{'jobName':'eval','containerNames':['watch']}]");

    fx_run(f, runtime, JOB("'numNodes':2"));
    assert_string_equal(fx_env(f, "node", "probe"), "OWN=1;" PET("2", "1"));
    assert_string_equal(fx_env(f, "node", "side"), PET("2", "1"));
    assert_string_equal(fx_env(f, "eval", "watch"), PET("2", "1"));
    assert_string_equal(fx_env(f, "node", "node"), PET("2", "1"));
    assert_string_equal(fx_env(f, "node", "other"), "");
    assert_string_equal(fx_member(f, "node", "side", "ports"), "");
}

static void test_injection_target_missing(void **state)
{
    struct fixture *f = *state;
    static const char runtime[] = INJECTED("[{'jobName':'node','containerNames':['ghost']},"
                                           "{'jobName':'nojob','containerNames':['probe']}]");

    assert_string_equal(
        fx_validate(f, runtime, JOB("")),
        "[spec.runtimeRef: Invalid value: {\"jobName\":\"node\",\"containerNames\":[\"ghost\"]}: "
        "envInjection target podSet \"node\" container \"ghost\" not found in runtime template, "
        "spec.runtimeRef: Invalid value: {\"jobName\":\"nojob\",\"containerNames\":[\"probe\"]}: "
        "envInjection target podSet \"nojob\" container \"probe\" not found in runtime template]");
    assert_true(fx_try(f, runtime, JOB("")) < 0);
    assert_string_equal(f->err.text, "envInjection target podSet \"node\" container \"ghost\" not "
                                     "found in runtime template");
}

static void test_reserved(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(
        fx_validate(f, TORCH(""),
                    JOB("'env':[{'value':'1','name':'PET_NODE_RANK'},{'name':'A'},{'name':"
                        "'PET_MASTER_ADDR','valueFrom':{'fieldRef':{'fieldPath':'x'}}}]")),
        "spec.trainer.env: Invalid value: [{\"name\":\"PET_NODE_RANK\",\"value\":\"1\"},"
        "{\"name\":\"A\"},{\"name\":\"PET_MASTER_ADDR\",\"valueFrom\":{\"fieldRef\":{\"fieldPath\":"
        "\"x\"}}}]: must not have reserved envs, invalid envs configured: [PET_MASTER_ADDR "
        "PET_NODE_RANK]");
    assert_string_equal(fx_validate(f, TORCH(""), JOB("'env':[{'name':'PET_RDZV_ID'}]")), "");
}

/* ---- elasticPolicy ---- */

#define ELASTIC                                                                                    \
    RUNTIME("{'torch':{'elasticPolicy':{'minNodes':2,'maxNodes':4,'maxRestarts':3}}}", "")

static void test_elastic(void **state)
{
    struct fixture *f = *state;
    static const char want[] = "PET_NNODES=2:4;PET_NPROC_PER_NODE=1;PET_MAX_RESTARTS=3;"
                               "PET_RDZV_BACKEND=c10d;PET_RDZV_ENDPOINT=j-node-0-0.j:29500;"
                               "PET_RDZV_ID=j";

    fx_run(f, ELASTIC, JOB(""));
    assert_string_equal(fx_env(f, "node", "node"), want);
    assert_int_equal(f->plan.trainer->count, 4);
    fx_run(f, ELASTIC, JOB("'numNodes':3"));
    assert_string_equal(fx_env(f, "node", "node"), want);
    assert_int_equal(f->plan.trainer->count, 3);
    fx_run(f, RUNTIME("{'torch':{'elasticPolicy':{'minNodes':2,'maxNodes':2}}}", ""), JOB(""));
    assert_has(fx_env(f, "node", "node"), "PET_NNODES=2:2;");
    assert_null(strstr(fx_env(f, "node", "node"), "PET_MAX_RESTARTS"));
}

static void test_elastic_bounds(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(fx_validate(f, ELASTIC, JOB("'numNodes':4")), "");
    assert_string_equal(fx_validate(f, ELASTIC, JOB("'numNodes':5")),
                        "spec.trainer.numNodes: Invalid value: 5: must be from 2 to 4, the bounds "
                        "of the runtime's elasticPolicy");
    assert_has(fx_validate(f, ELASTIC, JOB("'numNodes':1")), "Invalid value: 1");
    assert_has(fx_validate(f,
                           RUNTIME("{'torch':{'elasticPolicy':{'minNodes':3,'maxNodes':2}}}", ""),
                           JOB("")),
               "allows from 3 to 2 nodes, which no job can have");
    assert_non_null(
        strstr(fx_validate(f, ELASTIC, JOB("'env':[{'name':'PET_RDZV_ID'}]")), "[PET_RDZV_ID]"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fx_test(test_nodes),
        fx_test(test_processes_by_cpu),
        fx_test(test_processes_by_gpu),
        fx_test(test_process_words),
        fx_test(test_user_and_runtime_variables),
        fx_test(test_ports_stay),
        fx_test(test_real_addresses),
        fx_test(test_injection),
        fx_test(test_injection_target_missing),
        fx_test(test_reserved),
        fx_test(test_elastic),
        fx_test(test_elastic_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
