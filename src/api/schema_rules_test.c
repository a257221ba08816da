#include "api/schema_testing.h"

static bool unchanged(const struct ty_json *self, const struct ty_json *old)
{
    return ty_json_eq(self, old);
}

static bool not_bad(const struct ty_json *self, const struct ty_json *old)
{
    assert_null(old); /* only transition rules may see it */
    return !ty_str_is(ty_json_as_str(self), "bad");
}

static const struct ty_rule text_rules[] = {
    { .cel = "self != 'bad'", .message = "must not be bad", .ok = not_bad },
    { .cel = "self == oldSelf", .message = "immutable", .transition = true, .ok = unchanged },
    { .cel = NULL },
};
static const struct ty_rule object_rules[] = {
    { .cel = "self == oldSelf", .message = "fixed", .transition = true, .ok = unchanged },
    { .cel = NULL },
};
static const struct ty_schema text = { .type = TY_T_STRING, .rules = text_rules };
static const struct ty_schema map = { .type = TY_T_MAP, .items = &text };
static const struct ty_schema list = { .type = TY_T_ARRAY, .items = &text };
static const struct ty_schema name = { .type = TY_T_STRING };
static const struct ty_field item_fields[] = { { .name = "name", .schema = &name },
                                               { .name = "v", .schema = &text },
                                               { .name = NULL } };
static const struct ty_schema item = { .type = TY_T_OBJECT, .fields = item_fields };
static const struct ty_schema by_name = { .type = TY_T_ARRAY,
                                          .items = &item,
                                          .list_keys = (const char *const[]){ "name", NULL } };
static const struct ty_schema fixed = { .type = TY_T_OBJECT,
                                        .fields = item_fields,
                                        .rules = object_rules };
static const struct ty_field root_fields[] = {
    { .name = "text", .schema = &text },   { .name = "map", .schema = &map },
    { .name = "list", .schema = &list },   { .name = "by", .schema = &by_name },
    { .name = "fixed", .schema = &fixed }, { .name = NULL },
};
static const struct ty_schema root = { .type = TY_T_OBJECT, .fields = root_fields };

static void runs_the_right_rules(void **state TY_UNUSED)
{
    static const struct {
        const char *old, *new, *want;
    } cases[] = {
        { NULL, "{'text':'bad'}", "text: Invalid value: \"bad\": must not be bad\n" },
        { NULL, "{'text':'good','map':{},'list':[],'fixed':{}}", "" },
        { NULL, "{'map':{'a.b/c':'bad'}}",
          "map[a.b/c]: Invalid value: \"bad\": must not be bad\n" },
        { NULL, "{'list':['x','bad']}", "list[1]: Invalid value: \"bad\": must not be bad\n" },
        { "{}", "{'text':'x'}", "" },            /* added: nothing to compare with */
        { "{'text':'x'}", "{}", "" },            /* removed */
        { "{'text':null}", "{'text':'x'}", "" }, /* null is nothing */
        { "{'text':'x'}", "{'text':'y'}", "text: Invalid value: \"y\": immutable\n" },
        { "{'text':'x'}", "{'text':'bad'}",
          "text: Invalid value: \"bad\": must not be bad\ntext: Invalid value: \"bad\": "
          "immutable\n" },
        { "{'fixed':{'v':'x'}}", "{'fixed':{}}", "fixed: Invalid value: fixed\n" },
        { "{'list':['x']}", "{'list':['y']}", "" }, /* items of such lists have no past */
        { "{'by':[{'name':'a','v':'x'},{'name':'b','v':'y'}]}",
          "{'by':[{'name':'b','v':'z'},{'name':'a','v':'x'}]}",
          "by[0].v: Invalid value: \"z\": immutable\n" },
        { "{'map':{'k':'x'}}", "{'map':{'k':'y'}}", "map[k]: Invalid value: \"y\": immutable\n" },
        { "{'text':'bad','list':['bad']}", "{'text':'bad','list':['bad'],'map':{}}", "" },
        { "{'list':['bad']}", "{'list':['bad','x']}",
          "list[0]: Invalid value: \"bad\": must not be bad\n" },
    };

    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        ty_auto_arena *a = ty_arena_new(1 << 20);
        struct ty_errs errs = { .arena = a };
        ty_schema_check_rules(&errs, &root, parse(a, cases[i].new),
                              cases[i].old ? parse(a, cases[i].old) : NULL, NULL);
        assert_string_equal(lines(a, &errs), cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(runs_the_right_rules) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
