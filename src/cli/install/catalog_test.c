#include "cli/install/catalog.h"
#include "cli/testing.h"

/* Every built-in runtime can be parsed and has the name of its file. */
static void test_all_can_be_read(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 26);
    size_t n = 0;
    for (const struct ty_embedded *e = ty_catalog_files; e->name; e++, n++) {
        struct ty_json *obj = ty_catalog_get(a, ty_str(e->name));
        assert_non_null(obj);
        assert_true(ty_str_is(ty_json_str_at(obj, "metadata.name"), e->name));
        assert_true(ty_str_is(ty_json_str_at(obj, "kind"), "ClusterTrainingRuntime"));
    }
    assert_int_equal(n, 13);
}

static void test_unknown(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    assert_null(ty_catalog_get(a, TY_LIT("torch")));
    assert_null(ty_catalog_get(a, TY_LIT("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_can_be_read),
        cmocka_unit_test(test_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
