#include "cli/run/run_view_testing.h"

static void test_choice(void **state)
{
    struct ty_run_view v;
    struct ty_cli_fixture b;
    struct ty_run_view_opts opts = { .output = "table" };

    (void)state;
    view_open(&v, &b, &opts); /* not on a file */
    assert_ptr_equal(v.renderer, &ty_run_plain);
    view_close(&v, &b);
}

/* A renderer may have none of the optional members: then what happens is silent, and notes go to
 * standard error. */
static void say_nothing(struct ty_run_view *v, const struct ty_run_outcome *o TY_UNUSED)
{
    fputs("summary\n", v->cli->out);
}

static void test_a_look_of_nothing(void **state)
{
    static const struct ty_run_renderer nothing = { .name = "nothing", .summary = say_nothing };
    struct ty_run_outcome o = { .dir = "/d" };
    struct ty_run_view v;
    struct ty_cli_fixture b;
    struct ty_run_view_opts opts = { 0 };

    (void)state;
    fixture_open(&b);
    ty_run_view_init(&v, &b.cli, &opts);
    v.renderer = &nothing;
    ty_run_view_open(&v, NULL);
    view_say(&v, "j-node-0-0", "x");
    view_end(&v, "j-node-0-0", 1, false, NULL);
    view_event(&v, "Warning", "R", "m");
    view_status(&v, b.cli.arena, VIEW_COMPLETE);
    ty_run_view_note(&v, TY_MSG_WARNING, "%d%%s", 5);
    ty_run_view_close(&v, &o);
    ty_run_view_close(&v, NULL); /* again: nothing */
    fixture_flush(&b);
    assert_string_equal(b.out, "summary\n");
    assert_string_equal(b.err, "warning: 5%s\n");
    fixture_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_a_look_of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
