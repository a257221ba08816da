#include "base/strlist.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_grows(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 16);
    struct ty_strlist x = { 0 };
    for (int i = 0; i < 37; i++) {
        ty_strlist_add(a, &x, ty_arena_printf(a, "w%d", i));
        assert_null(x.v[x.n]); /* at each length, also when it is full */
    }
    for (int i = 0; i < 37; i++)
        assert_string_equal(x.v[i], ty_arena_printf(a, "w%d", i));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_grows) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
