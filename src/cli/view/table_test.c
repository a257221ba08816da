#include "cli/testing.h"
#include "cli/view/table.h"

static void test_columns(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_table t = { .arena = a };
    ty_auto_buf out = { 0 };

    (void)state;
    assert_int_equal(ty_table_rows(&t), 0);
    ty_table_row(&t, "NAME", "STATE", "X");
    ty_table_row(&t, "a-long-name", "Running", "1");
    ty_table_row(&t, "ü", "a\tb\033c");
    ty_table_print(&t, &out);
    ty_buf_chr(&out, 0);
    assert_string_equal(out.p, "NAME          STATE     X\n"
                               "a-long-name   Running   1\n"
                               "ü             a b c     \n");
    assert_int_equal(ty_table_rows(&t), 2);
}

static void test_many_rows(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_table t = { .arena = a, .indent = "  " };
    ty_auto_buf out = { 0 };

    (void)state;
    for (int i = 0; i < 1000; i++)
        ty_table_row(&t, "a", "b", "c", "d", "e");
    ty_table_print(&t, &out);
    assert_int_equal(ty_table_rows(&t), 999);
    assert_int_equal(out.n, 1000 * strlen("  a   b   c   d   e\n"));
}

static void test_ages(void **state)
{
    static const struct {
        int64_t s;
        const char *want;
    } cases[] = {
        { -5, "0s" },         { 0, "0s" },         { 119, "119s" },      { 120, "2m" },
        { 312, "5m12s" },     { 600, "10m" },      { 10799, "179m" },    { 10800, "3h" },
        { 11100, "3h5m" },    { 28800, "8h" },     { 172799, "47h" },    { 172800, "2d" },
        { 176400, "2d1h" },   { 691200, "8d" },    { 62985600, "729d" }, { 63072000, "2y" },
        { 63158400, "2y1d" }, { 252288000, "8y" }, { 252374400, "8y" },
    };
    ty_auto_arena *a = ty_arena_new(1 << 20);

    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++)
        assert_string_equal(ty_table_age(a, cases[i].s), cases[i].want);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_columns),
                                        cmocka_unit_test(test_many_rows),
                                        cmocka_unit_test(test_ages) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
