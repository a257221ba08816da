#include "engine/jobset/jobset_testing.h"

static void begin(struct jobset_fixture *w, struct ty_arena *a, const char *patch)
{
    fixture_init(w, a, merged(a, set_t(a), patch));
    reconcile_until_stable(w);
    (void)take_events(w);
}

static void all_complete(struct jobset_fixture *w)
{
    job_completes(w, A0);
    job_completes(w, B0);
    job_completes(w, B1);
    job_completes(w, B2);
}

static void case_037_service_is_made_again(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct ty_json *js =
        merged(a, set_t(a), "{'metadata':{'name':'made-abcde','generateName':'made-'}}");
    struct jobset_fixture w;

    fixture_init(&w, a, js);
    reconcile_until_stable(&w);
    assert_true(ty_str_is(ty_json_str_at(w.service, "metadata.name"), "made-abcde"));
    w.service = NULL;
    reconcile_until_stable(&w);
    assert_non_null(w.service);
    fixture_done(&w);
}

static void a_job_deleted_by_hand_comes_back(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct jobset_fixture w;

    begin(&w, a, "{}");
    remove_job(&w, job_place(&w, TY_LIT(B1)));
    reconcile_until_stable(&w);
    assert_non_null(find_job(&w, B1));
    assert_int_equal(status_int(&w, "restarts"), 0);
    fixture_done(&w);
}

static void case_056_recreate_and_blocking_recreate(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct jobset_fixture w;

    begin(&w, a, "{'spec':{'failurePolicy':{'maxRestarts':1}}}");
    w.linger = true;
    job_fails(&w, B0);
    reconcile_until_stable(&w);
    assert_int_equal(jobs_of_attempt(&w, "0"), 4);
    finish_deletion(&w, A0);
    finish_deletion(&w, B0);
    finish_deletion(&w, B1);
    reconcile_until_stable(&w);
    assert_int_equal(jobs_of_attempt(&w, "1"), 3);
    assert_int_equal(jobs_of_attempt(&w, "0"), 1);
    assert_string_equal(rjob_counts(&w, B), "0 0 0 0 0");
    fixture_done(&w);

    begin(&w, a,
          "{'spec':{'failurePolicy':{'maxRestarts':1,'restartStrategy':'BlockingRecreate'}}}");
    w.linger = true;
    job_fails(&w, B0);
    reconcile_until_stable(&w);
    finish_deletion(&w, A0);
    finish_deletion(&w, B0);
    finish_deletion(&w, B1);
    reconcile_until_stable(&w);
    assert_int_equal(jobs_of_attempt(&w, "1"), 0);
    assert_int_equal(jobs_of_attempt(&w, "0"), 1);
    finish_deletion(&w, B2);
    reconcile_until_stable(&w);
    assert_int_equal(jobs_of_attempt(&w, "1"), 4);
    fixture_done(&w);
}

static void case_057_completed_jobs_run_again(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct jobset_fixture w;

    begin(&w, a, "{'spec':{'failurePolicy':{'maxRestarts':1}}}");
    job_completes(&w, A0);
    job_fails(&w, B0);
    reconcile_until_stable(&w);
    assert_int_equal(jobs_of_attempt(&w, "1"), 4);
    job_completes(&w, B0);
    job_completes(&w, B1);
    job_completes(&w, B2);
    reconcile_until_stable(&w);
    assert_string_equal(condition_text(&w, "Completed"), "");
    job_completes(&w, A0);
    reconcile_until_stable(&w);
    assert_has(condition_text(&w, "Completed"), "True");
    fixture_done(&w);
}

static void failure_is_looked_at_before_success(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct jobset_fixture w;

    begin(&w, a, "{'spec':{'successPolicy':{'operator':'Any'}}}");
    job_completes(&w, A0);
    job_fails(&w, B0);
    reconcile_until_stable(&w);
    assert_string_equal(condition_text(&w, "Completed"), "");
    assert_has(condition_text(&w, "Failed"), "True FailedJobs");
    fixture_done(&w);
}

/* T, finished `ago` seconds before now. */
static void finished(struct jobset_fixture *w, struct ty_arena *a, const char *patch, int64_t ago)
{
    begin(w, a, patch);
    all_complete(w);
    reconcile(w);
    assert_has(condition_text(w, "Completed"), "True");
    w->now_s += ago;
    reconcile(w);
}

static void case_068_time_to_live(void **state TY_UNUSED)
{
    static const char five[] = "{'spec':{'ttlSecondsAfterFinished':5}}";
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct jobset_fixture w;

    finished(&w, a, five, 2);
    assert_false(w.deleted);
    assert_int_equal(w.requeue_ms, 3000);
    fixture_done(&w);
    finished(&w, a, five, 10);
    assert_true(w.deleted);
    fixture_done(&w);
    finished(&w, a, "{}", 1000);
    assert_false(w.deleted);
    assert_int_equal(w.requeue_ms, -1);
    fixture_done(&w);
    finished(&w, a, "{'spec':{'ttlSecondsAfterFinished':0}}", 0);
    assert_true(w.deleted);
    fixture_done(&w);
    begin(&w, a, "{'spec':{'ttlSecondsAfterFinished':0}}");
    w.now_s += 100;
    reconcile_until_stable(&w);
    assert_false(w.deleted); /* not finished */
    fixture_done(&w);
}

static void case_069_time_to_live_after_failure(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct jobset_fixture w;

    begin(&w, a, "{'spec':{'ttlSecondsAfterFinished':2}}");
    job_fails(&w, B0);
    reconcile_until_stable(&w);
    assert_int_equal(w.n_jobs, 1); /* at once */
    assert_false(w.deleted);
    assert_int_equal(w.requeue_ms, 2000);
    w.now_s += 2;
    reconcile(&w);
    assert_true(w.deleted);
    fixture_done(&w);
    begin(&w, a, "{}");
    job_fails(&w, B0);
    w.now_s += 100000;
    reconcile_until_stable(&w);
    assert_int_equal(w.n_jobs, 1);
    assert_false(w.deleted);
    fixture_done(&w);
}

static void an_end_without_a_time_is_an_error(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct jobset_fixture w;

    begin(&w, a, "{'spec':{'ttlSecondsAfterFinished':2}}");
    w.js = merged(a, w.js, "{'status':{'conditions':[{'type':'Failed','status':'True'}]}}");
    reconcile(&w);
    assert_false(w.deleted);
    assert_string_equal(take_events(&w),
                        "Warning TTLAfterFinishedFailed: unable to find the time when "
                        "the JobSet default/test-js finished\n");
    fixture_done(&w);
}

static void case_070_managed_by_others(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct ty_json *js = merged(a, set_t(a), "{'spec':{'managedBy':'kueue.x-k8s.io/multikueue'}}");
    struct jobset_fixture w;

    js = merged(a, js, "{'status':{'restarts':7}}");
    fixture_init(&w, a, js);
    reconcile(&w);
    assert_int_equal(w.changes, 0);
    w.js = merged(a, w.js, "{'spec':{'suspend':true}}");
    reconcile(&w);
    assert_int_equal(w.changes, 0);
    assert_string_equal(json_show(a, ty_json_get(w.js, "status")), "{'restarts':7}");
    fixture_done(&w);
    begin(&w, a, "{'spec':{'managedBy':'" TY_JOBSET_CONTROLLER "'}}");
    assert_int_equal(w.n_jobs, 4);
    fixture_done(&w);
}

static void a_jobset_on_its_way_out_is_left_alone(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct jobset_fixture w;

    begin(&w, a, "{}");
    w.js = merged(a, w.js, "{'metadata':{'deletionTimestamp':'2023-11-14T22:13:20Z'}}");
    job_fails(&w, A0);
    reconcile(&w);
    assert_int_equal(w.changes, 0);
    fixture_done(&w);
}

static void case_071_job_creation_fails(void **state TY_UNUSED)
{
    static const char said[] =
        "Warning JobCreationFailed: job \"" B0 "\" creation failed with error: Job.batch \"" B0
        "\" is invalid: spec.completions: Required value: when completion mode is Indexed\n";
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct jobset_fixture w;

    fixture_init(&w, a, set_t(a));
    patch_rj(a, w.js, 1, "{'template':{'spec':{'parallelism':2}}}"); /* past admission */
    reconcile(&w);
    assert_string_equal(take_events(&w), said);
    assert_int_equal(w.n_jobs, 1); /* what could be made is made */
    assert_null(ty_json_get(w.js, "status"));
    assert_int_equal(w.requeue_ms, 1000);
    reconcile(&w); /* the same words: whoever keeps events counts them */
    assert_string_equal(take_events(&w), said);
    fixture_done(&w);
}

/* The worked example of the specification: initializers, a node that fails once. */
static void initializers_run_again_after_a_restart(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct ty_json *js = merged(a, empty_set(a), "{'spec':{'failurePolicy':{'maxRestarts':1}}}");
    struct jobset_fixture w;

    add_rjob(a, js, "dataset-initializer", 1);
    add_rjob(a, js, "model-initializer", 1);
    add_rjob(a, js, "node", 1);
    patch_rj(a, js, 2,
             "{'dependsOn':[{'name':'dataset-initializer','status':'Complete'},"
             "{'name':'model-initializer','status':'Complete'}]}");
    fixture_init(&w, a, js);
    reconcile_until_stable(&w);
    assert_int_equal(w.n_jobs, 2);
    assert_string_equal(rjob_counts(&w, "node"), "0 0 0 0 0");
    for (int attempt = 0; attempt < 2; attempt++) {
        job_completes(&w, "test-js-dataset-initializer-0");
        job_completes(&w, "test-js-model-initializer-0");
        reconcile_until_stable(&w);
        job_ready(&w, "test-js-node-0");
        reconcile_until_stable(&w);
        assert_string_equal(rjob_counts(&w, "node"), "1 0 0 1 0");
        if (attempt == 1)
            break;
        job_fails(&w, "test-js-node-0");
        reconcile(&w);
        assert_has(condition_text(&w, "RestartingJobSet"), "True DefaultFailurePolicy");
        reconcile(&w);
        assert_int_equal(w.n_jobs, 0); /* all three are deleted, then made anew */
        reconcile_until_stable(&w);
        assert_string_equal(rjob_counts(&w, "dataset-initializer"), "0 0 0 0 0");
        assert_int_equal(jobs_of_attempt(&w, "1"), 2);
    }
    assert_string_equal(condition_text(&w, "RestartingJobSet"),
                        "False JobsReady: all jobs are ready");
    job_completes(&w, "test-js-node-0");
    reconcile_until_stable(&w);
    assert_has(condition_text(&w, "Completed"), "True");
    fixture_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
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
