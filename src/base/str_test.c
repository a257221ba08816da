/* Views. */
#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "base/arena.h"

static const struct ty_str none;

static void compares(void **state)
{
    (void)state;
    assert_true(ty_str_cmp(TY_LIT("a"), TY_LIT("b")) < 0);
    assert_true(ty_str_cmp(TY_LIT("ab"), TY_LIT("a")) > 0);
    assert_true(ty_str_cmp(TY_LIT("Z"), TY_LIT("a")) < 0);
    assert_true(ty_str_cmp(TY_LIT("\xc3"), TY_LIT("z")) > 0); /* bytes are unsigned */
    assert_int_equal(ty_str_cmp(none, TY_LIT("")), 0);
    assert_true(ty_str_eq(none, TY_LIT("")));
    assert_true(ty_str_is(TY_LIT("x"), "x"));
    assert_false(ty_str_is(TY_LIT("x"), "xy"));
    assert_int_equal(ty_str(NULL).n, 0);
}

static void parts(void **state)
{
    (void)state;
    assert_true(ty_str_starts(TY_LIT("abc"), TY_LIT("ab")));
    assert_true(ty_str_starts(TY_LIT("abc"), none));
    assert_false(ty_str_starts(TY_LIT("a"), TY_LIT("ab")));
    assert_true(ty_str_ends(TY_LIT("abc"), TY_LIT("bc")));
    assert_false(ty_str_ends(TY_LIT("c"), TY_LIT("bc")));
    assert_true(ty_str_contains(TY_LIT("nvidia.com/gpu"), TY_LIT("gpu")));
    assert_false(ty_str_contains(none, TY_LIT("gpu")));
    assert_true(ty_str_contains(none, none));
    assert_true(ty_str_is(ty_str_trim(TY_LIT(" \t\na b\r\n")), "a b"));
    assert_int_equal(ty_str_trim(TY_LIT("   ")).n, 0);
    assert_int_equal(ty_str_trim(none).n, 0);
    assert_int_equal(ty_str_head(none, 4).n, 0);
    assert_true(ty_str_is(ty_str_head(TY_LIT("aé"), 3), "aé"));
    assert_true(ty_str_is(ty_str_head(TY_LIT("aé"), 2), "a"));
    assert_true(ty_str_is(ty_str_head(TY_LIT("€€"), 5), "€"));
    assert_int_equal(ty_str_head(TY_LIT("€"), 2).n, 0);
    assert_true(ty_str_is(ty_str_head(TY_LIT("ab"), 1), "a"));
}

static void cuts(void **state)
{
    (void)state;
    struct ty_str head, rest = ty_str_cut(TY_LIT("a=b=c"), '=', &head);
    assert_true(ty_str_is(head, "a"));
    assert_true(ty_str_is(rest, "b=c"));
    rest = ty_str_cut(TY_LIT("a="), '=', &head);
    assert_true(rest.p && rest.n == 0);
    rest = ty_str_cut(TY_LIT("abc"), '=', &head);
    assert_true(!rest.p && ty_str_is(head, "abc"));
    rest = ty_str_cut(none, '=', &head);
    assert_true(!rest.p && head.n == 0);
}

static void signed_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t want;
        bool good;
    } cases[] = {
        { "0", 0, true },
        { "-0", 0, true },
        { "007", 7, true },
        { "9223372036854775807", INT64_MAX, true },
        { "-9223372036854775808", INT64_MIN, true },
        { "9223372036854775808", 0, false },
        { "-9223372036854775809", 0, false },
        { "99999999999999999999", 0, false },
        { "", 0, false },
        { "-", 0, false },
        { "+1", 0, false },
        { " 1", 0, false },
        { "1 ", 0, false },
        { "1.0", 0, false },
        { "0x1", 0, false },
    };
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        int64_t v = 42;
        assert_int_equal(ty_str_parse_i64(ty_str(cases[i].text), &v), cases[i].good);
        assert_int_equal(v, cases[i].good ? cases[i].want : 42);
    }
}

static void unsigned_numbers(void **state)
{
    (void)state;
    uint64_t v = 42;
    assert_false(ty_str_parse_u64(TY_LIT("18446744073709551616"), &v));
    assert_false(ty_str_parse_u64(TY_LIT("-1"), &v));
    assert_int_equal(v, 42);
    assert_true(ty_str_parse_u64(TY_LIT("18446744073709551615"), &v));
    assert_true(v == UINT64_MAX);
}

static void nearest(void **state)
{
    (void)state;
    static const char *const names[] = { "numNodes", "numProcPerNode", "image",
                                         "command",  "args",           "initializer",
                                         "env",      "runtimeRef",     "runtimePatches" };
    static const struct {
        const char *typed, *want;
    } cases[] = {
        { "numnodes", "numNodes" },
        { "NUMNODES", "numNodes" },
        { "numNode", "numNodes" },
        { "numProcsPerNode", "numProcPerNode" },
        { "imgae", "image" }, /* a swap is one mistake */
        { "imags", "image" },
        { "cmomand", "command" },
        { "arg", "args" },
        { "evn", "env" },
        { "initialiser", "initializer" },
        { "runtimeRefs", "runtimeRef" },
        { "runtime-patches", "runtimePatches" },
        { "image", "image" },
        { "x", NULL },
        { "", NULL },
        { "tolerations", NULL },
        { "nodes", NULL },
    };
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        const char *got = ty_str_nearest(ty_str(cases[i].typed), names, TY_COUNT(names));
        assert_string_equal(got ? got : "none", cases[i].want ? cases[i].want : "none");
    }
    char wide[200];
    memset(wide, 'n', sizeof(wide));
    assert_null(ty_str_nearest((struct ty_str){ wide, sizeof(wide) }, names, 3));
    assert_null(ty_str_nearest(TY_LIT("a"), NULL, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compares),
        cmocka_unit_test(parts),
        cmocka_unit_test(cuts),
        cmocka_unit_test(signed_numbers),
        cmocka_unit_test(unsigned_numbers),
        cmocka_unit_test(nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
