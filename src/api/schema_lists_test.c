#include "api/schema_testing.h"

static const struct ty_schema text = { .type = TY_T_STRING };
static const struct ty_schema set = { .type = TY_T_ARRAY, .items = &text, .list_set = true };
static const struct ty_schema plain = { .type = TY_T_ARRAY, .items = &text };
static const struct ty_schema by_port = {
    .type = TY_T_ARRAY,
    .items = &ty_schema_ContainerPort,
    .list_keys = (const char *const[]){ "protocol", "containerPort", NULL },
};
static const struct ty_schema env = { .type = TY_T_ARRAY,
                                      .items = &ty_schema_EnvVar,
                                      .list_keys = (const char *const[]){ "name", NULL } };
static const struct ty_schema lists = { .type = TY_T_MAP, .items = &set };

static const char *found(struct ty_arena *a, const struct ty_schema *s, const char *json)
{
    struct ty_errs errs = { .arena = a };
    struct ty_json *v = parse(a, json);
    size_t n = ty_schema_check_duplicates(a, &errs, s, v, TY_KEY(NULL, "x"));

    assert_int_equal(n, errs.n);
    assert_int_equal(ty_schema_check_duplicates(a, NULL, s, v, NULL), n);
    return lines(a, &errs);
}

static void finds_second_appearances(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);

    assert_string_equal(found(a, &set, "['a','b','a','a','b']"),
                        "x[2]: Duplicate value: \"a\"\nx[4]: Duplicate value: \"b\"\n");
    assert_string_equal(found(a, &plain, "['a','a']"), "");
    assert_string_equal(found(a, &env, "[{'name':'A'},{'name':'B'},{'name':'A','value':'1'}]"),
                        "x[2]: Duplicate value: {\"name\":\"A\"}\n");
    assert_string_equal(found(a, &env, "[{'value':'1'},{},null]"), "x[1]: Duplicate value: {}\n");
    assert_string_equal(found(a, &by_port,
                              "[{'containerPort':80,'protocol':'TCP'},"
                              "{'containerPort':80,'protocol':'UDP'},"
                              "{'protocol':'TCP','containerPort':80,'name':'n'}]"),
                        "x[2]: Duplicate value: {\"containerPort\":80,\"protocol\":\"TCP\"}\n");
    assert_string_equal(found(a, &lists, "{'k':['a','a']}"), "x[k][1]: Duplicate value: \"a\"\n");
    assert_string_equal(
        found(a, &env, "[{'name':'A'},'A=b',5]"),
        "x[1]: Invalid value: \"A=b\": must be an object for an array of list-type map\n");
}

static void long_lists_take_no_longer(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)256 << 20);
    struct ty_json *v = ty_json_array(a);
    struct ty_errs errs = { .arena = a };

    for (int i = 0; i < 200000; i++)
        ty_json_push(a, v, ty_json_strf(a, "v%d", i));
    assert_int_equal(ty_schema_check_duplicates(a, &errs, &set, v, NULL), 0);
    ty_json_push(a, v, ty_json_cstr(a, "v77"));
    assert_int_equal(ty_schema_check_duplicates(a, &errs, &set, v, NULL), 1);
    assert_string_equal(errs.first->path, "[200000]");
}

static void matches_items_by_key(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_json *old = parse(a, "[{'name':'A'},{'name':'B'}]");

    assert_ptr_equal(ty_schema_correlate_item(&env, parse(a, "{'name':'A'}"), old, 0),
                     old->items[0]);
    assert_ptr_equal(ty_schema_correlate_item(&env, parse(a, "{'name':'A'}"), old, 7),
                     old->items[0]);
    assert_ptr_equal(ty_schema_correlate_item(&env, parse(a, "{'name':'B'}"), old, 0),
                     old->items[1]);
    assert_null(ty_schema_correlate_item(&env, parse(a, "{'name':'C'}"), old, 0));
    assert_null(ty_schema_correlate_item(&env, parse(a, "'A'"), old, 0));
    assert_null(ty_schema_correlate_item(&plain, parse(a, "'A'"), parse(a, "['A']"), 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_second_appearances),
        cmocka_unit_test(long_lists_take_no_longer),
        cmocka_unit_test(matches_items_by_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
