#include "json/json_locate.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char text[] = "{\"metadata\":{\"name\":\"j\"},\n\"spec\":{\"runtimeRef\":{},\n"
                           "\"trainer\":{\n  \"env\":[{\"name\":\"A\"},\n  {\"name\":\"B\"}]}}}";

static void test_place_of(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_err err = { 0 };
    const struct ty_json *obj = ty_json_parse(a, ty_str(text), NULL, &err);
    assert_non_null(obj);
    assert_int_equal(ty_json_locate(obj, "spec.trainer.env[1].name")->line, 5);
    assert_int_equal(ty_json_locate(obj, "spec.trainer.env[7].name")->line, 4); /* the list */
    assert_int_equal(ty_json_locate(obj, ".spec.trainer.env[name=\"B\"].name")->line, 5);
    assert_int_equal(ty_json_locate(obj, ".spec.trainer.env[name=\"C\"].name")->line, 4);
    assert_int_equal(ty_json_locate(obj, ".spec.trainer.env[name=\"")->line, 4);
    assert_int_equal(ty_json_locate(obj, "spec.RuntimeRef")->line, 2);
    assert_ptr_equal(ty_json_locate(obj, "<nil>"), obj);
    assert_ptr_equal(ty_json_locate(obj, ""), obj);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_place_of) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
