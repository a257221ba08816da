#include "engine/job/job_count.h"
#include "engine/job/job_spec.h"
#include "engine/job/job_testing.h"

static void case_083_a_retry_counts_once(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'parallelism':3,'completions':3,'completionMode':'Indexed'}");
    reconcile(&w);
    finish_pod(&w, 0, 0);
    w.now++;
    finish_pod(&w, 1, 1);
    reconcile(&w);
    assert_counts(&w, 1, 1, 1);
    w.now += 10;
    reconcile(&w);
    assert_int_equal(w.created, 1);
    assert_int_equal(index_of(&w, 3), 1);
    finish_pod(&w, 3, 0);
    finish_pod(&w, 2, 0);
    reconcile(&w);
    assert_counts(&w, 0, 3, 1);
    is_text(stat_text(&w, "completedIndexes"), "0-2");
    assert_condition(&w, "Complete", "CompletionsReached",
                     "Reached expected number of succeeded pods");
}

/* The same end is never counted twice, however often the pass runs. */
static void test_counted_once(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'parallelism':4,'completions':9}");
    reconcile(&w);
    finish_pod(&w, 0, 0);
    w.now++;
    finish_pod(&w, 1, 1);
    delete_pod(&w, 2);
    for (int i = 0; i < 3; i++) {
        reconcile(&w);
        assert_int_equal(w.updated, i == 0 ? 3 : 0);
        assert_counts(&w, 1, 1, 2);
    }
    finish_pod(&w, 2, 1); /* counted when it was deleted */
    reconcile(&w);
    assert_counts(&w, 1, 1, 2);
    is_text(
        ty_json_as_str(ty_json_get(ty_json_at(w.pods[0], "metadata.annotations"), TY_ANN_COUNTED)),
        "1");
}

static const char *note(struct job_fixture *w, size_t i, const char *key)
{
    struct ty_str s =
        ty_json_as_str(ty_json_get(ty_json_at(w->pods[i], "metadata.annotations"), key));
    return ty_arena_cstr(w->a, s);
}

static void case_098_index_is_retried_then_lost(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'parallelism':2,'completions':2,'completionMode':'Indexed',"
                     "'backoffLimitPerIndex':1}");
    reconcile(&w);
    assert_string_equal(note(&w, 0, TY_ANN_FAILED), "0");
    is_text(stat_text(&w, "failedIndexes"), "");
    assert_non_null(ty_json_at(w.job, "status.failedIndexes"));
    finish_pod(&w, 0, 1);
    reconcile(&w);
    assert_int_equal(w.created, 0);
    assert_int_equal(w.last.requeue_ms, 10000);
    assert_counts(&w, 1, 0, 0); /* its replacement must learn the count from it first */
    w.now += 10;
    reconcile(&w);
    assert_int_equal(w.created, 1);
    assert_int_equal(index_of(&w, 2), 0);
    assert_string_equal(note(&w, 2, TY_ANN_FAILED), "1");
    assert_counts(&w, 2, 0, 0);
    reconcile(&w);
    assert_counts(&w, 2, 0, 1);
    finish_pod(&w, 2, 1);
    reconcile(&w);
    assert_int_equal(w.created, 0);
    assert_counts(&w, 1, 0, 2);
    is_text(stat_text(&w, "failedIndexes"), "0");
    assert_condition(&w, "FailureTarget", NULL, NULL); /* the others continue */
    finish_pod(&w, 1, 0);
    reconcile(&w);
    assert_condition(&w, "Failed", "FailedIndexes", "Job has failed indexes");
    assert_counts(&w, 0, 1, 2);
}

static void case_099_failed_indexes(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'parallelism':3,'completions':3,'completionMode':'Indexed',"
                     "'backoffLimitPerIndex':0}");
    reconcile(&w);
    finish_pod(&w, 0, 1);
    finish_pod(&w, 1, 0);
    finish_pod(&w, 2, 0);
    reconcile(&w);
    assert_condition(&w, "Failed", "FailedIndexes", "Job has failed indexes");
    is_text(stat_text(&w, "failedIndexes"), "0");
    is_text(stat_text(&w, "completedIndexes"), "1,2");
    assert_counts(&w, 0, 2, 1);
}

static void case_099_too_many_failed_indexes(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'parallelism':4,'completions':4,'completionMode':'Indexed',"
                     "'backoffLimitPerIndex':0,'maxFailedIndexes':1}");
    reconcile(&w);
    finish_pod(&w, 0, 1);
    reconcile(&w);
    assert_condition(&w, "FailureTarget", NULL, NULL);
    finish_pod(&w, 2, 1);
    reconcile(&w);
    assert_condition(&w, "FailureTarget", "MaxFailedIndexesExceeded",
                     "Job has exceeded the specified maximal number of failed indexes");
    is_text(stat_text(&w, "failedIndexes"), "0,2");
    assert_int_equal(w.deleted, 2);
    assert_counts(&w, 0, 0, 4);
    remove_deleted_pods(&w);
    reconcile(&w);
    assert_condition(&w, "Failed", "MaxFailedIndexesExceeded", NULL);
    is_text(stat_text(&w, "failedIndexes"), "0,2");
}

#define ACTION(a)                                                                                  \
    "{'parallelism':2,'completions':2,'completionMode':'Indexed','backoffLimitPerIndex':1,"        \
    "'podFailurePolicy':{'rules':[{'action':'" a                                                   \
    "','onExitCodes':{'operator':'In','values':[3]}}]}}"

static void case_100_fail_index_and_ignore(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, ACTION("FailIndex"));
    reconcile(&w);
    finish_pod(&w, 0, 3);
    reconcile(&w);
    is_text(stat_text(&w, "failedIndexes"), "0");
    assert_counts(&w, 1, 0, 1);
    fixture_done(&w);

    fixture_init(&w, ACTION("Ignore"));
    reconcile(&w);
    finish_pod(&w, 0, 3);
    w.now += 10;
    reconcile(&w);
    assert_counts(&w, 2, 0, 0);
    assert_string_equal(note(&w, 2, TY_ANN_FAILED), "0");
    assert_string_equal(note(&w, 2, TY_ANN_IGNORED), "1");
    reconcile(&w);
    assert_counts(&w, 2, 0, 0);
    is_text(stat_text(&w, "failedIndexes"), "");
    finish_pod(&w, 2, 3); /* the delay grows with ignored failures too */
    reconcile(&w);
    assert_int_equal(w.last.requeue_ms, 20000);
}

static void case_100_the_whole_limit_applies_too(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'parallelism':3,'completions':3,'completionMode':'Indexed','backoffLimit':1,"
                     "'backoffLimitPerIndex':1}");
    reconcile(&w);
    finish_pod(&w, 0, 1);
    finish_pod(&w, 1, 1);
    reconcile(&w);
    assert_condition(&w, "FailureTarget", "BackoffLimitExceeded", NULL);
    assert_counts(&w, 0, 0, 3);
}

/* Of two failed pods of an index the replacement learns from the one that knows more. */
static void test_which_pod_is_held(void **state)
{
    auto_job_fixture w;
    struct ty_pod_summary seen[4];
    struct ty_job_spec s;
    struct ty_job_count c;

    (void)state;
    fixture_init(&w, "{'parallelism':5,'completions':5,'completionMode':'Indexed',"
                     "'backoffLimitPerIndex':5}");
    for (size_t i = 0; i < 4; i++) {
        finish_pod(&w, put_pod(&w, i < 3 ? 3 : 1, "Running"), 1);
        set_annotation(&w, i, TY_ANN_FAILED, i == 1 ? "2" : "1");
        ty_pod_summary_read(w.a, w.pods[i], &seen[i]);
    }
    struct ty_job_observed in = { w.job, seen, 4, w.now, 1 };
    ty_job_spec_read(w.job, &s);
    ty_job_count(w.a, &s, &in, &c);
    assert_int_equal(c.n_held, 2);
    assert_ptr_equal(ty_job_held(&c, 3)->summary, &seen[1]);
    assert_ptr_equal(ty_job_held(&c, 1)->summary, &seen[3]);
    assert_null(ty_job_held(&c, 2));
    assert_false(c.pods[0].held || c.pods[2].held);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_083_a_retry_counts_once),
        cmocka_unit_test(test_counted_once),
        cmocka_unit_test(case_098_index_is_retried_then_lost),
        cmocka_unit_test(case_099_failed_indexes),
        cmocka_unit_test(case_099_too_many_failed_indexes),
        cmocka_unit_test(case_100_fail_index_and_ignore),
        cmocka_unit_test(case_100_the_whole_limit_applies_too),
        cmocka_unit_test(test_which_pod_is_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
