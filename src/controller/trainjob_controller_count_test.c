/* What became of keys, by controller. */
#include "controller/trainjob_controller_testing.h"

static struct ty_controller_counts
reconcile_once(struct controller_fixture *w, const struct api_row *rows, enum ty_controller_kind of)
{
    const struct ty_queue_kind *queue = NULL;
    struct ty_controller_counts n;

    w->api.rows = rows;
    w->jobs = ty_trainjob_controller_new(&w->s);
    ty_trainjob_controller_lead(w->jobs);
    controller_run_until(w, controller_reconciled);
    ty_trainjob_controller_count_of(w->jobs, of, &n, &queue);
    assert_int_equal(n.seconds.n, queue->worked.n);
    assert_int_equal(n.seconds.n, n.success + n.error + n.requeue + n.requeue_after);
    return n;
}

static void test_well(void **state)
{
    static const struct api_row rows[] = {
        JOBS_ONE, JOBS_GOOD_CM, JOBS_GOOD_SET, JOBS_GOOD_ST, { 0 }
    };
    struct ty_controller_counts n = reconcile_once(*state, rows, TY_CONTROLLER_TRAINJOB);

    assert_int_equal(n.success, 1);
    assert_int_equal(n.error, 0);
    assert_true(n.seconds.sum > 0);
    assert_int_equal(n.most, 16);
    assert_int_equal(n.active, 0);
    assert_true(n.unfinished == 0 && n.longest == 0);
}

static void test_not_well(void **state)
{
    static const struct api_row rows[] = {
        JOBS_ONE, { JOBS_CM, 422, JOBS_REFUSED(422, "Invalid") }, JOBS_GOOD_ST, { 0 }
    };
    struct ty_controller_counts n = reconcile_once(*state, rows, TY_CONTROLLER_TRAINJOB);

    assert_true(n.error > 0);
    assert_int_equal(n.success, 0);
}

static void test_well_until_its_deadline(void **state)
{
    static const struct api_row rows[] = {
        { "GET " JOBS_GROUP "/trainjobs?limit", 200, JOBS_LIST(JOBS_JOB_UNTIL_2150("7")) },
        { "GET " JOBS_GROUP "/clustertrainingruntimes?limit", 200, JOBS_LIST(JOBS_RUNTIME) },
        JOBS_GOOD_CM,
        JOBS_GOOD_SET,
        { JOBS_STATUS, API_PATCHED, JOBS_JOB_UNTIL_2150("7") },
        { 0 }
    };
    struct ty_controller_counts n = reconcile_once(*state, rows, TY_CONTROLLER_TRAINJOB);

    assert_true(n.requeue_after > 0);
    assert_int_equal(n.success + n.error, 0);
}

/* Each has its own. */
static void test_a_runtime(void **state)
{
    static const struct api_row rows[] = {
        JOBS_ONE, JOBS_GOOD_CM, JOBS_GOOD_SET, JOBS_GOOD_ST, { 0 }
    };
    struct ty_controller_counts n = reconcile_once(*state, rows, TY_CONTROLLER_CLUSTER_RUNTIME),
                                none;
    const struct ty_queue_kind *queue = NULL;

    assert_int_equal(n.success, 1);
    ty_trainjob_controller_count_of(((struct controller_fixture *)*state)->jobs,
                                    TY_CONTROLLER_RUNTIME, &none, &queue);
    assert_int_equal(none.seconds.n, 0);
    assert_int_equal(queue->adds, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CONTROLLER_TEST(test_well),
        CONTROLLER_TEST(test_not_well),
        CONTROLLER_TEST(test_well_until_its_deadline),
        CONTROLLER_TEST(test_a_runtime),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
