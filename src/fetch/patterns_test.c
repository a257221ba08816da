#include "fetch/patterns.h"
#include "fetch/testing.h"

static void test_patterns(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    const char *const *p = ty_patterns_split(a, " *.bin, ,logs/,x?[0-9],[!a]z,");
    assert_string_equal(p[0], "*.bin");
    assert_string_equal(p[1], "logs/*");
    assert_null(p[4]);
    assert_true(ty_patterns_match(p, "a.bin"));
    assert_true(ty_patterns_match(p, "deep/er/a.bin")); /* '*' crosses slashes */
    assert_true(ty_patterns_match(p, ".bin"));
    assert_true(ty_patterns_match(p, "logs/a/b"));
    assert_true(ty_patterns_match(p, "xy7"));
    assert_true(ty_patterns_match(p, "bz"));
    assert_false(ty_patterns_match(p, "az"));
    assert_false(ty_patterns_match(p, "a.bin.txt"));
    assert_false(ty_patterns_match(p, "logs"));
    assert_false(ty_patterns_match(NULL, "x"));
    assert_false(ty_patterns_match(ty_patterns_split(a, NULL), "x"));
    p = ty_patterns_split(a, "a\\*");
    assert_true(ty_patterns_match(p, "a\\b")); /* a backslash is no escape, as in Python */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
