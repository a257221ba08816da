#include "store/past_testing.h"

#include "store/hold.h"

static void two_runs(struct past_world *w)
{
    struct ty_json *a = past_trainjob(w, "a");

    past_create(w, "v1", "Pod", "a-node-0-0", a);
    past_trainjob(w, "b");
    ty_record_event(w->r, &ty_kind_trainjob, "a", "Normal", "R", "m", 1);
    ty_record_event(w->r, &ty_kind_trainjob, "b", "Normal", "R", "m", 2);
    past_write(w);
    ty_record_free(w->r);
    ty_local_free(w->l);
    w->l = ty_local_new(past_noon, NULL);
    w->r = ty_record_new(w->l, past_changed, w);
    w->run.id = 0;
    past_trainjob(w, "a");
    past_write(w);
}

static void test_newest_first_and_filters(void **state)
{
    struct past_world *w = *state;

    two_runs(w);
    past_expect(w, &(struct ty_past_which){ .kind = &ty_kind_trainjob },
                "2 TrainJob/a(a) 1 TrainJob/a(a) 1 TrainJob/b(b) ");
    past_expect(w, &(struct ty_past_which){ .job = "a", .run = 1 },
                "1 TrainJob/a(a) 1 Pod/a-node-0-0(a) ");
    past_expect(w, &(struct ty_past_which){ .ns = "default", .job = "b" }, "1 TrainJob/b(b) ");
    past_expect(w, &(struct ty_past_which){ .ns = "other" }, "");
    past_expect(w, &(struct ty_past_which){ .job = "x' OR '1'='1" }, "");
}

static bool only_one(void *ctx, const struct ty_past_object *o)
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
    struct past_world *w = *state;
    struct ty_err err = { 0 };
    int n = 0;

    two_runs(w);
    struct ty_durable *d = past_open(w, TY_DURABLE_READ);
    assert_int_equal(ty_past_objects(d, &(struct ty_past_which){ 0 }, only_one, &n, &err), 0);
    assert_int_equal(n, 1);
    ty_durable_close(d);
}

static void test_delete_takes_what_is_the_jobs(void **state)
{
    struct past_world *w = *state;
    struct past_list events = { "" };
    struct ty_err err = { 0 };
    bool last = true;

    two_runs(w);
    struct ty_durable *d = past_open(w, TY_DURABLE_WRITE);
    assert_int_equal(ty_past_delete(d, 1, "a", &last, &err), 0);
    assert_false(last); /* b is still there */
    past_expect(w, &(struct ty_past_which){ 0 }, "2 TrainJob/a(a) 1 TrainJob/b(b) ");
    assert_int_equal(
        ty_past_events(d, &(struct ty_past_which){ 0 }, past_note_event, &events, &err), 0);
    assert_string_equal(events.text, "TrainJob/b(b) Normal R x1 2-2; ");
    assert_int_equal(ty_past_delete(d, 1, "b", &last, &err), 0);
    assert_true(last);
    assert_int_equal(ty_past_delete(d, 2, "a", &last, &err), 0);
    assert_true(last);
    past_expect(w, &(struct ty_past_which){ 0 }, "");
    ty_durable_close(d);
}

static void test_states_of_a_run(void **state)
{
    struct past_world *w = *state;
    struct ty_err err = { 0 };

    past_trainjob(w, "a");
    past_write(w);
    struct ty_durable *d = past_open(w, TY_DURABLE_WRITE);
    int fd = ty_hold_take(w->dir, &err);
    assert_int_equal(ty_past_state(d, &w->run), TY_PAST_LIVE);
    close(fd);
    assert_int_equal(ty_past_state(d, &w->run), TY_PAST_CUT_OFF);
    /* It ended after its row was read: that is no interruption. */
    assert_int_equal(ty_durable_end(d, w->run.id, 9, "Complete", &err), 0);
    assert_int_equal(ty_past_state(d, &w->run), TY_PAST_ENDED);
    ty_durable_close(d);
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
