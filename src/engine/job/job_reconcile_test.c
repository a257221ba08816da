#include "engine/job/job_status.h"
#include "engine/job/job_testing.h"

static void set_spec(struct job_fixture *w, const char *key, struct ty_json *v)
{
    ty_json_set(w->a, ty_json_get(w->job, "spec"), key, v);
}

static void test_a_job_from_start_to_end(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'parallelism':2,'completions':3,'completionMode':'Indexed'}");
    reconcile(&w);
    assert_counts(&w, 2, 0, 0);
    set_running(&w, 0, true);
    set_running(&w, 1, false);
    reconcile(&w);
    assert_int_equal(w.told, 1);
    assert_int_equal(stat_int(&w, "ready"), 1);
    w.now += 5;
    finish_pod(&w, 0, 0);
    reconcile(&w);
    assert_int_equal(w.created, 1);
    assert_counts(&w, 2, 1, 0);
    is_text(stat_text(&w, "completedIndexes"), "0");
    finish_pod(&w, 1, 0);
    finish_pod(&w, 2, 0);
    reconcile(&w);
    assert_counts(&w, 0, 3, 0);
    assert_condition(&w, "SuccessCriteriaMet", "CompletionsReached",
                     "Reached expected number of succeeded pods");
    assert_condition(&w, "Complete", "CompletionsReached",
                     "Reached expected number of succeeded pods");
    is_text(stat_text(&w, "completionTime"), "2026-01-01T00:00:05Z");
    assert_int_equal(count_events(&w, "Completed", "Job completed"), 1);
    reconcile(&w);
    assert_null(w.last.first);
    assert_null(w.last.events);
}

static void case_084_failing_takes_everything_down(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w,
                 "{'parallelism':3,'completions':3,'completionMode':'Indexed','backoffLimit':0}");
    reconcile(&w);
    finish_pod(&w, 0, 0);
    finish_pod(&w, 1, 1);
    set_running(&w, 2, true);
    reconcile(&w);
    assert_true(is_deleted(&w, 2));
    assert_int_equal(w.deleted, 1);
    assert_counts(&w, 0, 1, 2);
    assert_int_equal(stat_int(&w, "terminating"), 1);
    assert_int_equal(stat_int(&w, "ready"), 0);
    assert_condition(&w, "FailureTarget", "BackoffLimitExceeded",
                     "Job has reached the specified backoff limit");
    assert_condition(&w, "Failed", NULL, NULL);
    assert_int_equal(count_events(&w, "BackoffLimitExceeded", NULL), 0);
    reconcile(&w); /* still terminating: nothing new */
    assert_null(w.last.first);
    finish_pod(&w, 2, 143);
    reconcile(&w);
    assert_condition(&w, "Failed", "BackoffLimitExceeded",
                     "Job has reached the specified backoff limit");
    assert_counts(&w, 0, 1, 2);
    assert_int_equal(
        count_events(&w, "BackoffLimitExceeded", "Job has reached the specified backoff limit"), 1);
}

static void case_092_suspend_and_resume(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'parallelism':2,'completions':2}");
    reconcile(&w);
    set_running(&w, 0, true);
    set_spec(&w, "suspend", ty_json_bool(w.a, true));
    reconcile(&w);
    assert_int_equal(w.deleted, 2);
    assert_counts(&w, 0, 0, 0);
    assert_condition(&w, "Suspended", "JobSuspended", "Job suspended");
    assert_int_equal(count_events(&w, "Suspended", "Job suspended"), 1);
    assert_null(ty_json_at(w.job, "status.startTime"));
    remove_deleted_pods(&w);
    reconcile(&w);
    assert_counts(&w, 0, 0, 0); /* nothing has failed */
    assert_int_equal(count_events(&w, "Suspended", NULL), 0);
    w.now += 60;
    set_spec(&w, "suspend", ty_json_bool(w.a, false));
    reconcile(&w);
    assert_int_equal(w.created, 2);
    assert_counts(&w, 2, 0, 0);
    assert_condition(&w, "Suspended", NULL, NULL);
    is_text(ty_json_str_at(ty_condition_find(ty_json_get(w.job, "status"), "Suspended"), "reason"),
            "JobResumed");
    is_text(stat_text(&w, "startTime"), "2026-01-01T00:01:00Z");
    assert_int_equal(count_events(&w, "Resumed", "Job resumed"), 1);
}

static void case_092_created_suspended(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'suspend':true}");
    reconcile(&w);
    assert_int_equal(w.created, 0);
    assert_condition(&w, "Suspended", "JobSuspended", NULL);
    assert_null(ty_json_at(w.job, "status.startTime"));
}

/* Indexes that are done stay done over a suspension. */
static void test_suspension_keeps_what_is_done(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'parallelism':2,'completions':2,'completionMode':'Indexed'}");
    reconcile(&w);
    finish_pod(&w, 0, 0);
    set_spec(&w, "suspend", ty_json_bool(w.a, true));
    reconcile(&w);
    assert_counts(&w, 0, 1, 0);
    remove_deleted_pods(&w);
    set_spec(&w, "suspend", ty_json_bool(w.a, false));
    reconcile(&w);
    assert_int_equal(w.created, 1);
    assert_int_equal(index_of(&w, 1), 1);
    assert_counts(&w, 1, 1, 0);
}

static void test_ttl(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'ttlSecondsAfterFinished':5}");
    reconcile(&w);
    finish_pod(&w, 0, 0);
    reconcile(&w);
    assert_int_equal(w.last.requeue_ms, 5000);
    w.now += 2;
    reconcile(&w);
    assert_int_equal(w.last.requeue_ms, 3000);
    assert_false(w.job_gone);
    w.now += 3;
    reconcile(&w);
    assert_true(w.job_gone);
}

static void case_103_managed_by_another(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'managedBy':'example.com/other'}");
    reconcile(&w);
    assert_null(w.last.first);
    assert_null(w.last.events);
    fixture_done(&w);
    fixture_init(&w, "{'managedBy':'kubernetes.io/job-controller'}");
    reconcile(&w);
    assert_int_equal(w.created, 1);
}

static void test_a_job_on_its_way_out_is_left_alone(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{}");
    reconcile(&w);
    ty_json_set(w.a, ty_json_get(w.job, "metadata"), "deletionTimestamp", time_json(&w, w.now));
    finish_pod(&w, 0, 1);
    reconcile(&w);
    assert_null(w.last.first);
}

static void test_unknown_completion_mode(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{}");
    set_spec(&w, "completionMode", ty_json_cstr(w.a, "Sorted"));
    reconcile(&w);
    assert_null(w.last.first);
    assert_int_equal(count_events(&w, "UnknownCompletionMode", NULL), 1);
}

static void test_nothing_to_complete(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'parallelism':1,'completions':0}");
    reconcile(&w);
    assert_int_equal(w.created, 0);
    assert_condition(&w, "Complete", "CompletionsReached", NULL);
}

static void test_too_many_succeeded(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'parallelism':2,'completions':2}");
    for (int i = 0; i < 3; i++)
        finish_pod(&w, put_pod(&w, -1, "Running"), 0);
    reconcile(&w);
    assert_counts(&w, 0, 3, 0);
    assert_int_equal(count_events(&w, "TooManySucceededPods", NULL), 1);
    assert_int_equal(count_events(&w, "Completed", NULL), 1);
}

/* Pods that outlive the last completion are removed and do not fail. */
static void test_surplus_at_the_end(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'parallelism':2,'completions':1}");
    put_pod(&w, -1, "Running");
    finish_pod(&w, put_pod(&w, -1, "Running"), 0);
    reconcile(&w);
    assert_condition(&w, "SuccessCriteriaMet", "CompletionsReached", NULL);
    assert_condition(&w, "Complete", NULL, NULL);
    remove_deleted_pods(&w);
    reconcile(&w);
    assert_condition(&w, "Complete", "CompletionsReached", NULL);
    assert_counts(&w, 0, 1, 0);
}

/* Random lives of pods: every Job ends, and what it says adds up. */
static void test_random_lives(void **state)
{
    uint64_t seed = 11;

    (void)state;
    for (int round = 0; round < 60; round++) {
        auto_job_fixture w;
        fixture_init(&w, round % 2 ? "{'parallelism':4,'completions':9,'completionMode':'Indexed',"
                                     "'backoffLimit':8}"
                                   : "{'parallelism':4,'completions':9,'completionMode':'Indexed',"
                                     "'backoffLimitPerIndex':1}");
        for (int step = 0; step < 400 && !ty_job_condition_is(w.job, "Complete") &&
                           !ty_job_condition_is(w.job, "Failed");
             step++) {
            w.now += 7;
            for (size_t i = 0; i < w.n; i++) {
                struct ty_pod_summary seen;
                ty_pod_summary_read(w.a, w.pods[i], &seen);
                if (seen.phase < TY_SUCCEEDED && next_random(&seed) % 3 == 0)
                    finish_pod(&w, i, next_random(&seed) % 3 == 0);
            }
            reconcile(&w);
            assert_true(stat_int(&w, "active") <= 4);
        }
        size_t good = 0, bad = 0;
        for (size_t i = 0; i < w.n; i++) {
            struct ty_pod_summary seen;
            ty_pod_summary_read(w.a, w.pods[i], &seen);
            good += seen.phase == TY_SUCCEEDED && !seen.deleting;
            bad += seen.phase == TY_FAILED || seen.deleting; /* taken down with the Job */
            assert_true(seen.counted);
        }
        assert_true(ty_job_condition_is(w.job, "Complete") != ty_job_condition_is(w.job, "Failed"));
        assert_counts(&w, 0, (int64_t)good, (int64_t)bad);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_job_from_start_to_end),
        cmocka_unit_test(case_084_failing_takes_everything_down),
        cmocka_unit_test(case_092_suspend_and_resume),
        cmocka_unit_test(case_092_created_suspended),
        cmocka_unit_test(test_suspension_keeps_what_is_done),
        cmocka_unit_test(test_ttl),
        cmocka_unit_test(case_103_managed_by_another),
        cmocka_unit_test(test_a_job_on_its_way_out_is_left_alone),
        cmocka_unit_test(test_unknown_completion_mode),
        cmocka_unit_test(test_nothing_to_complete),
        cmocka_unit_test(test_too_many_succeeded),
        cmocka_unit_test(test_surplus_at_the_end),
        cmocka_unit_test(test_random_lives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
