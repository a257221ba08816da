#include "cli/testing.h"
#include "cli/view/table_watch.h"

/* Three polls of a table: its rows come from here. */
struct polls {
    struct ty_table_watch w;
    const char *status; /* of pod a */
    const char *age;
    bool second, fail;
};

static int fill(void *ctx, struct ty_table *t)
{
    struct polls *p = ctx;

    if (p->fail)
        return TY_EXIT_BAD;
    ty_table_row(t, "NAME", "STATUS", "AGE");
    ty_table_row(t, "a", p->status, p->age);
    ty_table_watch_row(&p->w, t, "1/a");
    if (p->second) {
        ty_table_row(t, "b", "Running", p->age);
        ty_table_watch_row(&p->w, t, "1/b");
    }
    return TY_EXIT_OK;
}

static void test_rows_that_change(void **state)
{
    struct ty_cli_fixture *b = *state;
    struct polls p = { .status = "Running", .age = "1s" };

    p.w = (struct ty_table_watch){ .cli = &b->cli, .fill = fill, .ctx = &p };
    assert_int_equal(ty_table_watch_poll(&p.w), TY_EXIT_OK);
    p.age = "2s"; /* time passes: nothing to say */
    assert_int_equal(ty_table_watch_poll(&p.w), TY_EXIT_OK);
    fixture_flush(b);
    assert_string_equal(b->out, "NAME   STATUS    AGE\n"
                                "a      Running   1s\n");
    p.second = true; /* a row that is new */
    assert_int_equal(ty_table_watch_poll(&p.w), TY_EXIT_OK);
    p.status = "Completed"; /* and one that has changed */
    assert_int_equal(ty_table_watch_poll(&p.w), TY_EXIT_OK);
    fixture_flush(b);
    assert_string_equal(b->out, "NAME   STATUS    AGE\n"
                                "a      Running   1s\n"
                                "b      Running   2s\n"
                                "a      Completed   2s\n");
    p.status = "Failed"; /* below a wider row */
    assert_int_equal(ty_table_watch_poll(&p.w), TY_EXIT_OK);
    fixture_flush(b);
    assert_has(b->out, "\na      Failed      2s\n");
    p.fail = true;
    assert_int_equal(ty_table_watch_poll(&p.w), TY_EXIT_BAD);
    ty_table_watch_done(&p.w);
}

static int fill_deleted(void *ctx, struct ty_table *t)
{
    struct polls *p = ctx;

    ty_table_row(t, "NAME", "STATUS");
    ty_table_row(t, "a", p->status);
    if (p->second)
        ty_table_watch_deleted_row(&p->w, "1/a");
    else
        ty_table_watch_row(&p->w, t, "1/a");
    return TY_EXIT_OK;
}

/* The last row once more, and another object of the name is new. Columns stay where they were. */
static void test_deleted_rows(void **state)
{
    struct ty_cli_fixture *b = *state;
    struct polls p = { .status = "Terminating" };

    p.w = (struct ty_table_watch){ .cli = &b->cli, .fill = fill_deleted, .ctx = &p };
    assert_int_equal(ty_table_watch_poll(&p.w), TY_EXIT_OK);
    p.second = true;
    assert_int_equal(ty_table_watch_poll(&p.w), TY_EXIT_OK);
    p.second = false;
    for (int i = 0; i < 2; i++)
        assert_int_equal(ty_table_watch_poll(&p.w), TY_EXIT_OK);
    fixture_flush(b);
    assert_string_equal(b->out, "NAME   STATUS\n"
                                "a      Terminating\n"
                                "a      Terminating\n"
                                "a      Terminating\n");
    ty_table_watch_done(&p.w);
}

/* A poll of a watch has only what changed: here one new row. */
static int fill_one(void *ctx, struct ty_table *t)
{
    struct polls *p = ctx;

    ty_table_row(t, "NAME", "STATUS", "AGE");
    ty_table_row(t, p->status, "Running", p->age);
    ty_table_watch_row(&p->w, t, p->status);
    return TY_EXIT_OK;
}

static void test_old_rows_are_forgotten(void **state)
{
    struct ty_cli_fixture *b = *state;
    struct polls p = { .age = "1s" };

    p.w = (struct ty_table_watch){ .cli = &b->cli, .fill = fill_one, .ctx = &p, .most = 10 };
    for (int i = 0; i < 1000; i++) {
        p.status = ty_arena_printf(b->cli.arena, "event-%d", i);
        assert_int_equal(ty_table_watch_poll(&p.w), TY_EXIT_OK);
        assert_in_range(p.w.seen.n, 1, 10);
    }
    assert_non_null(ty_map_get(&p.w.seen, TY_LIT("event-999")));
    assert_null(ty_map_get(&p.w.seen, TY_LIT("event-900")));
    ty_table_watch_done(&p.w);
}

static int fill_many(void *ctx, struct ty_table *t)
{
    struct polls *p = ctx;

    ty_table_row(t, "NAME");
    for (int i = 0; i < 20; i++) {
        const char *name = ty_arena_printf(t->arena, "row-%d", i);
        ty_table_row(t, name);
        ty_table_watch_row(&p->w, t, name);
    }
    return TY_EXIT_OK;
}

/* A poll of this machine has all rows, and none is printed twice, however many there are. */
static void test_rows_of_the_table_stay(void **state)
{
    struct ty_cli_fixture *b = *state;
    struct polls p = { 0 };

    p.w = (struct ty_table_watch){ .cli = &b->cli, .fill = fill_many, .ctx = &p, .most = 10 };
    for (int i = 0; i < 3; i++)
        assert_int_equal(ty_table_watch_poll(&p.w), TY_EXIT_OK);
    fixture_flush(b);
    assert_int_equal(p.w.seen.n, 20);
    assert_string_equal(strstr(b->out, "row-19"), "row-19\n");
    ty_table_watch_done(&p.w);
}

static int setup(void **state)
{
    return fixture_new(state) ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_rows_that_change, setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_deleted_rows, setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_old_rows_are_forgotten, setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_rows_of_the_table_stay, setup, fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
