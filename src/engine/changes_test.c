#include "api/schema_testing.h"
#include "engine/changes.h"

static void keeps_the_order_of_changes(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_changes c;

    ty_changes_init(&c, a);
    assert_null(c.first);
    assert_int_equal(c.requeue_ms, -1);
    ty_changes_add(&c, TY_CHANGE_CREATE, &ty_kind_job,
                   parse(a, "{'metadata':{'name':'j','namespace':'n'}}"));
    ty_changes_delete(&c, &ty_kind_pod, TY_LIT("n"), TY_LIT("p"));

    assert_int_equal(c.first->op, TY_CHANGE_CREATE);
    assert_ptr_equal(c.first->kind, &ty_kind_job);
    assert_true(ty_str_is(c.first->name, "j"));
    assert_true(ty_str_is(c.first->ns, "n"));
    assert_non_null(c.first->obj);
    assert_ptr_equal(c.first->next, c.last);
    assert_int_equal(c.last->op, TY_CHANGE_DELETE);
    assert_true(ty_str_is(c.last->name, "p"));
    assert_null(c.last->obj);
    assert_null(c.last->next);
}

static void keeps_the_order_of_events(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_changes c;

    ty_changes_init(&c, a);
    ty_changes_event(&c, "Normal", "First", "%s %d", "number", 1);
    ty_changes_event(&c, "Warning", "Second", "plain");
    assert_string_equal(c.events->message, "number 1");
    assert_string_equal(c.events->next->reason, "Second");
    assert_string_equal(c.events->next->type, "Warning");
    assert_ptr_equal(c.last_event, c.events->next);
}

static void wakes_at_the_nearest_time(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_changes c;

    ty_changes_init(&c, a);
    ty_changes_requeue_after(&c, 500);
    ty_changes_requeue_after(&c, 900);
    assert_int_equal(c.requeue_ms, 500);
    ty_changes_requeue_after(&c, 20);
    assert_int_equal(c.requeue_ms, 20);
    ty_changes_requeue_after(&c, -7); /* already over: at once, not never */
    assert_int_equal(c.requeue_ms, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_the_order_of_changes),
        cmocka_unit_test(keeps_the_order_of_events),
        cmocka_unit_test(wakes_at_the_nearest_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
