/* Results of reconciles, by controller. */
#include "controller/trainjob_controller_testing.h"

static struct ty_controller_counts
reconcile_once(struct controller_fixture *w, const struct api_row *rows, enum ty_controller_kind of)
{
    const struct ty_queue_kind *queue = NULL;
    struct ty_controller_counts n;

    w->api.rows = rows;
    w->controller = ty_trainjob_controller_new(&w->s);
    ty_trainjob_controller_lead(w->controller);
    controller_run_until(w, controller_reconciled);
    ty_trainjob_controller_count_of(w->controller, of, &n, &queue);
    assert_int_equal(n.seconds.n, queue->worked.n);
    assert_int_equal(n.seconds.n, n.success + n.error + n.requeue + n.requeue_after);
    return n;
}

static void test_well(void **state)
{
    struct ty_controller_counts n = reconcile_once(*state, controller_rows, TY_CONTROLLER_TRAINJOB);

    assert_int_equal(n.success, 2); /* the second one finds its writes done */
    assert_int_equal(n.error, 0);
    assert_true(n.seconds.sum > 0);
    assert_int_equal(n.most, 16);
    assert_int_equal(n.active, 0);
    assert_true(n.unfinished == 0 && n.longest == 0);
}

static void test_not_well(void **state)
{
    static const struct api_row rows[] = { CONTROLLER_ONE_JOB,
                                           { CONTROLLER_APPLY_SNAPSHOT, 422,
                                             CONTROLLER_REFUSAL(422, "Invalid") },
                                           CONTROLLER_STATUS_PATCHED,
                                           { 0 } };
    struct ty_controller_counts n = reconcile_once(*state, rows, TY_CONTROLLER_TRAINJOB);

    assert_true(n.error > 0);
    assert_int_equal(n.success, 0);
}

static void test_well_until_its_deadline(void **state)
{
    static const struct api_row rows[] = {
        { "GET " CONTROLLER_GROUP "/trainjobs?limit", 200,
          CONTROLLER_LIST(CONTROLLER_JOB_UNTIL_2150("7")) },
        { "GET " CONTROLLER_GROUP "/clustertrainingruntimes?limit", 200,
          CONTROLLER_LIST(CONTROLLER_RUNTIME) },
        CONTROLLER_SNAPSHOT_APPLIED,
        CONTROLLER_JOBSET_APPLIED,
        { CONTROLLER_PATCH_STATUS, API_PATCHED, CONTROLLER_JOB_UNTIL_2150("7") },
        { 0 }
    };
    struct ty_controller_counts n = reconcile_once(*state, rows, TY_CONTROLLER_TRAINJOB);

    assert_true(n.requeue_after > 0);
    assert_int_equal(n.success + n.error, 0);
}

/* Each has its own. */
static void test_a_runtime(void **state)
{
    struct ty_controller_counts n = reconcile_once(*state, controller_rows,
                                                   TY_CONTROLLER_CLUSTER_RUNTIME),
                                none;
    const struct ty_queue_kind *queue = NULL;

    assert_int_equal(n.success, 1);
    ty_trainjob_controller_count_of(((struct controller_fixture *)*state)->controller,
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
