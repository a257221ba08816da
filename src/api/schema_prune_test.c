#include "api/schema_testing.h"

static void expect(const struct ty_schema *s, const char *in, const char *want, const char *told)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_errs errs = { .arena = a };
    struct ty_json *v = parse(a, in), *quiet = parse(a, in);

    ty_schema_prune(a, s, v, NULL, &errs);
    assert_string_equal(json_show(a, v), want);
    assert_string_equal(lines(a, &errs), told);
    ty_schema_prune(a, s, quiet, NULL, NULL);
    assert_true(ty_json_eq(v, quiet));
}

static void removes_and_tells(void **state TY_UNUSED)
{
    expect(&ty_schema_TrainJob,
           "{'apiVersion':'x','kind':'TrainJob','metadata':{'name':'j'},"
           "'spec':{'numNodes':2,'trainer':{'nmuNodes':3,'env':[{'name':'A','values':'x'}]}}}",
           "{'apiVersion':'x','kind':'TrainJob','metadata':{'name':'j'},"
           "'spec':{'trainer':{'env':[{'name':'A'}]}}}",
           "unknown field \"spec.numNodes\" | did you mean spec.trainer.numNodes?\n"
           "unknown field \"spec.trainer.nmuNodes\" | did you mean spec.trainer.numNodes?\n"
           "unknown field \"spec.trainer.env[0].values\" | did you mean "
           "spec.trainer.env[0].value?\n");
}

static void keeps_maps_and_what_is_not_described(void **state TY_UNUSED)
{
    expect(&ty_schema_PodSpec, "{'nodeSelector':{'a':'b'},'containers':'odd','volumes':[5]}",
           "{'nodeSelector':{'a':'b'},'containers':'odd','volumes':[5]}", "");
}

static void points_to_the_node(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_errs errs = { .arena = a };
    struct ty_json *v = parse(a, "{'spec':{\n\n'bogusname':\n 5}}");

    ty_schema_prune(a, &ty_schema_TrainJob, v, NULL, &errs);
    assert_int_equal(errs.n, 1);
    assert_int_equal(errs.first->at->line, 4);
    assert_null(errs.first->hint);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(removes_and_tells),
        cmocka_unit_test(keeps_maps_and_what_is_not_described),
        cmocka_unit_test(points_to_the_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
