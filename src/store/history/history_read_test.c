#include "store/history/history_read_testing.h"

#include "store/history/run_lock.h"

static void two_runs(struct history_read_world *w)
{
    struct ty_json *a = history_read_trainjob(w, "a");

    history_read_create(w, "v1", "Pod", "a-node-0-0", a);
    history_read_trainjob(w, "b");
    ty_history_record_event(w->r, &ty_kind_trainjob, "a", "Normal", "R", "m", 1);
    ty_history_record_event(w->r, &ty_kind_trainjob, "b", "Normal", "R", "m", 2);
    history_read_write(w);
    ty_history_record_free(w->r);
    ty_local_free(w->l);
    w->l = ty_local_new(history_read_noon, NULL);
    w->r = ty_history_record_new(w->l, history_read_changed, w);
    w->run.id = 0;
    history_read_trainjob(w, "a");
    history_read_write(w);
}

static void test_newest_first_and_filters(void **state)
{
    struct history_read_world *w = *state;

    two_runs(w);
    history_read_expect(w, &(struct ty_history_read_filter){ .kind = &ty_kind_trainjob },
                        "2 TrainJob/a(a) 1 TrainJob/a(a) 1 TrainJob/b(b) ");
    history_read_expect(w, &(struct ty_history_read_filter){ .job = "a", .run = 1 },
                        "1 TrainJob/a(a) 1 Pod/a-node-0-0(a) ");
    history_read_expect(w, &(struct ty_history_read_filter){ .ns = "default", .job = "b" },
                        "1 TrainJob/b(b) ");
    history_read_expect(w, &(struct ty_history_read_filter){ .ns = "other" }, "");
    history_read_expect(w, &(struct ty_history_read_filter){ .job = "x' OR '1'='1" }, "");
}

static bool only_one(void *ctx, const struct ty_history_read_object *o)
{
    int *n = ctx;

    assert_string_equal(o->run.command, "trainyard run x.yaml");
    assert_int_equal(o->run.pid, 42);
    assert_true(o->text.n > 10 && o->text.p[0] == '{');
    ++*n;
    return false;
}

static void test_a_reader_may_stop(void **state)
{
    struct history_read_world *w = *state;
    struct ty_err err = { 0 };
    int n = 0;

    two_runs(w);
    struct ty_history_db *d = history_read_open(w, TY_HISTORY_DB_READ);
    assert_int_equal(
        ty_history_read_objects(d, &(struct ty_history_read_filter){ 0 }, only_one, &n, &err), 0);
    assert_int_equal(n, 1);
    ty_history_db_close(d);
}

static void test_delete_takes_what_is_the_jobs(void **state)
{
    struct history_read_world *w = *state;
    struct history_read_list events = { "" };
    struct ty_err err = { 0 };
    bool last = true;

    two_runs(w);
    struct ty_history_db *d = history_read_open(w, TY_HISTORY_DB_WRITE);
    assert_int_equal(ty_history_read_delete_job(d, 1, "a", &last, &err), 0);
    assert_false(last); /* b is still there */
    history_read_expect(w, &(struct ty_history_read_filter){ 0 },
                        "2 TrainJob/a(a) 1 TrainJob/b(b) ");
    assert_int_equal(ty_history_read_events(d, &(struct ty_history_read_filter){ 0 },
                                            history_read_note_event, &events, &err),
                     0);
    assert_string_equal(events.text, "TrainJob/b(b) Normal R x1 2-2; ");
    assert_int_equal(ty_history_read_delete_job(d, 1, "b", &last, &err), 0);
    assert_true(last);
    assert_int_equal(ty_history_read_delete_job(d, 2, "a", &last, &err), 0);
    assert_true(last);
    history_read_expect(w, &(struct ty_history_read_filter){ 0 }, "");
    ty_history_db_close(d);
}

static void test_states_of_a_run(void **state)
{
    struct history_read_world *w = *state;
    struct ty_err err = { 0 };

    history_read_trainjob(w, "a");
    history_read_write(w);
    struct ty_history_db *d = history_read_open(w, TY_HISTORY_DB_WRITE);
    int fd = ty_run_lock_acquire(w->dir, &err);
    assert_int_equal(ty_history_read_run_state(d, &w->run), TY_HISTORY_RUN_LIVE);
    close(fd);
    assert_int_equal(ty_history_read_run_state(d, &w->run), TY_HISTORY_RUN_LOST);
    /* It ended after its row was read: that is no interruption. */
    assert_int_equal(ty_history_db_end_run(d, w->run.id, 9, "Complete", &err), 0);
    assert_int_equal(ty_history_read_run_state(d, &w->run), TY_HISTORY_RUN_ENDED);
    ty_history_db_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PAST_T(test_newest_first_and_filters),
        PAST_T(test_a_reader_may_stop),
        PAST_T(test_delete_takes_what_is_the_jobs),
        PAST_T(test_states_of_a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
