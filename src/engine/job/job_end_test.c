#include "engine/job/job_testing.h"

/* OnFailure: restarts of pods that are Pending or Running count against the limit. */
static void restarted(const char *spec, const char *phase, int first, int second, bool fails,
                      int64_t failed)
{
    auto_job_fixture w;

    fixture_init(&w, spec);
    if (first >= 0)
        add_restarts(&w, put_pod(&w, -1, phase), first);
    if (second >= 0)
        add_restarts(&w, put_pod(&w, -1, phase), second);
    reconcile(&w);
    assert_condition(&w, "FailureTarget", fails ? "BackoffLimitExceeded" : NULL,
                     "Job has reached the specified backoff limit");
    assert_int_equal(w.deleted, fails ? failed : 0);
    assert_int_equal(stat_int(&w, "failed"), failed);
}

#define ON_FAILURE "'template':{'spec':{'restartPolicy':'OnFailure'}}"
static void case_089_restarts_inside_pods(void **state)
{
    (void)state;
    restarted("{'backoffLimit':1," ON_FAILURE "}", "Running", 1, -1, true, 1);
    restarted("{'backoffLimit':1," ON_FAILURE "}", "Pending", 1, -1, true, 1);
    restarted("{'backoffLimit':0," ON_FAILURE "}", "Running", 0, -1, false, 0);
    restarted("{'backoffLimit':0," ON_FAILURE "}", "Running", 1, -1, true, 1);
    restarted("{'parallelism':2,'completions':2,'backoffLimit':3," ON_FAILURE "}", "Running", 1, 1,
              false, 0);
    restarted("{'parallelism':2,'completions':2,'backoffLimit':2," ON_FAILURE "}", "Running", 1, 1,
              true, 2);
    restarted("{'backoffLimit':1}", "Running", 1, -1, false, 0); /* Never: does not apply */
}

static void case_090_never_counts_failed_pods(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'backoffLimit':1}");
    reconcile(&w);
    finish_pod(&w, 0, 1);
    w.now += 10;
    reconcile(&w);
    assert_int_equal(w.created, 1);
    assert_counts(&w, 1, 0, 1);
    finish_pod(&w, 1, 1);
    reconcile(&w);
    assert_counts(&w, 0, 0, 2);
    assert_condition(&w, "FailureTarget", "BackoffLimitExceeded", NULL);
    assert_condition(&w, "Failed", "BackoffLimitExceeded",
                     "Job has reached the specified backoff limit");
    assert_int_equal(count_events(&w, "BackoffLimitExceeded", NULL), 1);
    assert_null(ty_json_at(w.job, "status.completionTime"));
}

static void failed_before(int failed, bool over)
{
    auto_job_fixture w;

    fixture_init(&w, "{}");
    for (int i = 0; i < failed; i++)
        finish_pod(&w, put_pod(&w, -1, "Running"), 1);
    w.now += 1000;
    reconcile(&w);
    assert_condition(&w, "Failed", over ? "BackoffLimitExceeded" : NULL, NULL);
    assert_int_equal(w.created, !over);
    assert_counts(&w, !over, 0, failed);
}

static void case_090_default_limit(void **state)
{
    (void)state;
    failed_before(6, false);
    failed_before(7, true);
}

static void case_091_deadline(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'activeDeadlineSeconds':10}");
    reconcile(&w);
    assert_int_equal(w.last.requeue_ms, 10000);
    w.now += 4;
    reconcile(&w);
    assert_int_equal(w.last.requeue_ms, 6000);
    w.now += 11;
    reconcile(&w);
    assert_condition(&w, "FailureTarget", "DeadlineExceeded",
                     "Job was active longer than specified deadline");
    assert_condition(&w, "Failed", NULL, NULL); /* a pod still terminates */
    assert_int_equal(w.deleted, 1);
    assert_counts(&w, 0, 0, 1);
    remove_deleted_pods(&w);
    reconcile(&w);
    assert_condition(&w, "Failed", "DeadlineExceeded",
                     "Job was active longer than specified deadline");
    assert_counts(&w, 0, 0, 1);
}

static void case_091_deadline_without_a_started_pod(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'activeDeadlineSeconds':10,'parallelism':0,'completions':1}");
    reconcile(&w);
    assert_int_equal(w.created, 0);
    w.now += 10;
    reconcile(&w);
    assert_condition(&w, "Failed", "DeadlineExceeded", NULL);
    assert_counts(&w, 0, 0, 0);
}

static void case_091_no_deadline_while_suspended(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'activeDeadlineSeconds':10,'suspend':true}");
    reconcile(&w);
    w.now += 100;
    reconcile(&w);
    assert_condition(&w, "Failed", NULL, NULL);
    assert_int_equal(w.last.requeue_ms, -1);
    ty_json_set(w.a, ty_json_get(w.job, "spec"), "suspend", ty_json_bool(w.a, false));
    reconcile(&w);
    assert_int_equal(w.created, 1);
    assert_int_equal(w.last.requeue_ms, 10000); /* counts from the resumption */
}

static void case_091_limit_beats_deadline(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'activeDeadlineSeconds':10,'backoffLimit':0}");
    reconcile(&w);
    finish_pod(&w, 0, 1);
    w.now += 15;
    reconcile(&w);
    assert_condition(&w, "Failed", "BackoffLimitExceeded", NULL);
    assert_counts(&w, 0, 0, 1);
}

static void case_097_the_first_reason_stays(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w,
                 "{'parallelism':2,'completions':2,'activeDeadlineSeconds':100,'podFailurePolicy':"
                 "{'rules':[{'action':'FailJob','onExitCodes':{'operator':'In','values':[5]}}]}}");
    reconcile(&w);
    set_running(&w, 1, true);
    finish_pod(&w, 0, 5);
    struct ty_str name = ty_json_str_at(w.pods[0], "metadata.name");
    const char *want = ty_arena_printf(w.a,
                                       "Container main-container for pod default/%.*s failed with "
                                       "exit code 5 matching FailJob rule at index 0",
                                       TY_ARG(name));
    reconcile(&w);
    assert_condition(&w, "FailureTarget", "PodFailurePolicy", want);
    assert_condition(&w, "Failed", NULL, NULL);
    w.pods[0] = w.pods[1]; /* the pod that failed is gone, the deadline passes, the other ends */
    w.n = 1;
    w.now += 200;
    remove_deleted_pods(&w);
    reconcile(&w);
    assert_condition(&w, "Failed", "PodFailurePolicy", want);
    assert_counts(&w, 0, 0, 2);
}

static void case_102_failure_beats_success(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'parallelism':2,'completions':2,'completionMode':'Indexed','backoffLimit':0,"
                     "'successPolicy':{'rules':[{'succeededIndexes':'0'}]}}");
    reconcile(&w);
    finish_pod(&w, 0, 0);
    finish_pod(&w, 1, 1);
    reconcile(&w);
    assert_condition(&w, "FailureTarget", "BackoffLimitExceeded", NULL);
    assert_condition(&w, "Failed", "BackoffLimitExceeded", NULL);
    assert_condition(&w, "SuccessCriteriaMet", NULL, NULL);
    assert_counts(&w, 0, 1, 1);
}

static void case_102_success_stays_success(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'parallelism':3,'completions':3,'completionMode':'Indexed','backoffLimit':0,"
                     "'successPolicy':{'rules':[{'succeededIndexes':'0'}]}}");
    reconcile(&w);
    finish_pod(&w, 0, 0);
    reconcile(&w);
    assert_condition(&w, "SuccessCriteriaMet", "SuccessPolicy", "Matched rules at index 0");
    assert_condition(&w, "Complete", NULL, NULL);
    assert_int_equal(w.deleted, 2);
    assert_counts(&w, 0, 1, 0);
    finish_pod(&w, 1, 1); /* on its way out a pod fails */
    reconcile(&w);
    assert_condition(&w, "FailureTarget", NULL, NULL);
    finish_pod(&w, 2, 1);
    remove_deleted_pods(&w);
    reconcile(&w);
    assert_condition(&w, "FailureTarget", NULL, NULL);
    assert_condition(&w, "Failed", NULL, NULL);
    assert_condition(&w, "Complete", "SuccessPolicy", "Matched rules at index 0");
    assert_counts(&w, 0, 1, 0); /* pods that we removed have not failed */
    is_text(stat_text(&w, "completionTime"), "2026-01-01T00:00:00Z");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_089_restarts_inside_pods),
        cmocka_unit_test(case_090_never_counts_failed_pods),
        cmocka_unit_test(case_090_default_limit),
        cmocka_unit_test(case_091_deadline),
        cmocka_unit_test(case_091_deadline_without_a_started_pod),
        cmocka_unit_test(case_091_no_deadline_while_suspended),
        cmocka_unit_test(case_091_limit_beats_deadline),
        cmocka_unit_test(case_097_the_first_reason_stays),
        cmocka_unit_test(case_102_failure_beats_success),
        cmocka_unit_test(case_102_success_stays_success),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
