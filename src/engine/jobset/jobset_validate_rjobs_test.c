#include "engine/jobset/jobset_testing.h"

static const char *repeated(struct ty_arena *a, char c, size_t n)
{
    char *s = ty_arena_alloc(a, n + 1, 1);

    memset(s, c, n);
    return s;
}

static struct ty_json *named(struct ty_arena *a, const char *name, const char *job, int replicas)
{
    struct ty_json *js = empty_set(a);

    ty_json_set(a, ty_json_get(js, "metadata"), "name", ty_json_cstr(a, name));
    add_rjob(a, js, job, replicas);
    return js;
}

static void case_008_replicas(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);

    assert_has(admit(a, named(a, "js", "rj", -1)),
               "spec.replicatedJobs[0].replicas: Invalid value: -1: "
               "spec.replicatedJobs[0].replicas in body should be greater than or equal to 0\n");
    assert_string_equal(admit(a, named(a, "js", "rj", 0)), "");
    assert_string_equal(admit(a, empty_set(a)), "");
}

static void case_009_job_names(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    const char *name = repeated(a, 'a', 62);

    assert_string_equal(
        admit(a, named(a, name, "rj", 101)),
        ty_arena_printf(a,
                        "spec.replicatedJobs[0].name: Invalid value: \"%s-rj-100\": JobSet name is "
                        "too long, job names generated for this JobSet will exceed 63 "
                        "characters\n",
                        name));
    assert_string_equal(admit(a, named(a, repeated(a, 'a', 50), "rj", 101)), "");
}

static void case_010_pod_names(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    const char *name = repeated(a, 'a', 56);
    struct ty_json *js = named(a, name, "rj", 1);

    assert_string_equal(admit(a, js), ""); /* completions are not known yet */
    patch_rj(a, js, 0, "{'template':{'spec':{'completions':1}}}");
    assert_string_equal(
        admit(a, js),
        ty_arena_printf(a,
                        "spec.replicatedJobs[0].name: Invalid value: \"%s-rj-0\": JobSet name is "
                        "too long, pod names generated for this JobSet will exceed 63 "
                        "characters\n",
                        name));
    patch_rj(a, js, 0, "{'template':{'spec':{'completionMode':'NonIndexed'}}}");
    assert_string_equal(admit(a, js), "");
}

static void case_011_name_shape(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);

    assert_string_equal(
        admit(a, named(a, "js", "username.llama65b", 1)),
        "spec.replicatedJobs[0].name: Invalid value: \"js-username.llama65b-0\": a DNS-1035 label "
        "must consist of lower case alphanumeric characters or '-', start with an alphabetic "
        "character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex "
        "used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')\n");
}

static void generated_names_are_measured(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *js = named(a, "", "rj", 1);

    ty_json_set(a, ty_json_get(js, "metadata"), "generateName",
                ty_json_strf(a, "%s-", repeated(a, 'a', 70)));
    assert_has(admit(a, js), "aaaaabcde-rj-0\": JobSet name is too long, job names");
    ty_json_set(a, ty_json_get(js, "metadata"), "generateName", ty_json_cstr(a, "short-"));
    assert_string_equal(admit(a, js), "");
}

static void case_012_group_name(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *js = named(a, "js", "rj", 1);

    ty_json_set(a, rjob_at(js, 0), "groupName", ty_json_cstr(a, repeated(a, 'g', 64)));
    assert_has(admit(a, js), ": .spec.replicatedJob[].groupName is too long, must be less than "
                             "63 characters\n");
    ty_json_set(a, rjob_at(js, 0), "groupName", ty_json_cstr(a, "Group"));
    assert_has(admit(a, js), "spec.replicatedJobs[0].groupName: Invalid value: \"Group\": a "
                             "DNS-1035 label must consist");
}

static void case_013_product_of_replicas_and_parallelism(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *js = named(a, "js", "rj", 2);

    patch_rj(a, js, 0,
             "{'template':{'spec':{'completionMode':'NonIndexed','parallelism':1073741824}}}");
    assert_string_equal(admit(a, js),
                        "<nil>: Internal error: the product of replicas and parallelism must not "
                        "exceed 2147483647 for replicatedJob 'rj'\n");
    ty_json_set(a, rjob_at(js, 0), "replicas", ty_json_int(a, 1));
    patch_rj(a, js, 0, "{'template':{'spec':{'parallelism':2147483647}}}");
    assert_string_equal(admit(a, js), "");
}

static struct ty_json *chain(struct ty_arena *a)
{
    struct ty_json *js = empty_set(a);

    add_rjob(a, js, "job-1", 1);
    add_rjob(a, js, "job-2", 1);
    add_rjob(a, js, "job-3", 1);
    return js;
}

static void case_017_depends_on(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *js = chain(a);

    patch_rj(a, js, 1, "{'dependsOn':[{'name':'job-3','status':'Ready'}]}");
    assert_string_equal(admit(a, js), "<nil>: Internal error: replicatedJob: job-2 cannot "
                                      "depend on replicatedJob: job-3\n");
    js = chain(a);
    patch_rj(a, js, 2,
             "{'dependsOn':[{'name':'job-1','status':'Ready'},{'name':'job-2',"
             "'status':'Complete'}]}");
    assert_string_equal(admit(a, js), "");
    js = chain(a);
    patch_rj(a, js, 0, "{'dependsOn':[]}");
    assert_string_equal(admit(a, js), "<nil>: Internal error: DependsOn can't be set for the "
                                      "first ReplicatedJob\n");
}

static void a_job_cannot_wait_for_itself(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *js = chain(a);

    patch_rj(a, js, 1, "{'dependsOn':[{'name':'job-2','status':'Ready'}]}");
    assert_string_equal(admit(a, js),
                        "spec.replicatedJobs[1].dependsOn[0].name: Invalid value: \"job-2\": "
                        "replicatedJob depends on itself and would never start\n");
}

static void case_018_startup_policy_or_depends_on(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *js =
        merged(a, chain(a), "{'spec':{'startupPolicy':{'startupPolicyOrder':'InOrder'}}}");

    patch_rj(a, js, 1, "{'dependsOn':[{'name':'job-1','status':'Ready'}]}");
    assert_has(admit(a, js), "StartupPolicy and DependsOn APIs are mutually exclusive\n");
    js = merged(a, js, "{'spec':{'startupPolicy':{'startupPolicyOrder':'AnyOrder'}}}");
    assert_string_equal(admit(a, js), "");
    patch_rj(a, js, 1, "{'dependsOn':[{'name':'job-1','status':'Running'}]}");
    assert_has(admit(a, js),
               "spec.replicatedJobs[1].dependsOn[0].status: Unsupported value: \"Running\": "
               "supported values: \"Ready\", \"Complete\"\n");
}

static void case_023_058_in_place_restart(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *js = merged(a, named(a, "js", "rj", 1),
                                "{'spec':{'failurePolicy':{'restartStrategy':'InPlaceRestart'}}}");

    assert_string_equal(admit(a, js),
                        "<nil>: Internal error: InPlaceRestart restart strategy cannot be set when "
                        "InPlaceRestart feature gate is disabled\n");
}

static void job_templates_are_checked_at_once(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *js = chain(a);

    patch_rj(a, js, 1, "{'template':{'spec':{'parallelism':2}}}");
    assert_string_equal(admit(a, js),
                        "spec.replicatedJobs[1].template.spec.completions: Required value: when "
                        "completion mode is Indexed\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_008_replicas),
        cmocka_unit_test(case_009_job_names),
        cmocka_unit_test(case_010_pod_names),
        cmocka_unit_test(case_011_name_shape),
        cmocka_unit_test(generated_names_are_measured),
        cmocka_unit_test(case_012_group_name),
        cmocka_unit_test(case_013_product_of_replicas_and_parallelism),
        cmocka_unit_test(case_017_depends_on),
        cmocka_unit_test(a_job_cannot_wait_for_itself),
        cmocka_unit_test(case_018_startup_policy_or_depends_on),
        cmocka_unit_test(case_023_058_in_place_restart),
        cmocka_unit_test(job_templates_are_checked_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
