#include "engine/job/job_testing.h"

static void said(struct ty_arena *a, const char *spec, const char *want)
{
    struct ty_json *job =
        parse(a, "{'spec':{'completionMode':'Indexed','completions':10,'template':"
                 "{'spec':{'restartPolicy':'Never','containers':[{'name':'c'}],"
                 "'initContainers':[{'name':'i'}]}}}}");
    struct ty_errs errs = { .arena = a };
    const char *got;

    ty_json_set(a, job, "spec", ty_patch_merge(a, ty_json_get(job, "spec"), parse(a, spec)));
    ty_job_validate(a, job, NULL, &errs);
    got = errs.n ? ty_errs_text(a, &errs) : "";
    if (strcmp(got, want) != 0)
        fail_msg("%s\n got    %s\n wanted %s", spec, got, want);
}

static void failure_rule(const char *rule, const char *want)
{
    ty_auto_arena *a = ty_arena_new(CEILING);
    said(a, ty_arena_printf(a, "{'podFailurePolicy':{'rules':[%s]}}", rule), want);
}

#define AT "spec.podFailurePolicy.rules[0]"
static void test_failure_rules(void **state)
{
    (void)state;
    failure_rule("{'action':'FailJob','onExitCodes':{'operator':'In','values':[1,2,3]}}", "");
    failure_rule("{'action':'Ignore','onPodConditions':[{'type':'DisruptionTarget'}]}", "");
    failure_rule("{'action':'Count','onExitCodes':{'containerName':'i','operator':'NotIn','values':"
                 "[0,5]}}",
                 "");
    failure_rule("{'action':'Count'}", AT
                 ": Invalid value: specifying one of OnExitCodes and OnPodConditions is required");
    failure_rule("{'action':'Count','onExitCodes':{'operator':'In','values':[1]},'onPodConditions':"
                 "[{'type':'A','status':'True'}]}",
                 AT ": Invalid value: specifying both OnExitCodes and OnPodConditions is not "
                    "supported");
    failure_rule("{'action':'FailIndex','onExitCodes':{'operator':'In','values':[1]}}", AT
                 ".action: Invalid value: \"FailIndex\": requires the backoffLimitPerIndex to be "
                 "set");
    failure_rule("{'action':'Sing','onExitCodes':{'operator':'In','values':[1]}}",
                 AT ".action: Unsupported value: \"Sing\": supported values: \"Count\", "
                    "\"FailIndex\", \"FailJob\", \"Ignore\"");
    failure_rule("{'onExitCodes':{'operator':'In','values':[1]}}",
                 AT ".action: Required value: valid values: [\"Count\" \"FailIndex\" \"FailJob\" "
                    "\"Ignore\"]");
    failure_rule("{'action':'Count','onPodConditions':[{'type':'a b'}]}",
                 AT ".onPodConditions[0].type: Invalid value: \"a b\": name part must consist of "
                    "alphanumeric characters, '-', '_' or '.', and must start and end with an "
                    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex "
                    "used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')");
    failure_rule("{'action':'Count','onPodConditions':[{'type':'A','status':'Maybe'}]}",
                 AT ".onPodConditions[0].status: Unsupported value: \"Maybe\": supported values: "
                    "\"False\", \"True\", \"Unknown\"");
}

#define CODES(c) "{'action':'Count','onExitCodes':{" c "}}"
static void test_exit_codes(void **state)
{
    (void)state;
    failure_rule(CODES("'values':[1]"),
                 AT ".onExitCodes.operator: Required value: valid values: [\"In\" \"NotIn\"]");
    failure_rule(CODES("'operator':'In','values':[0,1]"),
                 AT ".onExitCodes.values[0]: Invalid value: 0: must not be 0 for the In operator");
    failure_rule(CODES("'operator':'In','values':[2,1]"),
                 AT ".onExitCodes.values: Invalid value: [2,1]: must be ordered");
    failure_rule(CODES("'operator':'In','values':[1,1]"),
                 AT ".onExitCodes.values[1]: Duplicate value: 1");
    failure_rule(CODES("'operator':'In','values':[]"),
                 AT ".onExitCodes.values: Invalid value: []: at least one value is required");
    failure_rule(CODES("'operator':'In','values':[1],'containerName':'x'"), AT
                 ".onExitCodes.containerName: Invalid value: \"x\": must be one of the container "
                 "or initContainer names in the pod template");
}

/* A list of `n` times `item`. */
static char *many(struct ty_arena *a, const char *item, int n)
{
    ty_auto_buf b = { 0 };

    for (int i = 0; i < n; i++)
        ty_buf_printf(&b, "%s%s", i ? "," : "", item);
    return ty_arena_cstr(a, ty_buf_str(&b));
}

static void test_too_many(void **state)
{
    static const char rule[] = "{'action':'Count','onPodConditions':[{'type':'A'}]}";
    ty_auto_arena *a = ty_arena_new(CEILING);

    (void)state;
    failure_rule(many(a, rule, 20), "");
    failure_rule(many(a, rule, 21),
                 "spec.podFailurePolicy.rules: Too many: 21: must have at most 20 items");
    failure_rule(ty_arena_printf(a, "{'action':'Count','onPodConditions':[%s]}",
                                 many(a, "{'type':'A'}", 21)),
                 AT ".onPodConditions: Too many: 21: must have at most 20 items");
    failure_rule(ty_arena_printf(a,
                                 "{'action':'Count','onExitCodes':{'operator':'In','values':[%s]}}",
                                 many(a, "1", 2000)),
                 AT ".onExitCodes.values: Too many: 2000: must have at most 255 items");
}

static void success_rule(const char *rules, const char *want)
{
    ty_auto_arena *a = ty_arena_new(CEILING);
    said(a, ty_arena_printf(a, "{'successPolicy':{'rules':[%s]}}", rules), want);
}

#undef AT
#define AT "spec.successPolicy.rules[0]"
static void test_success_rules(void **state)
{
    (void)state;
    success_rule("{'succeededIndexes':'0-2,5','succeededCount':4}", "");
    success_rule("", "spec.successPolicy.rules: Required value: at least one rules must be "
                     "specified when the successPolicy is specified");
    success_rule("{}", AT ": Required value: at least one of succeededCount or succeededIndexes "
                          "must be specified");
    success_rule("{'succeededCount':11}", AT ".succeededCount: Invalid value: 11: must be less "
                                             "than or equal to 10 (the number of specified "
                                             "completions)");
    success_rule("{'succeededIndexes':'0-2','succeededCount':4}", AT
                 ".succeededCount: Invalid value: 4: must be less than or equal to 3 (the number "
                 "of indexes in the specified succeededIndexes field)");
    success_rule("{'succeededCount':-1}",
                 AT ".succeededCount: Invalid value: -1: must be greater than or equal to 0");
}

static void bad_indexes(const char *text, const char *want)
{
    ty_auto_arena *a = ty_arena_new(CEILING);
    success_rule(ty_arena_printf(a, "{'succeededIndexes':'%s'}", text),
                 ty_arena_printf(a,
                                 AT ".succeededIndexes: Invalid value: \"%s\": error parsing "
                                    "succeededIndexes: %s",
                                 text, want));
}

static void test_bad_indexes(void **state)
{
    (void)state;
    bad_indexes("1-2-3", "the fragment \"1-2-3\" violates the requirement that an index interval "
                         "can have at most two parts separated by '-'");
    bad_indexes("x", "cannot convert string to integer for index: \"x\"");
    bad_indexes("1,", "cannot convert string to integer for index: \"\"");
    bad_indexes("1-y", "cannot convert string to integer for index: \"y\"");
    bad_indexes("10", "too large index: \"10\"");
    bad_indexes("3-10", "too large index: \"10\"");
    bad_indexes("5-4", "non-increasing order, previous: 5, current: 4");
    bad_indexes("3,2", "non-increasing order, previous: 3, current: 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failure_rules), cmocka_unit_test(test_exit_codes),
        cmocka_unit_test(test_too_many),      cmocka_unit_test(test_success_rules),
        cmocka_unit_test(test_bad_indexes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
