#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/job_phase.h"
#include "json/json_testing.h"

enum { CEILING = 1 << 24 };

#define STEP(name, label)                                                                          \
    "{'name':'" name "','replicas':1,'template':{'metadata':{'labels':{"                           \
    "'trainer.kubeflow.org/trainjob-ancestor-step':'" label "'}}}}"
#define COUNTS(name, ready, succeeded, active)                                                     \
    "{'name':'" name "','ready':" #ready ",'succeeded':" #succeeded ",'active':" #active "}"
#define TUNE                                                                                       \
    "'spec':{'replicatedJobs':[" STEP("data", "dataset-initializer") "," STEP("node",              \
                                                                              "trainer") "]}"
#define MPI                     "'spec':{'replicatedJobs':[{'name':'node'}," STEP("launcher", "trainer") "]}"
#define SET(spec, counts, more) "{" spec ",'status':{'replicatedJobsStatus':[" counts "]" more "}}"
#define TRUE(type)              "'status':{'conditions':[{'type':'" type "','status':'True'}]}"
#define QUEUE                   "'metadata':{'labels':{'kueue.x-k8s.io/queue-name':'q'}}"
#define OTHERS                  "'managedBy':'kueue.x-k8s.io/multikueue'"

static void phases(void **state TY_UNUSED)
{
    static const struct {
        const char *job, *jobset; /* NULL: none */
        enum ty_job_phase want;
    } rows[] = {
        { "{}", NULL, TY_PHASE_CREATED },
        { "{'spec':{'managedBy':'trainer.kubeflow.org/trainjob-controller'}}", NULL,
          TY_PHASE_CREATED },
        { "{'spec':{" OTHERS "}}", NULL, TY_PHASE_QUEUED },
        { "{" TRUE("Complete") "}", "{}", TY_PHASE_COMPLETE },
        { "{" TRUE("Failed") "}", NULL, TY_PHASE_FAILED },
        { "{}", "{" TRUE("Completed") "}", TY_PHASE_COMPLETE },
        { "{}", "{" TRUE("Failed") "}", TY_PHASE_FAILED },
        { "{'status':{'conditions':[{'type':'Failed','status':'False'}]}}", "{}",
          TY_PHASE_STARTING },
        { "{'spec':{'suspend':true}}", "{}", TY_PHASE_SUSPENDED },
        { "{" QUEUE ",'spec':{'suspend':true}}", "{}", TY_PHASE_QUEUED },
        { "{'spec':{'suspend':true," OTHERS "}}", NULL, TY_PHASE_QUEUED },
        { "{}", "{}", TY_PHASE_STARTING },
        { "{}", "{'status':{'restarts':1}}", TY_PHASE_RESTARTING },
        { "{}", SET(TUNE, COUNTS("data", 0, 0, 0) "," COUNTS("node", 0, 0, 0), ""),
          TY_PHASE_STARTING },
        { "{}", SET(TUNE, COUNTS("data", 0, 0, 1) "," COUNTS("node", 0, 0, 0), ",'restarts':1"),
          TY_PHASE_INITIALIZING },
        { "{}", SET(TUNE, COUNTS("data", 1, 0, 0) "," COUNTS("node", 0, 0, 0), ""),
          TY_PHASE_INITIALIZING },
        { "{}", SET(TUNE, COUNTS("data", 0, 1, 0) "," COUNTS("node", 0, 0, 1), ""),
          TY_PHASE_STARTING },
        { "{}", SET(TUNE, COUNTS("node", 1, 0, 1) "," COUNTS("data", 0, 1, 0), ""),
          TY_PHASE_RUNNING },
        { "{}", SET(MPI, COUNTS("node", 1, 0, 1) "," COUNTS("launcher", 0, 0, 1), ""),
          TY_PHASE_STARTING },
        { "{}", SET(MPI, COUNTS("node", 1, 0, 1) "," COUNTS("launcher", 1, 0, 1), ""),
          TY_PHASE_RUNNING },
        { "{}", SET("'spec':{}", COUNTS("a", 1, 0, 1) "," COUNTS("b", 0, 0, 1), ""),
          TY_PHASE_STARTING },
        { "{}", SET("'spec':{}", COUNTS("a", 0, 0, 1) "," COUNTS("b", 1, 0, 1), ""),
          TY_PHASE_STARTING },
        { "{}",
          SET("'spec':{'replicatedJobs':[{'name':'a','replicas':0}]}", COUNTS("a", 0, 0, 0), ""),
          TY_PHASE_STARTING },
        { "{}",
          SET("'spec':{}",
              COUNTS("dataset-initializer", 0, 0, 1) "," COUNTS("model-initializer", 0, 1, 0), ""),
          TY_PHASE_INITIALIZING },
        /* only the copy in the TrainJob */
        { "{'status':{'jobsStatus':[" COUNTS("model-initializer", 1, 0, 1) "]}}", NULL,
          TY_PHASE_INITIALIZING },
        { "{'status':{'jobsStatus':[" COUNTS("node", 1, 0, 1) "]}}", NULL, TY_PHASE_RUNNING },
        { "{'status':{'jobsStatus':[" COUNTS("node", 1, 0, 1) "]}}", "{}", TY_PHASE_STARTING },
    };

    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        ty_auto_arena *a = ty_arena_new(CEILING);
        enum ty_job_phase got = ty_job_phase_of(json_of(a, rows[i].job),
                                                rows[i].jobset ? json_of(a, rows[i].jobset) : NULL);
        if (got != rows[i].want)
            fail_msg("row %zu: %s, not %s", i, ty_job_phase_name(got),
                     ty_job_phase_name(rows[i].want));
    }
}

/* More steps than any JobSet has are not looked at. */
static void many_steps(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(CEILING);
    ty_auto_buf b = { 0 };

    ty_buf_cstr(&b, "{'status':{'replicatedJobsStatus':[{'name':'n','ready':1}");
    for (int i = 0; i < 100; i++)
        ty_buf_printf(&b, ",{'name':'n%d','ready':%d}", i, i < 63);
    ty_buf_cstr(&b, "]}}");
    ty_buf_chr(&b, '\0');
    assert_int_equal(ty_job_phase_of(NULL, json_of(a, b.p)), TY_PHASE_RUNNING);
}

static void reasons(void **state TY_UNUSED)
{
    static const struct {
        enum ty_job_phase was, now;
        const char *reason;
    } rows[] = {
        { TY_PHASE_RUNNING, TY_PHASE_RUNNING, NULL },
        { TY_PHASE_CREATED, TY_PHASE_QUEUED, "Queued" },
        { TY_PHASE_RUNNING, TY_PHASE_SUSPENDED, "Suspended" },
        { TY_PHASE_QUEUED, TY_PHASE_STARTING, "Resumed" },
        { TY_PHASE_SUSPENDED, TY_PHASE_CREATED, "Resumed" },
        { TY_PHASE_SUSPENDED, TY_PHASE_RUNNING, "Running" },
        { TY_PHASE_CREATED, TY_PHASE_STARTING, NULL },
        { TY_PHASE_STARTING, TY_PHASE_CREATED, NULL },
        { TY_PHASE_STARTING, TY_PHASE_INITIALIZING, "WaitingForInitializer" },
        { TY_PHASE_RUNNING, TY_PHASE_RESTARTING, "Restarting" },
        { TY_PHASE_RUNNING, TY_PHASE_COMPLETE, "Complete" },
        { TY_PHASE_RUNNING, TY_PHASE_FAILED, NULL },
    };

    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        const char *got = ty_job_phase_event_reason(rows[i].was, rows[i].now);
        if (rows[i].reason)
            assert_string_equal(got, rows[i].reason);
        else
            assert_null(got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phases),
        cmocka_unit_test(many_steps),
        cmocka_unit_test(reasons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
