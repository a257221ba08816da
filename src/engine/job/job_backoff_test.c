#include "engine/job/job_backoff.h"
#include "engine/job/job_testing.h"

static void case_087_a_failure_delays_new_pods(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'parallelism':3,'completions':3}");
    reconcile(&w);
    set_running(&w, 1, true);
    set_running(&w, 2, true);
    finish_pod(&w, 0, 1);
    reconcile(&w);
    assert_int_equal(w.created, 0);
    assert_int_equal(w.last.requeue_ms, 10000);
    assert_int_equal(count_events(&w, "BackOff", "my-job restarts in 10 s (1 of 6)"), 1);
    assert_counts(&w, 2, 0, 1);
    assert_int_equal(stat_int(&w, "ready"), 2);
    w.now += 9;
    reconcile(&w);
    assert_int_equal(w.created, 0);
    assert_int_equal(w.last.requeue_ms, 1000);
    assert_int_equal(count_events(&w, "BackOff", NULL), 0); /* said once */
    w.now += 1;
    reconcile(&w);
    assert_int_equal(w.created, 1);
    assert_counts(&w, 3, 0, 1);
}

static void case_087_a_later_success_takes_the_delay_away(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'parallelism':3,'completions':5}");
    reconcile(&w);
    finish_pod(&w, 0, 1);
    w.now++;
    finish_pod(&w, 1, 0);
    reconcile(&w);
    assert_int_equal(w.created, 2);
    assert_counts(&w, 3, 1, 1);
}

static void case_088_delays_double_up_to_the_cap(void **state)
{
    (void)state;
    assert_int_equal(ty_job_backoff_s(0, 5, 700), 0);
    assert_int_equal(ty_job_backoff_s(1, 5, 700), 5);
    assert_int_equal(ty_job_backoff_s(3, 5, 700), 20);
    assert_int_equal(ty_job_backoff_s(8, 5, 700), 640);
    assert_int_equal(ty_job_backoff_s(9, 5, 700), 700);
    assert_int_equal(ty_job_backoff_s(INT64_MAX, 10, 600), 600);
}

/* Seconds from the end of the last pod to its replacement. */
static int64_t fails_again(struct job_fixture *w)
{
    int64_t start = w->now;

    finish_pod(w, w->n - 1, 1);
    do {
        reconcile(w);
        if (w->created == 0) {
            assert_true(w->last.requeue_ms > 0);
            w->now += w->last.requeue_ms / 1000;
        }
    } while (w->created == 0);
    return w->now - start;
}

static void case_088_delays_of_a_failing_job(void **state)
{
    static const int64_t want[] = { 10, 20, 40, 80, 160, 320, 600, 600 };
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'backoffLimit':20}");
    reconcile(&w);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(fails_again(&w), want[i]);
    assert_counts(&w, 1, 0, 8);
}

/* A success resets the number of failures, also for those that end in the same second but are
 * counted later. */
static void test_reset_by_success(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'parallelism':1,'completions':9,'backoffLimit':20}");
    reconcile(&w);
    assert_int_equal(fails_again(&w), 10);
    assert_int_equal(fails_again(&w), 20);
    finish_pod(&w, w.n - 1, 0);
    reconcile(&w);
    assert_int_equal(w.created, 1);
    assert_int_equal(fails_again(&w), 10);
    assert_int_equal(fails_again(&w), 20);
}

/* Each index waits for itself; those that fail together are one event, said once. */
static void test_indexes_say_how_long_they_wait(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'parallelism':3,'completions':3,'completionMode':'Indexed',"
                     "'backoffLimitPerIndex':6}");
    reconcile(&w);
    set_running(&w, 2, true);
    finish_pod(&w, 0, 1);
    finish_pod(&w, 1, 1);
    reconcile(&w);
    assert_int_equal(w.created, 0);
    assert_int_equal(count_events(&w, "BackOff", "my-job-0 and 1 more restart in 10 s (1 of 6)"),
                     1);
    w.now += 4;
    reconcile(&w);
    assert_int_equal(count_events(&w, "BackOff", NULL), 0);
    finish_pod(&w, 2, 1); /* another index, later */
    reconcile(&w);
    assert_int_equal(count_events(&w, "BackOff", "my-job-2 restarts in 10 s (1 of 6)"), 1);
    assert_int_equal(count_events(&w, "BackOff", NULL), 1);
    w.now += 6;
    reconcile(&w);
    assert_int_equal(w.created, 2);
    finish_pod(&w, w.n - 2, 1); /* again */
    reconcile(&w);
    assert_int_equal(count_events(&w, "BackOff", "my-job-0 restarts in 20 s (2 of 6)"), 1);
    assert_int_equal(count_events(&w, "BackOff", NULL), 1);
}

static void test_index_wait(void **state)
{
    struct ty_pod_summary lost = { .failures = 1, .ignored = 1, .finished_s = 100 };

    (void)state;
    assert_int_equal(ty_job_backoff_index_wait_s(NULL, 100), 0);
    assert_int_equal(ty_job_backoff_index_wait_s(&lost, 100), 40);
    assert_int_equal(ty_job_backoff_index_wait_s(&lost, 139), 1);
    assert_int_equal(ty_job_backoff_index_wait_s(&lost, 140), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_087_a_failure_delays_new_pods),
        cmocka_unit_test(case_087_a_later_success_takes_the_delay_away),
        cmocka_unit_test(case_088_delays_double_up_to_the_cap),
        cmocka_unit_test(case_088_delays_of_a_failing_job),
        cmocka_unit_test(test_reset_by_success),
        cmocka_unit_test(test_indexes_say_how_long_they_wait),
        cmocka_unit_test(test_index_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
