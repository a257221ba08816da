#include "store/past_testing.h"

static const struct ty_past_which all = { 0 };

static void test_the_last_state_is_kept(void **state)
{
    struct past_world *w = *state;
    struct ty_json *tj = past_trainjob(w, "a");
    struct ty_json *js = past_create(w, "jobset.x-k8s.io/v1alpha2", "JobSet", "a", tj);
    struct ty_json *job = past_create(w, "batch/v1", "Job", "a-node-0", js);

    past_create(w, "v1", "Pod", "a-node-0-0-x", job);
    past_create(w, "v1", "Secret", "key", tj);
    assert_int_equal(w->told, 1); /* once, until it is written */
    past_write(w);
    past_expect(w, &all, "1 JobSet/a(a) 1 TrainJob/a(a) 1 Job/a-node-0(a) 1 Pod/a-node-0-0-x(a) ");
    past_trainjob(w, "b");
    assert_int_equal(w->told, 2);
}

static void test_deleted_pods_stay(void **state)
{
    struct past_world *w = *state;
    struct ty_json *tj = past_trainjob(w, "a");

    past_create(w, "v1", "Pod", "p", tj);
    past_create(w, "v1", "Pod", "q", tj);
    past_write(w);
    ty_local_finish(w->l, &ty_kind_pod, TY_LIT("default"), TY_LIT("p"));
    past_create(w, "v1", "Pod", "p", tj); /* as a restart does */
    past_create(w, "v1", "Pod", "z", tj); /* born and dead between two writes */
    ty_local_finish(w->l, &ty_kind_pod, TY_LIT("default"), TY_LIT("z"));
    past_write(w);
    past_expect(w, &(struct ty_past_which){ .kind = &ty_kind_pod },
                "1 Pod/p(a) 1 Pod/p(a)-gone 1 Pod/q(a) 1 Pod/z(a)-gone ");
}

static void test_events_are_counted(void **state)
{
    struct past_world *w = *state;
    struct past_list got = { "" };
    struct ty_err err = { 0 };

    past_trainjob(w, "a");
    past_trainjob(w, "a-node");
    ty_record_event(w->r, &ty_kind_pod, "a-node-0-0", "Warning", "Unhealthy", "probe", 10);
    ty_record_event(w->r, &ty_kind_pod, "a-node-0-0", "Warning", "Unhealthy", "probe", 20);
    past_write(w);
    ty_record_event(w->r, &ty_kind_pod, "a-node-0-0", "Warning", "Unhealthy", "probe", 30);
    ty_record_event(w->r, &ty_kind_pod, "a-other", "Warning", "Unhealthy", "probe", 40);
    ty_record_event(w->r, &ty_kind_jobset, "a", "Normal", "Done", "", 50);
    past_write(w);
    struct ty_durable *d = past_open(w, TY_DURABLE_READ);
    assert_int_equal(ty_past_events(d, &all, past_note_event, &got, &err), 0);
    ty_durable_close(d);
    assert_string_equal(got.text, "Pod/a-node-0-0(a-node) Warning Unhealthy x3 10-30; "
                                  "Pod/a-other(a) Warning Unhealthy x1 40-40; "
                                  "JobSet/a(a) Normal Done x1 50-50; ");
}

static void test_nothing_is_lost_while_others_write(void **state)
{
    struct past_world *w = *state;
    struct ty_durable *other = past_open(w, TY_DURABLE_WRITE), *d = past_open(w, TY_DURABLE_WRITE);
    struct ty_err err = { 0 };

    past_trainjob(w, "a");
    ty_durable_patience(d, 1);
    assert_int_equal(ty_durable_do(other, TY_SQL_BEGIN, &err), 0);
    assert_int_equal(ty_record_write(w->r, d, &w->run, &err), -EAGAIN);
    assert_int_equal(w->run.id, 0);
    assert_int_equal(ty_durable_do(other, TY_SQL_ROLLBACK, &err), 0);
    assert_int_equal(ty_record_write(w->r, d, &w->run, &err), 0);
    ty_durable_close(d);
    ty_durable_close(other);
    past_expect(w, &all, "1 TrainJob/a(a) ");
}

static void test_a_failed_write_leaves_no_half_run(void **state)
{
    struct past_world *w = *state;
    struct ty_durable *d = past_open(w, TY_DURABLE_WRITE);
    struct ty_err err = { 0 };

    past_trainjob(w, "a");
    assert_int_equal(sqlite3_exec(ty_durable_db(d), "DROP TABLE objects", NULL, NULL, NULL), 0);
    assert_int_equal(ty_record_write(w->r, d, &w->run, &err), -EIO);
    assert_int_equal(w->run.id, 0);
    assert_has(err.text, "objects");
    sqlite3_stmt *s = NULL;
    sqlite3_prepare_v2(ty_durable_db(d), "SELECT count(*) FROM runs", -1, &s, NULL);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    assert_int_equal(sqlite3_column_int(s, 0), 0);
    sqlite3_finalize(s);
    ty_durable_close(d);
}

static void test_much_to_hold_is_urgent(void **state)
{
    struct past_world *w = *state;
    char *big = ty_arena_alloc(w->a, 100001, 1);

    memset(big, 'x', 100000);
    for (int i = 0; i < 6; i++) {
        big[0] = (char)('a' + i);
        ty_record_event(w->r, &ty_kind_pod, "p", "Warning", "Big", big, i);
    }
    assert_int_equal(w->told, 2); /* there is something; it is too much */
    assert_int_equal(w->urgent, 1);
    past_write(w);
    ty_record_event(w->r, &ty_kind_pod, "p", "Warning", "Big", big, 9);
    assert_int_equal(w->told, 3);
    assert_int_equal(w->urgent, 1);
}

static void test_the_end_is_written(void **state)
{
    struct past_world *w = *state;

    past_trainjob(w, "a");
    past_write(w);
    w->run.ended_ms = 2000;
    w->run.how = "Failed";
    past_write(w);
    past_write(w);
    struct ty_durable *d = past_open(w, TY_DURABLE_READ);
    assert_int_equal(ty_past_state(d, &w->run), TY_PAST_ENDED);
    ty_durable_close(d);
    past_expect(w, &all, "1 TrainJob/a(a) "); /* one run, not three */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PAST_T(test_the_last_state_is_kept),
        PAST_T(test_deleted_pods_stay),
        PAST_T(test_events_are_counted),
        PAST_T(test_nothing_is_lost_while_others_write),
        PAST_T(test_a_failed_write_leaves_no_half_run),
        PAST_T(test_much_to_hold_is_urgent),
        PAST_T(test_the_end_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
