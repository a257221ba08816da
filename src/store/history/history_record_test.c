#include "store/history/history_read_testing.h"

static const struct ty_history_read_filter all = { 0 };

static void test_the_last_state_is_kept(void **state)
{
    struct history_read_world *w = *state;
    struct ty_json *tj = history_read_trainjob(w, "a");
    struct ty_json *js = history_read_create(w, "jobset.x-k8s.io/v1alpha2", "JobSet", "a", tj);
    struct ty_json *job = history_read_create(w, "batch/v1", "Job", "a-node-0", js);

    history_read_create(w, "v1", "Pod", "a-node-0-0-x", job);
    history_read_create(w, "v1", "Secret", "key", tj);
    assert_int_equal(w->told, 1); /* once, until it is written */
    history_read_write(w);
    history_read_expect(w, &all,
                        "1 JobSet/a(a) 1 TrainJob/a(a) 1 Job/a-node-0(a) 1 Pod/a-node-0-0-x(a) ");
    history_read_trainjob(w, "b");
    assert_int_equal(w->told, 2);
}

static void test_deleted_pods_stay(void **state)
{
    struct history_read_world *w = *state;
    struct ty_json *tj = history_read_trainjob(w, "a");

    history_read_create(w, "v1", "Pod", "p", tj);
    history_read_create(w, "v1", "Pod", "q", tj);
    history_read_write(w);
    ty_local_finalize(w->l, &ty_kind_pod, TY_LIT("default"), TY_LIT("p"));
    history_read_create(w, "v1", "Pod", "p", tj); /* as a restart does */
    history_read_create(w, "v1", "Pod", "z", tj); /* born and dead between two writes */
    ty_local_finalize(w->l, &ty_kind_pod, TY_LIT("default"), TY_LIT("z"));
    history_read_write(w);
    history_read_expect(w, &(struct ty_history_read_filter){ .kind = &ty_kind_pod },
                        "1 Pod/p(a) 1 Pod/p(a)-gone 1 Pod/q(a) 1 Pod/z(a)-gone ");
}

static void test_events_are_counted(void **state)
{
    struct history_read_world *w = *state;
    struct history_read_list got = { "" };
    struct ty_err err = { 0 };

    history_read_trainjob(w, "a");
    history_read_trainjob(w, "a-node");
    ty_history_record_event(w->r, &ty_kind_pod, "a-node-0-0", "Warning", "Unhealthy", "probe", 10);
    ty_history_record_event(w->r, &ty_kind_pod, "a-node-0-0", "Warning", "Unhealthy", "probe", 20);
    history_read_write(w);
    ty_history_record_event(w->r, &ty_kind_pod, "a-node-0-0", "Warning", "Unhealthy", "probe", 30);
    ty_history_record_event(w->r, &ty_kind_pod, "a-other", "Warning", "Unhealthy", "probe", 40);
    ty_history_record_event(w->r, &ty_kind_jobset, "a", "Normal", "Done", "", 50);
    history_read_write(w);
    struct ty_history_db *d = history_read_open(w, TY_HISTORY_DB_READ);
    assert_int_equal(ty_history_read_events(d, &all, history_read_note_event, &got, &err), 0);
    ty_history_db_close(d);
    assert_string_equal(got.text, "Pod/a-node-0-0(a-node) Warning Unhealthy x3 10-30; "
                                  "Pod/a-other(a) Warning Unhealthy x1 40-40; "
                                  "JobSet/a(a) Normal Done x1 50-50; ");
}

static void test_nothing_is_lost_while_others_write(void **state)
{
    struct history_read_world *w = *state;
    struct ty_history_db *other = history_read_open(w, TY_HISTORY_DB_WRITE),
                         *d = history_read_open(w, TY_HISTORY_DB_WRITE);
    struct ty_err err = { 0 };

    history_read_trainjob(w, "a");
    ty_history_db_busy_timeout(d, 1);
    assert_int_equal(ty_history_db_exec(other, TY_SQL_BEGIN, &err), 0);
    assert_int_equal(ty_history_record_write(w->r, d, &w->run, &err), -EAGAIN);
    assert_int_equal(w->run.id, 0);
    assert_int_equal(ty_history_db_exec(other, TY_SQL_ROLLBACK, &err), 0);
    assert_int_equal(ty_history_record_write(w->r, d, &w->run, &err), 0);
    ty_history_db_close(d);
    ty_history_db_close(other);
    history_read_expect(w, &all, "1 TrainJob/a(a) ");
}

static void test_a_failed_write_leaves_no_half_run(void **state)
{
    struct history_read_world *w = *state;
    struct ty_history_db *d = history_read_open(w, TY_HISTORY_DB_WRITE);
    struct ty_err err = { 0 };

    history_read_trainjob(w, "a");
    assert_int_equal(sqlite3_exec(ty_history_db_handle(d), "DROP TABLE objects", NULL, NULL, NULL),
                     0);
    assert_int_equal(ty_history_record_write(w->r, d, &w->run, &err), -EIO);
    assert_int_equal(w->run.id, 0);
    assert_has(err.text, "objects");
    sqlite3_stmt *s = NULL;
    sqlite3_prepare_v2(ty_history_db_handle(d), "SELECT count(*) FROM runs", -1, &s, NULL);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    assert_int_equal(sqlite3_column_int(s, 0), 0);
    sqlite3_finalize(s);
    ty_history_db_close(d);
}

static void test_much_to_hold_is_urgent(void **state)
{
    struct history_read_world *w = *state;
    char *big = ty_arena_alloc(w->a, 100001, 1);

    memset(big, 'x', 100000);
    for (int i = 0; i < 6; i++) {
        big[0] = (char)('a' + i);
        ty_history_record_event(w->r, &ty_kind_pod, "p", "Warning", "Big", big, i);
    }
    assert_int_equal(w->told, 2); /* there is something; it is too much */
    assert_int_equal(w->urgent, 1);
    history_read_write(w);
    ty_history_record_event(w->r, &ty_kind_pod, "p", "Warning", "Big", big, 9);
    assert_int_equal(w->told, 3);
    assert_int_equal(w->urgent, 1);
}

static void test_the_end_is_written(void **state)
{
    struct history_read_world *w = *state;

    history_read_trainjob(w, "a");
    history_read_write(w);
    w->run.ended_ms = 2000;
    w->run.how = "Failed";
    history_read_write(w);
    history_read_write(w);
    struct ty_history_db *d = history_read_open(w, TY_HISTORY_DB_READ);
    assert_int_equal(ty_history_read_run_state(d, &w->run), TY_HISTORY_RUN_ENDED);
    ty_history_db_close(d);
    history_read_expect(w, &all, "1 TrainJob/a(a) "); /* one run, not three */
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
