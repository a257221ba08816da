#include "engine/jobset/jobset_testing.h"

#define REACHED                                                                                    \
    "True ReachedMaxRestarts: jobset failed due to reaching max number of restarts (first failed " \
    "job: "

/* T with more in its spec, its Jobs made. */
static void begin(struct jobset_fixture *w, struct ty_arena *a, const char *spec)
{
    fixture_init(w, a, merged(a, set_t(a), ty_arena_printf(a, "{'spec':%s}", spec)));
    reconcile_until_stable(w);
    assert_int_equal(w->n_jobs, 4);
    (void)take_events(w);
}

static void policy(struct jobset_fixture *w, struct ty_arena *a, const char *failure_policy)
{
    begin(w, a, ty_arena_printf(a, "{'failurePolicy':%s}", failure_policy));
}

static void fails_with(struct jobset_fixture *w, const char *name, const char *reason,
                       const char *message)
{
    job_ends(w, name, "Failed", reason, message);
    reconcile(w);
}

static void case_041_all_jobs_complete(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct jobset_fixture w;

    begin(&w, a, "{}");
    job_completes(&w, A0);
    job_completes(&w, B0);
    job_completes(&w, B1);
    reconcile_until_stable(&w);
    assert_string_equal(condition_text(&w, "Completed"), "");
    job_completes(&w, B2);
    reconcile_until_stable(&w);
    assert_string_equal(condition_text(&w, "Completed"),
                        "True AllJobsCompleted: jobset completed successfully");
    assert_string_equal(rjob_counts(&w, A), "0 1 0 0 0");
    assert_string_equal(rjob_counts(&w, B), "0 3 0 0 0");
    assert_true(ty_str_is(ty_json_str_at(w.js, "status.terminalState"), "Completed"));
    assert_string_equal(take_events(&w),
                        "Normal AllJobsCompleted: jobset completed successfully\n");
    assert_int_equal(w.n_jobs, 4); /* what has finished stays */
    fixture_done(&w);
}

static void case_042_all_of_a_target(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct jobset_fixture w;

    begin(&w, a, "{'successPolicy':{'operator':'All','targetReplicatedJobs':['" B "']}}");
    job_completes(&w, A0);
    reconcile_until_stable(&w);
    assert_string_equal(condition_text(&w, "Completed"), "");
    fixture_done(&w);

    begin(&w, a, "{'successPolicy':{'operator':'All','targetReplicatedJobs':['" B "']}}");
    job_ready(&w, A0);
    job_completes(&w, B0);
    reconcile_until_stable(&w);
    assert_string_equal(condition_text(&w, "Completed"), "");
    job_completes(&w, B1);
    job_completes(&w, B2);
    reconcile_until_stable(&w);
    assert_has(condition_text(&w, "Completed"), "True");
    assert_null(find_job(&w, A0)); /* still ran: deleted */
    assert_int_equal(w.n_jobs, 3);
    fixture_done(&w);
}

static void case_043_any(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct jobset_fixture w;

    begin(&w, a, "{'successPolicy':{'operator':'Any','targetReplicatedJobs':['" B "']}}");
    job_completes(&w, A0);
    reconcile_until_stable(&w);
    assert_string_equal(condition_text(&w, "Completed"), "");
    job_completes(&w, B1);
    reconcile_until_stable(&w);
    assert_has(condition_text(&w, "Completed"), "True AllJobsCompleted");
    fixture_done(&w);

    begin(&w, a, "{'successPolicy':{'operator':'Any'}}");
    job_completes(&w, B2);
    reconcile_until_stable(&w);
    assert_has(condition_text(&w, "Completed"), "True AllJobsCompleted");
    assert_int_equal(w.n_jobs, 1);
    assert_non_null(find_job(&w, B2));
    fixture_done(&w);
}

static void case_044_no_failure_policy(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct jobset_fixture w;

    begin(&w, a, "{}");
    job_fails(&w, B1);
    reconcile_until_stable(&w);
    assert_string_equal(condition_text(&w, "Failed"),
                        "True FailedJobs: jobset failed due to one or more job failures (first "
                        "failed job: " B1 ")");
    assert_true(ty_str_is(ty_json_str_at(w.js, "status.terminalState"), "Failed"));
    assert_string_equal(take_events(&w), "Warning FailedJobs: jobset failed due to one or more job "
                                         "failures (first failed job: " B1 ")\n");
    assert_int_equal(w.n_jobs, 1);
    assert_non_null(find_job(&w, B1));
    fixture_done(&w);
}

static void case_045_max_restarts(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct jobset_fixture w;

    policy(&w, a, "{'maxRestarts':1}");
    job_fails(&w, A0);
    reconcile_until_stable(&w);
    assert_int_equal(status_int(&w, "restarts"), 1);
    assert_int_equal(status_int(&w, "restartsCountTowardsMax"), 1);
    assert_int_equal(jobs_of_attempt(&w, "1"), 4);
    assert_string_equal(condition_text(&w, "RestartingJobSet"),
                        "True DefaultFailurePolicy: applying RestartJobSet failure policy action "
                        "(first failed job: " A0 ")");
    assert_string_equal(
        take_events(&w),
        "Warning DefaultFailurePolicy: applying RestartJobSet failure policy action (first failed "
        "job: " A0 ")\n"
        "Warning RestartJobSetFailurePolicyAction: applying RestartJobSet failure policy action "
        "(first failed job: " A0 ")\n");
    job_fails(&w, B0);
    reconcile_until_stable(&w);
    assert_string_equal(condition_text(&w, "Failed"), REACHED B0 ")");
    assert_string_equal(condition_text(&w, "RestartingJobSet"),
                        "False JobSetFailed: jobset failed");
    assert_int_equal(status_int(&w, "restarts"), 1);
    fixture_done(&w);
}

static void an_empty_policy_allows_no_restart(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct jobset_fixture w;

    policy(&w, a, "{}");
    job_fails(&w, A0);
    reconcile_until_stable(&w);
    assert_string_equal(condition_text(&w, "Failed"), REACHED A0 ")");
    fixture_done(&w);
}

static void case_046_fail_on_any_reason(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct jobset_fixture w;

    policy(&w, a, "{'maxRestarts':3,'rules':[{'action':'FailJobSet'}]}");
    fails_with(&w, A0, "PodFailurePolicy", "m");
    assert_string_equal(condition_text(&w, "Failed"),
                        "True FailJobSetFailurePolicyAction: applying FailJobSet failure policy "
                        "action (first failed job: " A0 ")");
    assert_int_equal(status_int(&w, "restarts"), 0);
    fixture_done(&w);
}

static void case_047_fail_on_another_reason(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct jobset_fixture w;

    policy(&w, a,
           "{'maxRestarts':3,'rules':[{'action':'FailJobSet','onJobFailureReasons':["
           "'BackoffLimitExceeded']}]}");
    fails_with(&w, A0, "PodFailurePolicy", "m");
    assert_string_equal(condition_text(&w, "Failed"), "");
    assert_has(condition_text(&w, "RestartingJobSet"), "True DefaultFailurePolicy");
    assert_int_equal(status_int(&w, "restarts"), 1);
    fixture_done(&w);
}

/* What a rule that wants a message makes of this one. */
static const char *on_message(struct ty_arena *a, const char *reason, const char *message)
{
    struct jobset_fixture w;

    policy(&w, a,
           "{'maxRestarts':3,'rules':[{'action':'FailJobSet','onJobFailureReasons':["
           "'BackoffLimitExceeded'],'onJobFailureMessagePatterns':['zzz','some message']}]}");
    fails_with(&w, A0, reason, message);
    fixture_done(&w);
    return condition_text(&w, "Failed")[0] ? "failed" : "restarted";
}

static void case_048_message_patterns(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);

    assert_string_equal(on_message(a, "BackoffLimitExceeded", "some critical error with a message"),
                        "restarted");
    assert_string_equal(
        on_message(a, "BackoffLimitExceeded", "this is some message with critical error"),
        "failed");
    assert_string_equal(on_message(a, "BackoffLimitExceeded", "another"), "restarted");
    assert_string_equal(on_message(a, "DeadlineExceeded", "some message"), "restarted");
}

static void case_049_restart_by_rule(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct jobset_fixture w;

    policy(&w, a,
           "{'maxRestarts':3,'rules':[{'name':'again','action':'RestartJobSet',"
           "'onJobFailureReasons':['DeadlineExceeded']},{'action':'FailJobSet'}]}");
    fails_with(&w, B2, "DeadlineExceeded", "m");
    assert_has(condition_text(&w, "RestartingJobSet"), "True FailurePolicy_again: applying "
                                                       "RestartJobSet failure policy action");
    reconcile_until_stable(&w);
    assert_has(condition_text(&w, "RestartingJobSet"), "True");
    (void)take_events(&w);
    job_ready(&w, A0);
    job_ready(&w, B0);
    job_ready(&w, B1);
    reconcile_until_stable(&w);
    assert_has(condition_text(&w, "RestartingJobSet"), "True");
    job_ready(&w, B2);
    reconcile_until_stable(&w);
    assert_string_equal(condition_text(&w, "RestartingJobSet"),
                        "False JobsReady: all jobs are ready");
    assert_string_equal(take_events(&w), "Normal JobsReady: all jobs are ready\n");
    fixture_done(&w);
}

static void case_050_ignoring_max_restarts(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct jobset_fixture w;

    policy(&w, a,
           "{'maxRestarts':1,'rules':[{'action':'RestartJobSetAndIgnoreMaxRestarts',"
           "'onJobFailureReasons':['DeadlineExceeded']},{'action':'FailJobSet'}]}");
    for (int i = 1; i <= 3; i++) {
        fails_with(&w, A0, "DeadlineExceeded", "m");
        reconcile_until_stable(&w);
        assert_int_equal(status_int(&w, "restarts"), i);
        assert_int_equal(w.n_jobs, 4);
    }
    assert_int_equal(status_int(&w, "restartsCountTowardsMax"), -1); /* zero is not written */
    assert_has(take_events(&w),
               "Warning RestartJobSetAndIgnoreMaxRestartsFailurePolicyAction: applying "
               "RestartJobSetAndIgnoreMaxRestarts failure policy action (first failed "
               "job: " A0 ")\n");
    fails_with(&w, A0, "PodFailurePolicy", "m");
    assert_has(condition_text(&w, "Failed"), "True FailJobSetFailurePolicyAction");
    assert_int_equal(status_int(&w, "restarts"), 3);
    fixture_done(&w);
}

static void case_051_first_rule_wins(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct jobset_fixture w;

    policy(&w, a, "{'maxRestarts':1,'rules':[{'action':'FailJobSet'},{'action':'RestartJobSet'}]}");
    fails_with(&w, A0, "DeadlineExceeded", "m");
    assert_has(condition_text(&w, "Failed"), "True FailJobSetFailurePolicyAction");
    fixture_done(&w);
    policy(&w, a, "{'maxRestarts':1,'rules':[{'action':'RestartJobSet'},{'action':'FailJobSet'}]}");
    fails_with(&w, A0, "DeadlineExceeded", "m");
    assert_string_equal(condition_text(&w, "Failed"), "");
    assert_int_equal(status_int(&w, "restarts"), 1);
    fixture_done(&w);
}

static void case_052_rule_for_another_job(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct jobset_fixture w;

    policy(&w, a,
           "{'maxRestarts':1,'rules':[{'action':'FailJobSet','targetReplicatedJobs':['" A "']}]}");
    fails_with(&w, B0, "DeadlineExceeded", "m");
    assert_has(condition_text(&w, "RestartingJobSet"), "True DefaultFailurePolicy");
    reconcile_until_stable(&w);
    fails_with(&w, A0, "DeadlineExceeded", "m");
    assert_has(condition_text(&w, "Failed"), "True FailJobSetFailurePolicyAction");
    fixture_done(&w);
}

static void case_053_the_oldest_failure(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct jobset_fixture w;

    policy(&w, a, "{'maxRestarts':1}");
    job_fails(&w, B2);
    w.now_s += 5;
    job_fails(&w, A0);
    job_fails(&w, B0);
    reconcile(&w);
    assert_has(condition_text(&w, "RestartingJobSet"), "(first failed job: " B2 ")");
    fixture_done(&w);

    policy(&w, a,
           "{'maxRestarts':1,'rules':[{'action':'FailJobSet','targetReplicatedJobs':['" A
           "']},{'action':'RestartJobSet'}]}");
    job_fails(&w, B2);
    w.now_s += 5;
    job_fails(&w, A0);
    reconcile(&w);
    assert_has(condition_text(&w, "Failed"), "(first failed job: " A0 ")");
    fixture_done(&w);

    policy(&w, a, "{'maxRestarts':1}");
    job_fails(&w, B0);
    job_fails(&w, A0); /* in the same second: the order of the list */
    reconcile(&w);
    assert_has(condition_text(&w, "RestartingJobSet"), "(first failed job: " A0 ")");
    fixture_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_041_all_jobs_complete),
        cmocka_unit_test(case_042_all_of_a_target),
        cmocka_unit_test(case_043_any),
        cmocka_unit_test(case_044_no_failure_policy),
        cmocka_unit_test(case_045_max_restarts),
        cmocka_unit_test(an_empty_policy_allows_no_restart),
        cmocka_unit_test(case_046_fail_on_any_reason),
        cmocka_unit_test(case_047_fail_on_another_reason),
        cmocka_unit_test(case_048_message_patterns),
        cmocka_unit_test(case_049_restart_by_rule),
        cmocka_unit_test(case_050_ignoring_max_restarts),
        cmocka_unit_test(case_051_first_rule_wins),
        cmocka_unit_test(case_052_rule_for_another_job),
        cmocka_unit_test(case_053_the_oldest_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
