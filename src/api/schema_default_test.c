#include "api/schema_testing.h"

static const struct ty_schema text = { .type = TY_T_STRING };
static const struct ty_schema number = { .type = TY_T_INTEGER };
static const struct ty_schema flag = { .type = TY_T_BOOLEAN };
static const struct ty_schema maybe = { .type = TY_T_STRING, .nullable = true };
static const struct ty_schema any = { .type = TY_T_ANY };
static const struct ty_field inner_fields[] = {
    { .name = "port", .schema = &number },
    { .name = "protocol", .schema = &text, .def = "\"TCP\"" },
    { .name = NULL },
};
static const struct ty_schema inner = { .type = TY_T_OBJECT, .fields = inner_fields };
static const struct ty_schema list = { .type = TY_T_ARRAY, .items = &inner };
static const struct ty_schema map = { .type = TY_T_MAP, .items = &inner };
static const struct ty_schema words = { .type = TY_T_MAP, .items = &text };
static const struct ty_field fields[] = {
    { .name = "n", .schema = &number, .def = "-60" },
    { .name = "on", .schema = &flag, .def = "true" },
    { .name = "quoted", .schema = &text, .def = "\"a\\\"b\"" },
    { .name = "object", .schema = &inner, .def = "{\"port\": 1}" },
    { .name = "list", .schema = &list },
    { .name = "map", .schema = &map },
    { .name = "words", .schema = &words },
    { .name = "maybe", .schema = &maybe, .def = "\"x\"" },
    { .name = "any", .schema = &any },
    { .name = "text", .schema = &text },
    { .name = NULL },
};
static const struct ty_schema root = { .type = TY_T_OBJECT, .fields = fields };

static void expect(const char *in, const char *want)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_json *v = parse(a, in);

    ty_schema_default(a, &root, v);
    assert_string_equal(json_show(a, v), want);
    ty_schema_default(a, &root, v); /* nothing more to do */
    assert_string_equal(json_show(a, v), want);
}

static void fills_what_is_absent(void **state TY_UNUSED)
{
    expect("{}", "{'n':-60,'on':true,'quoted':'a\\'b','object':{'port':1,'protocol':'TCP'},"
                 "'maybe':'x'}");
}

static void keeps_what_is_there(void **state TY_UNUSED)
{
    expect("{'n':0,'on':false,'quoted':'','object':{'protocol':''},'maybe':'','unknown':null}",
           "{'n':0,'on':false,'quoted':'','object':{'protocol':''},'maybe':'','unknown':null}");
}

#define GIVEN "'n':1,'on':true,'quoted':'','object':{'protocol':'x'}"

static void reaches_into_lists_and_maps(void **state TY_UNUSED)
{
    expect("{" GIVEN ",'maybe':'','list':[{},{'protocol':'UDP'},'odd'],'map':{'k':{}}}",
           "{" GIVEN ",'maybe':'','list':[{'protocol':'TCP'},{'protocol':'UDP'},'odd'],"
           "'map':{'k':{'protocol':'TCP'}}}");
    /* Not the type the table wants: the check will say so, nothing is touched. */
    expect("{" GIVEN ",'maybe':'','list':{},'map':[{}]}",
           "{" GIVEN ",'maybe':'','list':{},'map':[{}]}");
}

static void nulls_become_defaults_or_vanish(void **state TY_UNUSED)
{
    expect("{'n':null,'on':null,'quoted':'','object':{'port':null,'protocol':null},'maybe':null,"
           "'text':null,'any':null,'words':{'a':null,'b':'c'},'list':[null]}",
           "{'n':-60,'on':true,'quoted':'','object':{'protocol':'TCP'},'maybe':null,"
           "'any':null,'words':{'b':'c'},'list':[null]}");
}

static void knows_the_real_tables(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_json *v = parse(a, "{'spec':{'runtimeRef':{'name':'r'}}}");

    ty_schema_default(a, &ty_schema_TrainJob, v);
    assert_string_equal(json_show(a, v),
                        "{'spec':{'runtimeRef':{'name':'r','apiGroup':'trainer.kubeflow.org',"
                        "'kind':'ClusterTrainingRuntime'},'suspend':false,"
                        "'managedBy':'trainer.kubeflow.org/trainjob-controller'}}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_what_is_absent),
        cmocka_unit_test(keeps_what_is_there),
        cmocka_unit_test(reaches_into_lists_and_maps),
        cmocka_unit_test(nulls_become_defaults_or_vanish),
        cmocka_unit_test(knows_the_real_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
