#include "engine/jobset_testing.h"

static void begin(struct world *w, struct ty_arena *a, const char *patch, unsigned gates)
{
    world_init(w, a, merged(a, set_t(a), patch), gates);
    settle(w);
    (void)events(w);
}

static void all_complete(struct world *w)
{
    job_completes(w, A0);
    job_completes(w, B0);
    job_completes(w, B1);
    job_completes(w, B2);
}

static void case_029_running_jobs_are_scaled(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct ty_json *js = set_t(a);
    struct world w;

    patch_rj(a, js, 1, "{'template':{'spec':{'parallelism':2,'completions':2}}}");
    world_init(&w, a, js, TY_GATE_ELASTIC);
    settle(&w);
    job_completes(&w, B2);
    patch_rj(a, w.js, 1, "{'template':{'spec':{'parallelism':4,'completions':4}}}");
    settle(&w);
    assert_int_equal(ty_js_int(job(&w, B0), "spec.parallelism", -1), 4);
    assert_int_equal(ty_js_int(job(&w, B0), "spec.completions", -1), 4);
    assert_int_equal(ty_js_int(job(&w, B2), "spec.completions", -1), 2); /* has finished */
    assert_int_equal(ty_js_int(job(&w, A0), "spec.completions", -1), 1);
    w.gates = 0;
    patch_rj(a, w.js, 1, "{'template':{'spec':{'parallelism':6,'completions':6}}}");
    settle(&w);
    assert_int_equal(ty_js_int(job(&w, B0), "spec.parallelism", -1), 4);
    world_done(&w);
}

static void case_037_service_is_made_again(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct ty_json *js =
        merged(a, set_t(a), "{'metadata':{'name':'made-abcde','generateName':'made-'}}");
    struct world w;

    world_init(&w, a, js, 0);
    settle(&w);
    assert_true(ty_str_is(ty_json_str_at(w.service, "metadata.name"), "made-abcde"));
    w.service = NULL;
    settle(&w);
    assert_non_null(w.service);
    world_done(&w);
}

static void a_job_deleted_by_hand_comes_back(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct world w;

    begin(&w, a, "{}", 0);
    remove_job(&w, job_place(&w, TY_LIT(B1)));
    settle(&w);
    assert_non_null(job(&w, B1));
    assert_int_equal(status_int(&w, "restarts"), 0);
    world_done(&w);
}

static void case_056_recreate_and_blocking_recreate(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct world w;

    begin(&w, a, "{'spec':{'failurePolicy':{'maxRestarts':1}}}", 0);
    w.linger = true;
    job_fails(&w, B0);
    settle(&w);
    assert_int_equal(jobs_of_attempt(&w, "0"), 4);
    gone(&w, A0);
    gone(&w, B0);
    gone(&w, B1);
    settle(&w);
    assert_int_equal(jobs_of_attempt(&w, "1"), 3);
    assert_int_equal(jobs_of_attempt(&w, "0"), 1);
    assert_string_equal(counts(&w, B), "0 0 0 0 0");
    world_done(&w);

    begin(&w, a,
          "{'spec':{'failurePolicy':{'maxRestarts':1,'restartStrategy':'BlockingRecreate'}}}", 0);
    w.linger = true;
    job_fails(&w, B0);
    settle(&w);
    gone(&w, A0);
    gone(&w, B0);
    gone(&w, B1);
    settle(&w);
    assert_int_equal(jobs_of_attempt(&w, "1"), 0);
    assert_int_equal(jobs_of_attempt(&w, "0"), 1);
    gone(&w, B2);
    settle(&w);
    assert_int_equal(jobs_of_attempt(&w, "1"), 4);
    world_done(&w);
}

static void case_057_completed_jobs_run_again(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct world w;

    begin(&w, a, "{'spec':{'failurePolicy':{'maxRestarts':1}}}", 0);
    job_completes(&w, A0);
    job_fails(&w, B0);
    settle(&w);
    assert_int_equal(jobs_of_attempt(&w, "1"), 4);
    job_completes(&w, B0);
    job_completes(&w, B1);
    job_completes(&w, B2);
    settle(&w);
    assert_string_equal(condition(&w, "Completed"), "");
    job_completes(&w, A0);
    settle(&w);
    assert_has(condition(&w, "Completed"), "True");
    world_done(&w);
}

static void failure_is_looked_at_before_success(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct world w;

    begin(&w, a, "{'spec':{'successPolicy':{'operator':'Any'}}}", 0);
    job_completes(&w, A0);
    job_fails(&w, B0);
    settle(&w);
    assert_string_equal(condition(&w, "Completed"), "");
    assert_has(condition(&w, "Failed"), "True FailedJobs");
    world_done(&w);
}

/* T, finished `ago` seconds before now. */
static void finished(struct world *w, struct ty_arena *a, const char *patch, int64_t ago)
{
    begin(w, a, patch, 0);
    all_complete(w);
    pass(w);
    assert_has(condition(w, "Completed"), "True");
    w->now_s += ago;
    pass(w);
}

static void case_068_time_to_live(void **state TY_UNUSED)
{
    static const char five[] = "{'spec':{'ttlSecondsAfterFinished':5}}";
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct world w;

    finished(&w, a, five, 2);
    assert_false(w.deleted);
    assert_int_equal(w.requeue_ms, 3000);
    world_done(&w);
    finished(&w, a, five, 10);
    assert_true(w.deleted);
    world_done(&w);
    finished(&w, a, "{}", 1000);
    assert_false(w.deleted);
    assert_int_equal(w.requeue_ms, -1);
    world_done(&w);
    finished(&w, a, "{'spec':{'ttlSecondsAfterFinished':0}}", 0);
    assert_true(w.deleted);
    world_done(&w);
    begin(&w, a, "{'spec':{'ttlSecondsAfterFinished':0}}", 0);
    w.now_s += 100;
    settle(&w);
    assert_false(w.deleted); /* not finished */
    world_done(&w);
}

static void case_069_time_to_live_after_failure(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct world w;

    begin(&w, a, "{'spec':{'ttlSecondsAfterFinished':2}}", 0);
    job_fails(&w, B0);
    settle(&w);
    assert_int_equal(w.n_jobs, 1); /* at once */
    assert_false(w.deleted);
    assert_int_equal(w.requeue_ms, 2000);
    w.now_s += 2;
    pass(&w);
    assert_true(w.deleted);
    world_done(&w);
    begin(&w, a, "{}", 0);
    job_fails(&w, B0);
    w.now_s += 100000;
    settle(&w);
    assert_int_equal(w.n_jobs, 1);
    assert_false(w.deleted);
    world_done(&w);
}

static void an_end_without_a_time_is_an_error(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct world w;

    begin(&w, a, "{'spec':{'ttlSecondsAfterFinished':2}}", 0);
    w.js = merged(a, w.js, "{'status':{'conditions':[{'type':'Failed','status':'True'}]}}");
    pass(&w);
    assert_false(w.deleted);
    assert_string_equal(events(&w), "Warning TTLAfterFinishedFailed: unable to find the time when "
                                    "the JobSet default/test-js finished\n");
    world_done(&w);
}

static void case_070_managed_by_others(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct ty_json *js = merged(a, set_t(a), "{'spec':{'managedBy':'kueue.x-k8s.io/multikueue'}}");
    struct world w;

    js = merged(a, js, "{'status':{'restarts':7}}");
    world_init(&w, a, js, 0);
    pass(&w);
    assert_int_equal(w.changes, 0);
    w.js = merged(a, w.js, "{'spec':{'suspend':true}}");
    pass(&w);
    assert_int_equal(w.changes, 0);
    assert_string_equal(json_show(a, ty_json_get(w.js, "status")), "{'restarts':7}");
    world_done(&w);
    begin(&w, a, "{'spec':{'managedBy':'" TY_JS_CONTROLLER "'}}", 0);
    assert_int_equal(w.n_jobs, 4);
    world_done(&w);
}

static void a_jobset_on_its_way_out_is_left_alone(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct world w;

    begin(&w, a, "{}", 0);
    w.js = merged(a, w.js, "{'metadata':{'deletionTimestamp':'2023-11-14T22:13:20Z'}}");
    job_fails(&w, A0);
    pass(&w);
    assert_int_equal(w.changes, 0);
    world_done(&w);
}

static void case_071_job_creation_fails(void **state TY_UNUSED)
{
    static const char said[] =
        "Warning JobCreationFailed: job \"" B0 "\" creation failed with error: Job.batch \"" B0
        "\" is invalid: spec.completions: Required value: when completion mode is Indexed\n";
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct world w;

    world_init(&w, a, set_t(a), 0);
    patch_rj(a, w.js, 1, "{'template':{'spec':{'parallelism':2}}}"); /* past admission */
    pass(&w);
    assert_string_equal(events(&w), said);
    assert_int_equal(w.n_jobs, 1); /* what could be made is made */
    assert_null(ty_json_get(w.js, "status"));
    assert_int_equal(w.requeue_ms, 1000);
    pass(&w); /* the same words: whoever keeps events counts them */
    assert_string_equal(events(&w), said);
    world_done(&w);
}

/* The worked example of the specification: initializers, a node that fails once. */
static void initializers_run_again_after_a_restart(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct ty_json *js = merged(a, empty_set(a), "{'spec':{'failurePolicy':{'maxRestarts':1}}}");
    struct world w;

    add_rjob(a, js, "dataset-initializer", 1);
    add_rjob(a, js, "model-initializer", 1);
    add_rjob(a, js, "node", 1);
    patch_rj(a, js, 2,
             "{'dependsOn':[{'name':'dataset-initializer','status':'Complete'},"
             "{'name':'model-initializer','status':'Complete'}]}");
    world_init(&w, a, js, 0);
    settle(&w);
    assert_int_equal(w.n_jobs, 2);
    assert_string_equal(counts(&w, "node"), "0 0 0 0 0");
    for (int attempt = 0; attempt < 2; attempt++) {
        job_completes(&w, "test-js-dataset-initializer-0");
        job_completes(&w, "test-js-model-initializer-0");
        settle(&w);
        job_ready(&w, "test-js-node-0");
        settle(&w);
        assert_string_equal(counts(&w, "node"), "1 0 0 1 0");
        if (attempt == 1)
            break;
        job_fails(&w, "test-js-node-0");
        pass(&w);
        assert_has(condition(&w, "RestartingJobSet"), "True DefaultFailurePolicy");
        pass(&w);
        assert_int_equal(w.n_jobs, 0); /* all three are deleted, then made anew */
        settle(&w);
        assert_string_equal(counts(&w, "dataset-initializer"), "0 0 0 0 0");
        assert_int_equal(jobs_of_attempt(&w, "1"), 2);
    }
    assert_string_equal(condition(&w, "RestartingJobSet"), "False JobsReady: all jobs are ready");
    job_completes(&w, "test-js-node-0");
    settle(&w);
    assert_has(condition(&w, "Completed"), "True");
    world_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_029_running_jobs_are_scaled),
        cmocka_unit_test(case_037_service_is_made_again),
        cmocka_unit_test(a_job_deleted_by_hand_comes_back),
        cmocka_unit_test(case_056_recreate_and_blocking_recreate),
        cmocka_unit_test(case_057_completed_jobs_run_again),
        cmocka_unit_test(failure_is_looked_at_before_success),
        cmocka_unit_test(case_068_time_to_live),
        cmocka_unit_test(case_069_time_to_live_after_failure),
        cmocka_unit_test(an_end_without_a_time_is_an_error),
        cmocka_unit_test(case_070_managed_by_others),
        cmocka_unit_test(a_jobset_on_its_way_out_is_left_alone),
        cmocka_unit_test(case_071_job_creation_fails),
        cmocka_unit_test(initializers_run_again_after_a_restart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
