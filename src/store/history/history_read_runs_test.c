#include "store/history/history_read_testing.h"

/* Runs 1 to n; run i began at i * 1000 and ended half a second later. */
static struct ty_history_db *runs(struct history_read_world *w, int n)
{
    struct ty_history_db *d = history_read_open(w, TY_HISTORY_DB_WRITE);
    struct ty_err err = { 0 };

    for (int i = 1; i <= n; i++) {
        struct ty_history_db_run run = { .dir = ty_arena_printf(w->a, "/runs/%d", i),
                                         .command = "c",
                                         .started_ms = i * 1000 };
        assert_int_equal(ty_history_db_begin_run(d, &run, &err), 0);
        assert_int_equal(run.id, i);
        assert_int_equal(ty_history_db_end_run(d, i, i * 1000 + 500, "Complete", &err), 0);
    }
    return d;
}

struct seen {
    char text[256]; /* "1+ 2 ": run 1 is beyond the newest */
    int left;       /* stops after so many; 0: never */
};

static bool note(void *ctx, const struct ty_history_db_run *run, bool beyond)
{
    struct seen *s = ctx;
    size_t n = strlen(s->text);

    snprintf(s->text + n, sizeof(s->text) - n, "%d%s ", (int)run->id, beyond ? "+" : "");
    return --s->left != 0;
}

static void expect(struct ty_history_db *d, int64_t newest, int64_t before_ms, int stop,
                   const char *want)
{
    struct seen s = { .left = stop };
    struct ty_err err = { 0 };

    assert_int_equal(ty_history_read_runs(d, newest, before_ms, note, &s, &err), 0);
    assert_string_equal(s.text, want);
}

static void test_which_runs(void **state)
{
    struct history_read_world *w = *state;
    struct ty_history_db *d = runs(w, 5);

    expect(d, 0, 0, 0, "");
    expect(d, 5, 0, 0, "");
    expect(d, 6, 0, 0, "");
    expect(d, 3, 0, 0, "1+ 2+ ");
    expect(d, 0, 3000, 0, "1 2 ");
    expect(d, 4, 3001, 0, "1+ 2 3 ");
    expect(d, 1, 0, 2, "1+ 2+ ");
    ty_history_db_close(d);
}

/* Ids of deleted runs are not reused, so that the greatest id is the newest run. */
static void test_after_some_are_gone(void **state)
{
    struct history_read_world *w = *state;
    struct ty_history_db *d = runs(w, 5);
    struct ty_err err = { 0 };

    assert_int_equal(ty_history_read_delete_run(d, 5, &err), 0);
    assert_int_equal(ty_history_read_delete_run(d, 2, &err), 0);
    expect(d, 2, 0, 0, "1+ ");
    struct ty_history_db_run run = { .dir = "/runs/6", .command = "c", .started_ms = 6000 };
    assert_int_equal(ty_history_db_begin_run(d, &run, &err), 0);
    assert_int_equal(run.id, 6);
    ty_history_db_close(d);
}

static void test_forget_takes_all(void **state)
{
    struct history_read_world *w = *state;
    struct ty_err err = { 0 };

    history_read_create(w, "v1", "Pod", "a-node-0-0", history_read_trainjob(w, "a"));
    ty_history_record_event(w->r, &ty_kind_trainjob, "a", "Normal", "R", "m", 1);
    history_read_write(w);
    struct ty_history_db *d = history_read_open(w, TY_HISTORY_DB_WRITE);
    assert_true(ty_history_read_has_dir(d, w->dir));
    assert_false(ty_history_read_has_dir(d, "/elsewhere"));
    assert_int_equal(ty_history_read_delete_run(d, 1, &err), 0);
    assert_int_equal(ty_history_read_delete_run(d, 1, &err), 0); /* others were faster: fine */
    assert_false(ty_history_read_has_dir(d, w->dir));
    struct history_read_list events = { "" };
    assert_int_equal(ty_history_read_events(d, &(struct ty_history_read_filter){ 0 },
                                            history_read_note_event, &events, &err),
                     0);
    assert_string_equal(events.text, "");
    ty_history_db_close(d);
    history_read_expect(w, &(struct ty_history_read_filter){ 0 }, "");
}

/* While another process writes, a deletion fails with -EAGAIN after the busy timeout. */
static void test_forget_while_others_write(void **state)
{
    struct history_read_world *w = *state;
    struct ty_history_db *d = runs(w, 2), *other = history_read_open(w, TY_HISTORY_DB_WRITE);
    struct ty_err err = { 0 };

    ty_history_db_busy_timeout(d, 1);
    assert_int_equal(ty_history_db_exec(other, TY_SQL_BEGIN, &err), 0);
    assert_int_equal(ty_history_read_delete_run(d, 1, &err), -EAGAIN);
    expect(d, 1, 0, 0, "1+ ");
    assert_int_equal(ty_history_db_exec(other, TY_SQL_ROLLBACK, &err), 0);
    assert_int_equal(ty_history_read_delete_run(d, 1, &err), 0);
    ty_history_db_close(d);
    ty_history_db_close(other);
}

static void test_when_it_was_over(void **state)
{
    struct history_read_world *w = *state;
    struct ty_history_db_run ended = { .id = 1, .started_ms = 5, .ended_ms = 9 };
    struct ty_history_db_run cut = { .id = 1, .started_ms = 5 },
                             mute = { .id = 7, .started_ms = 5 };

    history_read_trainjob(w, "a");
    ty_history_record_event(w->r, &ty_kind_trainjob, "a", "Normal", "R", "m", 70);
    ty_history_record_event(w->r, &ty_kind_trainjob, "a", "Normal", "S", "m", 60);
    history_read_write(w);
    struct ty_history_db *d = history_read_open(w, TY_HISTORY_DB_READ);
    assert_int_equal(ty_history_read_run_end_ms(d, &ended), 9);
    assert_int_equal(ty_history_read_run_end_ms(d, &cut), 70); /* its last sign of life */
    assert_int_equal(ty_history_read_run_end_ms(d, &mute), 5);
    ty_history_db_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PAST_T(test_which_runs),       PAST_T(test_after_some_are_gone),
        PAST_T(test_forget_takes_all), PAST_T(test_forget_while_others_write),
        PAST_T(test_when_it_was_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
