#include "engine/jobset/jobset_testing.h"

static struct ty_json *defaulted(struct ty_arena *a, const char *patch)
{
    struct ty_json *js = merged(a, set_t(a), patch);

    ty_jobset_default(a, js);
    return js;
}

static void is(const struct ty_json *obj, const char *path, const char *want)
{
    struct ty_str got = ty_json_str_at(obj, path);

    if (!ty_str_is(got, want))
        fail_msg("%s is \"%.*s\", not \"%s\"", path, TY_ARG(got), want);
}

static void case_001_completion_mode(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *js = set_t(a);

    patch_rj(a, js, 1, "{'template':{'spec':{'completionMode':'NonIndexed'}}}");
    ty_jobset_default(a, js);
    is(rjob_at(js, 0), "template.spec.completionMode", "Indexed");
    is(rjob_at(js, 1), "template.spec.completionMode", "NonIndexed");
    is(rjob_at(js, 0), "groupName", "default");
}

static void case_002_restart_policy(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *js = set_t(a);

    patch_rj(a, js, 1, "{'template':{'spec':{'template':{'spec':{'restartPolicy':'Never'}}}}}");
    ty_jobset_default(a, js);
    is(rjob_at(js, 0), "template.spec.template.spec.restartPolicy", "OnFailure");
    is(rjob_at(js, 1), "template.spec.template.spec.restartPolicy", "Never");
}

static void case_003_network(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *js = defaulted(a, "{}");

    assert_true(ty_json_true_at(js, "spec.network.enableDNSHostnames"));
    assert_true(ty_json_true_at(js, "spec.network.publishNotReadyAddresses"));
    assert_null(ty_json_at(js, "spec.network.subdomain")); /* read as the name, never stored */
    js = defaulted(a, "{'spec':{'network':{'enableDNSHostnames':false,"
                      "'publishNotReadyAddresses':false}}}");
    assert_string_equal(json_show(a, ty_json_at(js, "spec.network")),
                        "{'enableDNSHostnames':false,'publishNotReadyAddresses':false}");
    js = defaulted(a, "{'spec':{'network':{'enableDNSHostnames':false}}}");
    assert_string_equal(json_show(a, ty_json_at(js, "spec.network")),
                        "{'enableDNSHostnames':false,'publishNotReadyAddresses':true}");
}

static void case_004_success_and_startup_policy(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *js = defaulted(a, "{}");

    assert_string_equal(json_show(a, ty_json_at(js, "spec.successPolicy")), "{'operator':'All'}");
    assert_string_equal(json_show(a, ty_json_at(js, "spec.startupPolicy")),
                        "{'startupPolicyOrder':'AnyOrder'}");
    js = defaulted(a, "{'spec':{'successPolicy':{'operator':'Any'}}}");
    is(js, "spec.successPolicy.operator", "Any");
}

static void case_005_restart_strategy(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);

    assert_string_equal(json_show(a, ty_json_at(defaulted(a, "{'spec':{'failurePolicy':{}}}"),
                                                "spec.failurePolicy")),
                        "{'restartStrategy':'Recreate'}");
    assert_null(ty_json_at(defaulted(a, "{}"), "spec.failurePolicy"));
}

static void case_006_rule_names(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *js = defaulted(a, "{'spec':{'failurePolicy':{'rules':[{'name':'mine',"
                                      "'action':'FailJobSet'},{'action':'FailJobSet'}]}}}");
    const struct ty_json *rules = ty_json_at(js, "spec.failurePolicy.rules");

    is(ty_json_item(rules, 0), "name", "mine");
    is(ty_json_item(rules, 1), "name", "failurePolicyRule1");
}

static void case_007_retention(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *js =
        defaulted(a, "{'spec':{'volumeClaimPolicies':[{'templates':[]},{'retentionPolicy':{}},"
                     "{'retentionPolicy':{'whenDeleted':'Retain'}}]}}");
    const struct ty_json *list = ty_json_at(js, "spec.volumeClaimPolicies");

    is(ty_json_item(list, 0), "retentionPolicy.whenDeleted", "Delete");
    is(ty_json_item(list, 1), "retentionPolicy.whenDeleted", "Delete"); /* the schema's */
    is(ty_json_item(list, 2), "retentionPolicy.whenDeleted", "Retain");
}

static void leaves_wrong_types_to_the_schema(void **state TY_UNUSED)
{
    static const char *const wrong[] = {
        "{'spec':5}",
        "{'spec':{'network':'x'}}",
        "{'spec':{'replicatedJobs':{'a':1}}}",
        "{'spec':{'replicatedJobs':[null,7,{'template':'x'},{'template':{'spec':[]}},"
        "{'template':{'spec':{'template':3}}},{'template':{'spec':{'template':{'spec':''}}}}]}}",
        "{'spec':{'failurePolicy':{'rules':[1,null]}}}",
        "{'spec':{'volumeClaimPolicies':[1,'x']}}",
    };
    ty_auto_arena *a = ty_arena_new(1 << 24);

    for (size_t i = 0; i < TY_COUNT(wrong); i++) {
        struct ty_errs errs = { .arena = a };
        struct ty_json *js = defaulted(a, wrong[i]);
        ty_schema_validate(&ty_schema_JobSet, js, NULL, NULL, NULL, &errs);
        assert_true(errs.n > 0);
    }
    ty_jobset_default(a, parse(a, "[]"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_001_completion_mode),
        cmocka_unit_test(case_002_restart_policy),
        cmocka_unit_test(case_003_network),
        cmocka_unit_test(case_004_success_and_startup_policy),
        cmocka_unit_test(case_005_restart_strategy),
        cmocka_unit_test(case_006_rule_names),
        cmocka_unit_test(case_007_retention),
        cmocka_unit_test(leaves_wrong_types_to_the_schema),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
