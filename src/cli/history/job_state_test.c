#include "cli/history/job_history_testing.h"
#include "cli/history/job_state.h"

static void test_states(void **state)
{
    static const struct {
        const char *job, *jobset;
        enum ty_history_read_run_state alive;
        const char *want;
    } cases[] = {
        { "{'status':{'conditions':[{'type':'Complete','status':'True'}]}}", "{}",
          TY_HISTORY_RUN_LIVE, "Complete" },
        { "{'status':{'conditions':[{'type':'Failed','status':'True'}]}}", "{}",
          TY_HISTORY_RUN_LOST, "Failed" },
        { "{'status':{'conditions':[{'type':'Failed','status':'False'}]}}", "{}",
          TY_HISTORY_RUN_LIVE, "Starting" },
        { "{}", "{}", TY_HISTORY_RUN_ENDED, "Interrupted" },
        { "{}", "{}", TY_HISTORY_RUN_LOST, "Interrupted" },
        { "{'spec':{'suspend':true}}", "{}", TY_HISTORY_RUN_LIVE, "Suspended" },
        { "{'spec':{'suspend':true},'metadata':{'deletionTimestamp':'x'}}", "{}",
          TY_HISTORY_RUN_LIVE, "Terminating" },
        { "{}",
          "{'spec':{'failurePolicy':{'maxRestarts':4}},'status':{'restarts':2,"
          "'replicatedJobsStatus':[{'ready':0,'succeeded':0}]}}",
          TY_HISTORY_RUN_LIVE, "Restarting 2/4" },
        { "{}",
          "{'spec':{'failurePolicy':{'maxRestarts':4}},'status':{'restarts':2,"
          "'replicatedJobsStatus':[{'ready':1,'succeeded':0}]}}",
          TY_HISTORY_RUN_LIVE, "Running" },
        /* pods that exist and cannot be scheduled are active and not ready */
        { "{}", "{'status':{'replicatedJobsStatus':[{'active':1,'ready':0,'succeeded':0}]}}",
          TY_HISTORY_RUN_LIVE, "Starting" },
        /* without the right to read JobSets: what the TrainJob has copied */
        { "{'status':{'jobsStatus':[{'name':'node','active':1,'ready':0}]}}", NULL,
          TY_HISTORY_RUN_LIVE, "Starting" },
        { "{'status':{'jobsStatus':[{'name':'node','active':1,'ready':1}]}}", NULL,
          TY_HISTORY_RUN_LIVE, "Running" },
        { "{'status':{'jobsStatus':[{'name':'dataset-initializer','active':1,'ready':1},"
          "{'name':'node','ready':0}]}}",
          NULL, TY_HISTORY_RUN_LIVE, "Initializing" },
        { "{}", NULL, TY_HISTORY_RUN_LIVE, "Created" },
        { "{}", "{'status':{'conditions':[{'type':'Completed','status':'True'}]}}",
          TY_HISTORY_RUN_LIVE, "Running" }, /* `wait` gives up if it is over without a condition */
        { "{'spec':{'managedBy':'kueue.x-k8s.io/multikueue'}}", NULL, TY_HISTORY_RUN_LIVE,
          "Queued" },
        { "{'spec':{'suspend':true},'metadata':{'labels':{'kueue.x-k8s.io/queue-name':'q'}}}", NULL,
          TY_HISTORY_RUN_LIVE, "Suspended" },
    };
    ty_auto_arena *a = ty_arena_new(1 << 20);

    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct ty_job_history_entry job = { .job = json_of(a, cases[i].job),
                                            .jobset = cases[i].jobset ? json_of(a, cases[i].jobset)
                                                                      : NULL,
                                            .alive = cases[i].alive };
        assert_string_equal(ty_job_state_text(a, &job), cases[i].want);
    }
}

static void test_cells(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_job_history_entry job = { .job = json_of(
                                            a, "{'spec':{'trainer':{'numNodes':7}},'status':"
                                               "{'trainerStatus':{'progressPercentage':12}}}"),
                                        .alive = TY_HISTORY_RUN_LIVE,
                                        .run = { .started_ms = 1000 } };

    (void)state;
    assert_string_equal(ty_job_state_nodes(a, &job), "7");
    assert_string_equal(ty_job_state_progress(a, &job), "12%");
    assert_int_equal(ty_job_state_restarts(&job), 0);
    assert_string_equal(ty_job_state_duration(a, &job, 62000), "61s");
    job.job = json_of(a, "{}");
    assert_string_equal(ty_job_state_nodes(a, &job), "<unknown>");
    assert_string_equal(ty_job_state_progress(a, &job), "");
    job.jobset =
        json_of(a, "{'spec':{'replicatedJobs':[{'replicas':2,'template':{'metadata':{'labels':"
                   "{'trainer.kubeflow.org/trainjob-ancestor-step':'trainer'}},'spec':"
                   "{'parallelism':3}}},{'replicas':1,'template':{}}]}}");
    assert_string_equal(ty_job_state_nodes(a, &job), "6");
}

static void test_when_it_ended(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_job_history_entry job = {
        .job = json_of(a, "{'status':{'conditions':[{'type':'Complete','status':"
                          "'True','lastTransitionTime':'1970-01-01T00:02:00Z'}]}}"),
        .alive = TY_HISTORY_RUN_ENDED,
        .run = { .started_ms = 60000, .ended_ms = 500000 }
    };

    (void)state;
    assert_int_equal(ty_job_state_ended_ms(&job), 120999); /* its own end, not the run's */
    assert_string_equal(ty_job_state_duration(a, &job, 0), "60s");
    job.run.ended_ms = 120400;
    assert_int_equal(ty_job_state_ended_ms(&job), 120400);
    job.run.ended_ms = 500000;
    job.job = json_of(a, "{}");
    assert_int_equal(ty_job_state_ended_ms(&job), 500000);
    job.alive = TY_HISTORY_RUN_LOST;
    job.run.ended_ms = 0;
    assert_int_equal(ty_job_state_ended_ms(&job), -1);
    assert_string_equal(ty_job_state_duration(a, &job, 0), "<unknown>");
    job.alive = TY_HISTORY_RUN_LIVE;
    assert_int_equal(ty_job_state_ended_ms(&job), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_states), cmocka_unit_test(test_cells),
                                        cmocka_unit_test(test_when_it_ended) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
