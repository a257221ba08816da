#include "engine/job_testing.h"

static void case_083_a_retry_counts_once(void **state)
{
    auto_world w;

    (void)state;
    world_init(&w, "{'parallelism':3,'completions':3,'completionMode':'Indexed'}");
    pass(&w);
    ends(&w, 0, 0);
    w.now++;
    ends(&w, 1, 1);
    pass(&w);
    counts(&w, 1, 1, 1);
    w.now += 10;
    pass(&w);
    assert_int_equal(w.created, 1);
    assert_int_equal(index_of(&w, 3), 1);
    ends(&w, 3, 0);
    ends(&w, 2, 0);
    pass(&w);
    counts(&w, 0, 3, 1);
    is_text(stat_text(&w, "completedIndexes"), "0-2");
    says(&w, "Complete", "CompletionsReached", "Reached expected number of succeeded pods");
}

/* The same end is never counted twice, however often the pass runs. */
static void test_counted_once(void **state)
{
    auto_world w;

    (void)state;
    world_init(&w, "{'parallelism':4,'completions':9}");
    pass(&w);
    ends(&w, 0, 0);
    w.now++;
    ends(&w, 1, 1);
    delete_pod(&w, 2);
    for (int i = 0; i < 3; i++) {
        pass(&w);
        assert_int_equal(w.updated, i == 0 ? 3 : 0);
        counts(&w, 1, 1, 2);
    }
    ends(&w, 2, 1); /* counted when it was deleted */
    pass(&w);
    counts(&w, 1, 1, 2);
    is_text(
        ty_json_text_of(ty_json_get(ty_json_at(w.pods[0], "metadata.annotations"), TY_ANN_COUNTED)),
        "1");
}

static const char *note(struct world *w, size_t i, const char *key)
{
    struct ty_str s =
        ty_json_text_of(ty_json_get(ty_json_at(w->pods[i], "metadata.annotations"), key));
    return ty_arena_strndup(w->a, s.p, s.n);
}

static void case_098_index_is_retried_then_lost(void **state)
{
    auto_world w;

    (void)state;
    world_init(&w, "{'parallelism':2,'completions':2,'completionMode':'Indexed',"
                   "'backoffLimitPerIndex':1}");
    pass(&w);
    assert_string_equal(note(&w, 0, TY_ANN_FAILED), "0");
    is_text(stat_text(&w, "failedIndexes"), "");
    assert_non_null(ty_json_at(w.job, "status.failedIndexes"));
    ends(&w, 0, 1);
    pass(&w);
    assert_int_equal(w.created, 0);
    assert_int_equal(w.last.requeue_ms, 10000);
    counts(&w, 1, 0, 0); /* its replacement must learn the count from it first */
    w.now += 10;
    pass(&w);
    assert_int_equal(w.created, 1);
    assert_int_equal(index_of(&w, 2), 0);
    assert_string_equal(note(&w, 2, TY_ANN_FAILED), "1");
    counts(&w, 2, 0, 0);
    pass(&w);
    counts(&w, 2, 0, 1);
    ends(&w, 2, 1);
    pass(&w);
    assert_int_equal(w.created, 0);
    counts(&w, 1, 0, 2);
    is_text(stat_text(&w, "failedIndexes"), "0");
    says(&w, "FailureTarget", NULL, NULL); /* the others continue */
    ends(&w, 1, 0);
    pass(&w);
    says(&w, "Failed", "FailedIndexes", "Job has failed indexes");
    counts(&w, 0, 1, 2);
}

static void case_099_failed_indexes(void **state)
{
    auto_world w;

    (void)state;
    world_init(&w, "{'parallelism':3,'completions':3,'completionMode':'Indexed',"
                   "'backoffLimitPerIndex':0}");
    pass(&w);
    ends(&w, 0, 1);
    ends(&w, 1, 0);
    ends(&w, 2, 0);
    pass(&w);
    says(&w, "Failed", "FailedIndexes", "Job has failed indexes");
    is_text(stat_text(&w, "failedIndexes"), "0");
    is_text(stat_text(&w, "completedIndexes"), "1,2");
    counts(&w, 0, 2, 1);
}

static void case_099_too_many_failed_indexes(void **state)
{
    auto_world w;

    (void)state;
    world_init(&w, "{'parallelism':4,'completions':4,'completionMode':'Indexed',"
                   "'backoffLimitPerIndex':0,'maxFailedIndexes':1}");
    pass(&w);
    ends(&w, 0, 1);
    pass(&w);
    says(&w, "FailureTarget", NULL, NULL);
    ends(&w, 2, 1);
    pass(&w);
    says(&w, "FailureTarget", "MaxFailedIndexesExceeded",
         "Job has exceeded the specified maximal number of failed indexes");
    is_text(stat_text(&w, "failedIndexes"), "0,2");
    assert_int_equal(w.deleted, 2);
    counts(&w, 0, 0, 4);
    bury(&w);
    pass(&w);
    says(&w, "Failed", "MaxFailedIndexesExceeded", NULL);
    is_text(stat_text(&w, "failedIndexes"), "0,2");
}

#define ACTION(a)                                                                                  \
    "{'parallelism':2,'completions':2,'completionMode':'Indexed','backoffLimitPerIndex':1,"        \
    "'podFailurePolicy':{'rules':[{'action':'" a                                                   \
    "','onExitCodes':{'operator':'In','values':[3]}}]}}"

static void case_100_fail_index_and_ignore(void **state)
{
    auto_world w;

    (void)state;
    world_init(&w, ACTION("FailIndex"));
    pass(&w);
    ends(&w, 0, 3);
    pass(&w);
    is_text(stat_text(&w, "failedIndexes"), "0");
    counts(&w, 1, 0, 1);
    world_done(&w);

    world_init(&w, ACTION("Ignore"));
    pass(&w);
    ends(&w, 0, 3);
    w.now += 10;
    pass(&w);
    counts(&w, 2, 0, 0);
    assert_string_equal(note(&w, 2, TY_ANN_FAILED), "0");
    assert_string_equal(note(&w, 2, TY_ANN_IGNORED), "1");
    pass(&w);
    counts(&w, 2, 0, 0);
    is_text(stat_text(&w, "failedIndexes"), "");
    ends(&w, 2, 3); /* the delay grows with ignored failures too */
    pass(&w);
    assert_int_equal(w.last.requeue_ms, 20000);
}

static void case_100_the_whole_limit_applies_too(void **state)
{
    auto_world w;

    (void)state;
    world_init(&w, "{'parallelism':3,'completions':3,'completionMode':'Indexed','backoffLimit':1,"
                   "'backoffLimitPerIndex':1}");
    pass(&w);
    ends(&w, 0, 1);
    ends(&w, 1, 1);
    pass(&w);
    says(&w, "FailureTarget", "BackoffLimitExceeded", NULL);
    counts(&w, 0, 0, 3);
}

/* Of two failed pods of an index the replacement learns from the one that knows more. */
static void test_which_pod_is_held(void **state)
{
    auto_world w;
    struct ty_pod_seen seen[4];
    struct ty_job_spec s;
    struct ty_job_count c;

    (void)state;
    world_init(&w, "{'parallelism':5,'completions':5,'completionMode':'Indexed',"
                   "'backoffLimitPerIndex':5}");
    for (size_t i = 0; i < 4; i++) {
        ends(&w, put_pod(&w, i < 3 ? 3 : 1, "Running"), 1);
        annotate(&w, i, TY_ANN_FAILED, i == 1 ? "2" : "1");
        ty_pod_see(w.a, w.pods[i], &seen[i]);
    }
    struct ty_job_in in = { w.job, seen, 4, w.now, 1 };
    ty_job_spec_read(w.job, &s);
    ty_job_count(w.a, &s, &in, &c);
    assert_int_equal(c.n_held, 2);
    assert_ptr_equal(ty_job_held(&c, 3)->seen, &seen[1]);
    assert_ptr_equal(ty_job_held(&c, 1)->seen, &seen[3]);
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
