/* Only sizes are checked; values of another type pass. */
#include "api/schema_testing.h"

static const struct ty_schema text = { .type = TY_T_STRING, .max_len = 3 };
static const struct ty_schema texts = { .type = TY_T_ARRAY, .items = &text, .max_items = 2 };
static const struct ty_schema lists = { .type = TY_T_MAP, .items = &texts };
static const struct ty_field fields[] = { { .name = "a", .schema = &lists },
                                          { .name = "b", .schema = &text },
                                          { 0 } };
static const struct ty_schema object = { .type = TY_T_OBJECT, .fields = fields };

static bool bounded(const char *json)
{
    ty_auto_arena *a = ty_arena_new(1 << 16);

    return ty_schema_bounded(&object, ty_json_parse(a, ty_str(json), NULL, NULL));
}

static void test_within(void **state TY_UNUSED)
{
    assert_true(bounded("{}"));
    assert_true(bounded("{\"a\":{\"x\":[\"123\",\"123\"]},\"b\":\"123\"}"));
    assert_true(bounded("{\"b\":\"äöü\"}")); /* characters, not bytes */
    assert_true(bounded("{\"unknown\":[1,2,3,4,5]}"));
    assert_true(bounded("{\"b\":12345,\"a\":null}")); /* the schema's validation says what it is */
}

static void test_beyond(void **state TY_UNUSED)
{
    assert_false(bounded("{\"a\":{\"x\":[\"1\",\"2\",\"3\"]}}"));
    assert_false(bounded("{\"a\":{\"x\":[\"1234\"]}}"));
    assert_false(bounded("{\"b\":\"1234\"}"));
    assert_false(bounded("{\"b\":\"äöüä\"}"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_within),
        cmocka_unit_test(test_beyond),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
