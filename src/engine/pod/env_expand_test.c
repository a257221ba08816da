#include "engine/pod/pod_testing.h"

static const char *const env[] = { "A=A", "B=B", "C=C", "REF=$(A)", "E=", "A B=odd", NULL };

/* The table of case 104, and what surrounds it. */
static void case_104_expansion(void **state)
{
    static const char *const rows[][2] = {
        { "$(A)_$(B)_$(C)", "A_B_C" },
        { "$$(B)_$(A)", "$(B)_A" },
        { "$(REF)", "$(A)" },
        { "foo$(E)bar", "foobar" },
        { "$(NO)", "$(NO)" },
        { "$$$$$$$(A)", "$$$A" },
        { "$$$$$$(A)", "$$$(A)" },
        { "$(A)x$", "Ax$" },
        { "$(C)_$(", "C_$(" },
        { "${A}", "${A}" },
        { "foo\\$(C)bar", "foo\\Cbar" },
        { "", "" },
        { "plain", "plain" },
        { "$", "$" },
        { "$$", "$" },
        { "$A", "$A" },
        { "$(A", "$(A" },
        { "$()", "$()" },
        { "$(A B)", "odd" },
        { "$(A$(B)", "$(A$(B)" },
        { "a)b(c", "a)b(c" },
        { "$(A)$(A)", "AA" },
    };
    ty_auto_arena *a = ty_arena_new(1 << 20);

    (void)state;
    for (size_t i = 0; i < TY_COUNT(rows); i++)
        assert_string_equal(ty_env_expand(a, ty_str(rows[i][0]), env), rows[i][1]);
}

static void test_without_environment(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);

    (void)state;
    assert_string_equal(ty_env_expand(a, TY_LIT("$(A)$$"), NULL), "$(A)$");
}

static void test_every_name_needs_a_value(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    const char *text = NULL, *missing = NULL;

    (void)state;
    assert_true(ty_env_expand_strict(a, TY_LIT("x/$(A)"), env, &text, &missing));
    assert_string_equal(text, "x/A");
    assert_false(ty_env_expand_strict(a, TY_LIT("$(A)$(NO)/$(E)"), env, &text, &missing));
    assert_string_equal(missing, "NO, E");
    assert_true(ty_env_expand_strict(a, TY_LIT("$$(NO)"), env, &text, &missing));
    assert_string_equal(text, "$(NO)");
}

static void test_find(void **state)
{
    (void)state;
    assert_string_equal(ty_env_find(env, TY_LIT("REF")), "$(A)");
    assert_string_equal(ty_env_find(env, TY_LIT("E")), "");
    assert_null(ty_env_find(env, TY_LIT("RE")));
    assert_null(ty_env_find(NULL, TY_LIT("A")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_104_expansion),
        cmocka_unit_test(test_without_environment),
        cmocka_unit_test(test_every_name_needs_a_value),
        cmocka_unit_test(test_find),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
