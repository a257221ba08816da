#include "json/yaml_inner.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void assert_says(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    assert_string_equal(ty_yaml_diag_text(a, "tab character may not be used as indentation"),
                        "a tab cannot indent YAML; use spaces");
    assert_string_equal(ty_yaml_diag_text(a, "missing comma in flow mapping"),
                        "a comma is missing between two items");
    /* What we have no words for is passed on, on one line. */
    assert_string_equal(ty_yaml_diag_text(a, "something\nnew"), "something new");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(assert_says) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
