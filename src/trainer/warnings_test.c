#include "base/testing.h"
#include "trainer/warnings.h"

static void test_warnings_have_a_limit(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 16);
    struct ty_warnings w = { .arena = a };

    for (int i = 0; i < 40; i++)
        ty_warnings_add(&w, "warning %d", i);
    assert_int_equal(w.n, 32);
    assert_string_equal(w.v[31], "warning 31");
    ty_warnings_add(NULL, "into nothing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_warnings_have_a_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
