#include "trainer/testing.h"

static int64_t gpus(struct fixture *f, const char *resources)
{
    fx_plan(f,
            ty_arena_printf(f->arena,
                            "{'spec':{'template':{'spec':{'replicatedJobs':[{'name':'node',"
                            "'template':{'spec':{'template':{'spec':{'containers':[{'name':'node',"
                            "'resources':%s}]}}}}}]}}}}",
                            resources),
            JOB(""));
    return ty_plan_gpus(&f->plan);
}

static int64_t cpus(struct fixture *f, const char *resources)
{
    gpus(f, resources);
    return ty_plan_cpus(&f->plan);
}

/* B15: one order, whatever the order in the object. */
static void test_gpu_kinds(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *resources;
        int64_t n;
    } rows[] = {
        { "{'limits':{'example.com/gpu':9,'nvidia.com/gpu':1}}", 1 },
        { "{'limits':{'nvidia.com/mig-1g.5gb':3,'amd.com/gpu':2}}", 3 },
        { "{'limits':{'gpu.intel.com/i915':4,'amd.com/gpu':2}}", 2 },
        { "{'limits':{'habana.ai/gaudi':8,'gpu.intel.com/xe':4}}", 4 },
        { "{'limits':{'vendor/aGPUx':5,'habana.ai/gaudi':8}}", 8 },
        { "{'limits':{'b.com/gpu':2,'a.com/gpu':1}}", 1 },
        { "{'limits':{'nvidia.com/mig-2':2,'nvidia.com/mig-1':1}}", 1 },
        { "{'limits':{'google.com/tpu':4}}", 0 },
        { "{'limits':{'cpu':4,'gp':1,'gp.u':1}}", 0 },
        { "{}", 0 },
    };

    for (size_t i = 0; i < TY_COUNT(rows); i++)
        assert_int_equal(gpus(f, rows[i].resources), rows[i].n);
}

static void test_gpus_of_zero_do_not_count(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(gpus(f, "{'limits':{'nvidia.com/gpu':0,'amd.com/gpu':2}}"), 2);
    assert_int_equal(gpus(f, "{'requests':{'nvidia.com/gpu':0},'limits':{'nvidia.com/gpu':3}}"), 3);
}

static void test_requests_come_before_limits(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(gpus(f, "{'requests':{'a/gpu':2},'limits':{'nvidia.com/gpu':3}}"), 2);
    assert_int_equal(cpus(f, "{'requests':{'cpu':2},'limits':{'cpu':8}}"), 2);
    assert_int_equal(cpus(f, "{'limits':{'cpu':8}}"), 8);
}

/* A fraction of a CPU counts as a whole one. */
static void test_cpus_round_up(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(cpus(f, "{'limits':{'cpu':'2.5'}}"), 3);
    assert_int_equal(cpus(f, "{'limits':{'cpu':'700m'}}"), 1);
    assert_int_equal(cpus(f, "{'limits':{'cpu':'1n'}}"), 1);
    assert_int_equal(cpus(f, "{'limits':{'cpu':'0'}}"), 0);
}

static void test_what_is_no_quantity(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(gpus(f, "{'limits':{'nvidia.com/gpu':'many','amd.com/gpu':1}}"), 1);
    assert_int_equal(cpus(f, "{'limits':{'cpu':{}}}"), 0);
    assert_int_equal(cpus(f, "{'limits':'x','requests':[]}"), 0);
    assert_int_equal(cpus(f, "7"), 0);
    assert_int_equal(gpus(f, "{'limits':{'nvidia.com/gpu':'1E'}}"), 1000000000000000000);
}

/* The trainer first, or job `node`, whichever stands first and says something. */
static void test_first_job_that_says_something(void **state)
{
    struct fixture *f = *state;

    fx_plan(
        f,
        RUNTIME_JOBS(
            "{'mpi':{}}",
            PLAIN_JOB("other", "1", "{'name':'node','resources':{'limits':{'cpu':9}}}") "," TRAINER_JOB(
                "launcher", "") "," PLAIN_JOB("node", "1",
                                              "{'name':'side','resources':{'limits':{'cpu':7}}},"
                                              "{'name':'node','resources':{'limits':{'cpu':4}}}")),
        JOB(""));
    assert_int_equal(ty_plan_cpus(&f->plan), 4);
}

/* ---- what one pod asks for ---- */

static const char *asks(struct fixture *f, const char *pod)
{
    fx_plan(f,
            ty_arena_printf(f->arena,
                            "{'spec':{'template':{'spec':{'replicatedJobs':[{'name':'x',"
                            "'template':{'spec':{'template':{'spec':{%s}}}}}]}}}}",
                            pod),
            JOB(""));
    return fx_text(f, ty_plan_podset_requests(&f->plan, &f->plan.sets[0]));
}

static void test_sum_of_containers(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(asks(f, "'containers':[{'resources':{'requests':{'cpu':'500m'}}},"
                                "{'resources':{'requests':{'cpu':'750m','memory':'1Gi'}}},{}]"),
                        "{'cpu':'1250m','memory':'1Gi'}");
    assert_string_equal(asks(f, ""), "{}");
}

/* B11: the API server will make a request of it. */
static void test_limit_without_request(void **state)
{
    assert_string_equal(asks(*state,
                             "'containers':[{'resources':{'limits':{'nvidia.com/gpu':2,'cpu':4},"
                             "'requests':{'cpu':1}}}]"),
                        "{'cpu':'1','nvidia.com/gpu':'2'}");
}

static void test_init_container_peak(void **state)
{
    assert_string_equal(asks(*state, "'initContainers':[{'resources':{'requests':{'cpu':3}}},"
                                     "{'resources':{'requests':{'cpu':2,'memory':'2Gi'}}}],"
                                     "'containers':[{'resources':{'requests':{'cpu':1}}}]"),
                        "{'cpu':'3','memory':'2Gi'}");
}

/* A sidecar runs with the main containers and with the init containers after it. */
static void test_sidecars(void **state)
{
    struct fixture *f = *state;
#define SIDECAR "{'restartPolicy':'Always','resources':{'requests':{'cpu':1}}}"

    assert_string_equal(asks(f,
                             "'initContainers':[" SIDECAR ",{'resources':{'requests':{'cpu':3}}}]"
                             ",'containers':[{'resources':{'requests':{'cpu':2}}}]"),
                        "{'cpu':'4'}");
    assert_string_equal(asks(f,
                             "'initContainers':[{'resources':{'requests':{'cpu':3}}}," SIDECAR "]"
                             ",'containers':[{'resources':{'requests':{'cpu':1}}}]"),
                        "{'cpu':'3'}");
}

static void test_pod_level_requests(void **state)
{
    assert_string_equal(
        asks(*state, "'resources':{'requests':{'cpu':8,'hugepages-2Mi':'4Mi','nvidia.com/gpu':9}},"
                     "'containers':[{'resources':{'requests':{'cpu':1,'memory':'1Gi'}}}]"),
        "{'cpu':'8','hugepages-2Mi':'4Mi','memory':'1Gi'}");
}

static void test_overhead(void **state)
{
    assert_string_equal(asks(*state, "'overhead':{'cpu':'250m'},'containers':[{'resources':{"
                                     "'requests':{'cpu':1}}}]"),
                        "{'cpu':'1250m'}");
}

/* The template itself is only read. */
static void test_template_is_untouched(void **state)
{
    struct fixture *f = *state;

    asks(f, "'initContainers':[{'name':'a','resources':{'requests':{'cpu':3}}},{'name':'b',"
            "'restartPolicy':'Always','resources':{'requests':{'cpu':1}}}],'containers':[{'name':"
            "'c','resources':{'requests':{'cpu':1},'limits':{'cpu':2}}}]");
    const char *before = fx_text(f, f->plan.spec);
    ty_plan_podset_requests(&f->plan, &f->plan.sets[0]);
    assert_string_equal(fx_text(f, f->plan.spec), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        core_test(test_gpu_kinds),
        core_test(test_gpus_of_zero_do_not_count),
        core_test(test_requests_come_before_limits),
        core_test(test_cpus_round_up),
        core_test(test_what_is_no_quantity),
        core_test(test_first_job_that_says_something),
        core_test(test_sum_of_containers),
        core_test(test_limit_without_request),
        core_test(test_init_container_peak),
        core_test(test_sidecars),
        core_test(test_pod_level_requests),
        core_test(test_overhead),
        core_test(test_template_is_untouched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
