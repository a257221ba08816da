/* Every row of the table is met in tests/schema/typed.json, see schema_decode_test.c. */
#include "api/go_type.h"
#include "api/schema_testing.h"

static void has_a_name_or_not(void **state TY_UNUSED)
{
    assert_string_equal(ty_go_type_name("Toleration", "effect"), "v1.TaintEffect");
    assert_string_equal(ty_go_type_name("Capabilities", "add"), "v1.Capability");
    assert_string_equal(ty_go_type_name("Toleration", "key"), "string");
    assert_string_equal(ty_go_type_name("Taint", "effect"), "string");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_a_name_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
