#include "base/strlist.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_grows_and_compares(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 16);
    struct ty_strlist x = { 0 }, y = { 0 };
    assert_true(ty_strlist_equal(&x, &y));
    for (int i = 0; i < 37; i++) {
        ty_strlist_add(a, &x, ty_arena_printf(a, "w%d", i));
        assert_false(ty_strlist_equal(&x, &y));
        ty_strlist_add(a, &y, ty_arena_printf(a, "w%d", i));
        assert_true(ty_strlist_equal(&x, &y));
        assert_null(x.v[x.n]); /* at each length, also when it is full */
    }
    assert_string_equal(x.v[0], "w0");
    assert_string_equal(x.v[36], "w36");
    y.v[20] = "other";
    assert_false(ty_strlist_equal(&x, &y));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_grows_and_compares) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
