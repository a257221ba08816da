#include "engine/job/job_testing.h"

static void case_079_starts_parallelism(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'parallelism':2,'completions':5}");
    reconcile(&w);
    assert_int_equal(w.created, 2);
    assert_counts(&w, 2, 0, 0);
    assert_int_equal(index_of(&w, 0), -1);
    assert_int_equal(count_events(&w, "SuccessfulCreate", NULL), 2);
    is_text(stat_text(&w, "startTime"), "2026-01-01T00:00:00Z");
    reconcile(&w);
    assert_int_equal(w.created + w.deleted + w.updated + w.told, 0);
    assert_int_equal(w.last.requeue_ms, -1);
}

static void case_079_starts_lowest_indexes(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'parallelism':2,'completions':5,'completionMode':'Indexed'}");
    reconcile(&w);
    assert_int_equal(w.created, 2);
    assert_int_equal(index_of(&w, 0), 0);
    assert_int_equal(index_of(&w, 1), 1);
}

static void case_080_too_many_are_removed(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'parallelism':2,'completions':20}");
    for (int i = 0; i < 10; i++)
        put_pod(&w, -1, i < 5 ? "Pending" : "Running");
    set_running(&w, 7, true);
    reconcile(&w);
    assert_int_equal(w.deleted, 8);
    assert_int_equal(count_events(&w, "SuccessfulDelete", NULL), 8);
    assert_false(is_deleted(&w, 7)); /* ready ones go last */
    assert_counts(&w, 2, 0, 0);
    assert_int_equal(stat_int(&w, "terminating"), 8);
    remove_deleted_pods(&w);
    reconcile(&w);
    assert_counts(&w, 2, 0, 0); /* what we removed ourselves has not failed */
}

static void case_080_no_more_than_remaining_completions(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'parallelism':3,'completions':4}");
    for (int i = 0; i < 3; i++)
        put_pod(&w, -1, "Running");
    finish_pod(&w, put_pod(&w, -1, "Running"), 0);
    finish_pod(&w, put_pod(&w, -1, "Running"), 0);
    reconcile(&w);
    assert_int_equal(w.deleted, 1);
    assert_counts(&w, 2, 2, 0);
}

static void test_the_longest_ready_goes_last(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'parallelism':1,'completions':20}");
    for (int i = 0; i < 3; i++, w.now++)
        set_running(&w, put_pod(&w, -1, "Running"), true);
    add_restarts(&w, 0, 3);
    reconcile(&w);
    assert_int_equal(w.deleted, 2);
    assert_false(is_deleted(&w, 0)); /* ready for longest, whatever its restarts */
}

static void case_081_work_queue(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'parallelism':3}");
    reconcile(&w);
    assert_int_equal(w.created, 3);
    finish_pod(&w, 0, 1);
    reconcile(&w);
    assert_int_equal(w.created, 0); /* waits */
    w.now += 10;
    reconcile(&w);
    assert_int_equal(w.created, 1);
    assert_counts(&w, 3, 0, 1);
    finish_pod(&w, 1, 0);
    finish_pod(&w, 2, 0);
    reconcile(&w);
    assert_int_equal(w.created, 0);
    assert_counts(&w, 1, 2, 1);
    assert_condition(&w, "Complete", NULL, NULL);
    finish_pod(&w, 3, 0);
    reconcile(&w);
    assert_counts(&w, 0, 3, 1);
    assert_condition(&w, "Complete", "CompletionsReached",
                     "Reached expected number of succeeded pods");
}

static void case_082_lowest_free_indexes(void **state)
{
    static const int done[] = { 2, 4, 5, 7, 8, 9 }, want[] = { 1, 6, 10, 11, 12, 13 };
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'parallelism':8,'completions':20,'completionMode':'Indexed'}");
    for (size_t i = 0; i < 6; i++)
        finish_pod(&w, put_pod(&w, done[i], "Running"), 0);
    put_pod(&w, 0, "Running");
    put_pod(&w, 3, "Pending");
    reconcile(&w);
    assert_int_equal(w.created, 6);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(index_of(&w, 8 + i), want[i]);
    is_text(stat_text(&w, "completedIndexes"), "2,4,5,7-9");
    assert_counts(&w, 8, 6, 0);
}

static void case_085_doubles_and_strangers_go(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'parallelism':6,'completions':6,'completionMode':'Indexed'}");
    put_pod(&w, 0, "Pending");
    put_pod(&w, 0, "Running");
    put_pod(&w, -1, "Running");
    put_pod(&w, 6, "Running");
    put_pod(&w, 1, "Running");
    reconcile(&w);
    assert_int_equal(w.deleted, 3);
    assert_int_equal(w.created, 0); /* never both */
    assert_true(is_deleted(&w, 0) && is_deleted(&w, 2) && is_deleted(&w, 3));
    assert_counts(&w, 2, 0, 0);
    remove_deleted_pods(&w);
    reconcile(&w);
    assert_int_equal(w.created, 4);
    assert_counts(&w, 6, 0, 0);
}

static void case_085_ends_out_of_range_do_not_count(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'parallelism':2,'completions':2,'completionMode':'Indexed'}");
    finish_pod(&w, put_pod(&w, 2, "Running"), 0);
    finish_pod(&w, put_pod(&w, 5, "Running"), 1);
    finish_pod(&w, put_pod(&w, -1, "Running"), 1);
    reconcile(&w);
    assert_int_equal(w.created, 2); /* nor do they delay anything */
    assert_counts(&w, 2, 0, 0);
    assert_int_equal(w.updated, 3);
    reconcile(&w);
    assert_int_equal(w.updated, 0);
}

static void replacement(const char *spec, size_t created, int64_t active, int64_t failed)
{
    auto_job_fixture w;

    fixture_init(&w, spec);
    delete_pod(&w, put_pod(&w, 0, "Running"));
    w.now += 10; /* past the delay after a failure */
    reconcile(&w);
    assert_int_equal(w.created, created);
    assert_counts(&w, active, 0, failed);
    assert_int_equal(stat_int(&w, "terminating"), 1);
    remove_deleted_pods(&w);
    reconcile(&w);
    assert_counts(&w, 2, 0, failed);
}

static void case_086_replacement_policy(void **state)
{
    (void)state;
    replacement("{'parallelism':2,'completions':2,'podReplacementPolicy':'Failed'}", 1, 1, 0);
    replacement("{'parallelism':2,'completions':2}", 2, 2, 1);
    replacement("{'parallelism':2,'completions':2,'podReplacementPolicy':'Failed',"
                "'completionMode':'Indexed'}",
                1, 1, 0);
    replacement("{'parallelism':2,'completions':2,'completionMode':'Indexed'}", 2, 2, 1);
}

static void case_086_a_terminating_index_keeps_its_place(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'parallelism':2,'completions':3,'podReplacementPolicy':'Failed',"
                     "'completionMode':'Indexed'}");
    delete_pod(&w, put_pod(&w, 0, "Running"));
    reconcile(&w);
    assert_int_equal(w.created, 1);
    assert_int_equal(index_of(&w, 1), 1);
}

static void test_at_most_500_a_pass(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'parallelism':1100,'completions':1100,'completionMode':'Indexed'}");
    reconcile(&w);
    assert_int_equal(w.created, 500);
    assert_int_equal(w.last.requeue_ms, 0);
    reconcile(&w);
    assert_int_equal(w.created, 500);
    reconcile(&w);
    assert_int_equal(w.created, 100);
    assert_int_equal(w.last.requeue_ms, -1);
    assert_int_equal(index_of(&w, 1099), 1099);
    assert_counts(&w, 1100, 0, 0);
}

static void test_scaled_down(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'parallelism':4,'completions':4,'completionMode':'Indexed'}");
    reconcile(&w);
    finish_pod(&w, 3, 0);
    finish_pod(&w, 0, 0);
    reconcile(&w);
    is_text(stat_text(&w, "completedIndexes"), "0,3");
    ty_json_set(w.a, ty_json_get(w.job, "spec"), "parallelism", ty_json_int(w.a, 2));
    ty_json_set(w.a, ty_json_get(w.job, "spec"), "completions", ty_json_int(w.a, 2));
    reconcile(&w);
    assert_int_equal(w.deleted, 1);
    is_text(stat_text(&w, "completedIndexes"), "0");
    assert_counts(&w, 1, 1, 0);
    finish_pod(&w, 1, 0);
    remove_deleted_pods(&w);
    reconcile(&w);
    assert_condition(&w, "Complete", "CompletionsReached", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_079_starts_parallelism),
        cmocka_unit_test(case_079_starts_lowest_indexes),
        cmocka_unit_test(case_080_too_many_are_removed),
        cmocka_unit_test(case_080_no_more_than_remaining_completions),
        cmocka_unit_test(test_the_longest_ready_goes_last),
        cmocka_unit_test(case_081_work_queue),
        cmocka_unit_test(case_082_lowest_free_indexes),
        cmocka_unit_test(case_085_doubles_and_strangers_go),
        cmocka_unit_test(case_085_ends_out_of_range_do_not_count),
        cmocka_unit_test(case_086_replacement_policy),
        cmocka_unit_test(case_086_a_terminating_index_keeps_its_place),
        cmocka_unit_test(test_at_most_500_a_pass),
        cmocka_unit_test(test_scaled_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
