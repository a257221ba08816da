#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "advise/check.h"

static void test_in_order_and_counted(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);
    struct ty_check_results c = { .arena = a, .area = "machine" };

    ty_check_add(&c, TY_CHECK_LEVEL_OK, "a", "%d", 1);
    ty_check_set_fix(&c, ty_check_add(&c, TY_CHECK_LEVEL_FAIL, "b", "x"), "do %s", "this");
    assert_string_equal(c.first->what, "1");
    assert_null(c.first->fix);
    assert_string_equal(c.first->next->fix, "do this");
    assert_string_equal(c.last->area, "machine");
    assert_int_equal(c.n[TY_CHECK_LEVEL_OK], 1);
    assert_int_equal(c.n[TY_CHECK_LEVEL_WARN], 0);
    assert_int_equal(c.n[TY_CHECK_LEVEL_FAIL], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_in_order_and_counted) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
