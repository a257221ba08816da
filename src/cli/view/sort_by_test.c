#include "base/testing.h"
#include "cli/view/sort_by.h"
#include "json/json_testing.h"

static void test_paths(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);

    (void)state;
    assert_string_equal(ty_sort_by_path(a, "{.metadata.name}"), "metadata.name");
    assert_string_equal(ty_sort_by_path(a, ".metadata.name"), "metadata.name");
    assert_string_equal(ty_sort_by_path(a, "metadata.name"), "metadata.name");
    assert_null(ty_sort_by_path(a, ""));
    assert_null(ty_sort_by_path(a, "{}"));
    assert_null(ty_sort_by_path(a, ".items[0]"));
}

static void test_order(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    static const char *const texts[] = { "{'n':10,'s':'b'}", "{'n':9,'s':'a'}", "{'n':9}" };
    struct ty_sort_by by_number = { .arena = a, .path = "n" },
                      by_text = { .arena = a, .path = "s" };
    struct ty_table t = { .arena = a };
    struct ty_json *objs[3];
    ty_auto_buf out = { 0 };

    (void)state;
    ty_table_row(&t, "I");
    for (size_t i = 0; i < 3; i++) {
        objs[i] = json_of(a, texts[i]);
        ty_sort_by_add(&by_number, objs[i]);
        ty_sort_by_add(&by_text, objs[i]);
        ty_table_row(&t, ty_arena_printf(a, "%zu", i));
    }
    ty_sort_by_table(&by_number, &t);
    ty_table_print(&t, &out);
    assert_int_equal(out.n, 8);
    assert_memory_equal(out.p, "I\n1\n2\n0\n", 8);
    struct ty_json *first = objs[0], *last = objs[2];
    ty_sort_by_objs(&by_text, objs);
    assert_ptr_equal(objs[0], last); /* has no such field */
    assert_ptr_equal(objs[2], first);
}

/* Missing, then numbers, then text: also where the three are mixed. */
static void test_mixed(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    static const char *const texts[] = { "{'n':3,'at':'1'}",  "{'n':'b','at':'5'}",
                                         "{'at':'0'}",        "{'n':10,'at':'3'}",
                                         "{'n':'','at':'4'}", "{'n':5,'at':'2'}" };
    struct ty_sort_by by = { .arena = a, .path = "n" };
    struct ty_json *objs[TY_COUNT(texts)];

    (void)state;
    for (size_t i = 0; i < TY_COUNT(texts); i++) {
        objs[i] = json_of(a, texts[i]);
        ty_sort_by_add(&by, objs[i]);
    }
    ty_sort_by_objs(&by, objs);
    for (size_t i = 0; i < TY_COUNT(texts); i++)
        assert_int_equal(ty_json_str_at(objs[i], "at").p[0], '0' + (int)i);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_paths), cmocka_unit_test(test_order),
                                        cmocka_unit_test(test_mixed) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
