#include "engine/jobset/jobset_restarts.h"

#include "engine/jobset/jobset_testing.h"

/* "restartPolicy/backoffLimit" of the i-th replicated Job after the JobSet's and the Job's
 * defaults, as they are stored. */
static const char *policy(struct ty_arena *a, const struct ty_json *js, size_t i)
{
    const struct ty_json *job = ty_json_at(rjob_at(js, i), "template.spec");
    int64_t limit = -1;

    ty_json_int_at(job, "backoffLimit", &limit);
    return ty_arena_printf(a, "%.*s/%lld",
                           TY_ARG(ty_json_str_at(job, "template.spec.restartPolicy")),
                           (long long)limit);
}

static void restarts_are(const char *set, const char *job, enum ty_restarts how, const char *want)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *js = merged(a, set_t(a), set);

    patch_rj(a, js, 0, ty_arena_printf(a, "{'template':{'spec':%s}}", job));
    ty_jobset_restarts(a, js, how);
    assert_string_equal(admit(a, js), "");
    assert_string_equal(policy(a, js, 0), want);
}

static void test_silence_means_no_restart(void **state TY_UNUSED)
{
    restarts_are("{}", "{}", TY_RESTARTS_AS_WRITTEN, "Never/0");
    restarts_are("{}", "{'backoffLimit':null}", TY_RESTARTS_AS_WRITTEN, "Never/0");
    restarts_are("{}", "{}", TY_RESTARTS_AS_CLUSTER, "OnFailure/-1");
}

static void test_what_is_written_is_obeyed(void **state TY_UNUSED)
{
    restarts_are("{}", "{'backoffLimit':2}", TY_RESTARTS_AS_WRITTEN, "OnFailure/2");
    restarts_are("{}", "{'template':{'spec':{'restartPolicy':'OnFailure'}}}",
                 TY_RESTARTS_AS_WRITTEN, "OnFailure/-1");
    restarts_are("{}", "{'backoffLimitPerIndex':1,'template':{'spec':{'restartPolicy':'Never'}}}",
                 TY_RESTARTS_AS_WRITTEN, "Never/-1");
    restarts_are("{'spec':{'failurePolicy':{'maxRestarts':3}}}", "{}", TY_RESTARTS_AS_WRITTEN,
                 "OnFailure/-1");
}

/* One Job that says something does not speak for the others. */
static void test_each_job_for_itself(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *js = set_t(a);

    patch_rj(a, js, 1, "{'template':{'spec':{'backoffLimit':4}}}");
    ty_jobset_restarts(a, js, TY_RESTARTS_AS_WRITTEN);
    ty_jobset_default(a, js);
    assert_string_equal(policy(a, js, 0), "Never/0");
    assert_string_equal(policy(a, js, 1), "OnFailure/4");
}

static void test_never_ignores_what_is_written(void **state TY_UNUSED)
{
    restarts_are("{}",
                 "{'backoffLimitPerIndex':1,'maxFailedIndexes':2,'podFailurePolicy':{'rules':[{"
                 "'action':'Ignore','onExitCodes':{'operator':'In','values':[3]}}]},"
                 "'template':{'spec':{'restartPolicy':'Never'}}}",
                 TY_RESTARTS_NEVER, "Never/0");
    restarts_are("{}", "{'backoffLimit':9}", TY_RESTARTS_NEVER, "Never/0");

    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *js = merged(a, set_t(a), "{'spec':{'failurePolicy':{'maxRestarts':3}}}");
    patch_rj(a, js, 0,
             "{'template':{'spec':{'podFailurePolicy':{'rules':[]},'template':{'spec':{"
             "'initContainers':[{'name':'s','restartPolicy':'Always'}],"
             "'containers':[{'name':'c','restartPolicy':'Always','restartPolicyRules':[]}]}}}}}");
    ty_jobset_restarts(a, js, TY_RESTARTS_NEVER);
    assert_null(ty_json_at(js, "spec.failurePolicy"));
    assert_null(ty_json_at(rjob_at(js, 0), "template.spec.podFailurePolicy"));
    assert_string_equal(json_show(a, ty_json_at(rjob_at(js, 0), "template.spec.template.spec")),
                        "{'containers':[{'name':'c'}],'initContainers':[{'name':'s',"
                        "'restartPolicy':'Always'}],'restartPolicy':'Never'}");
}

/* The schema reports them; until then nothing may depend on their types. */
static void test_wrong_types_stay(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    static const char *const specs[] = {
        "{'spec':7}",
        "{'spec':{'replicatedJobs':7}}",
        "{'spec':{'replicatedJobs':[7,{'template':7},{'template':{'spec':7}}]}}",
        "{'spec':{'replicatedJobs':[{'template':{'spec':{'template':7}}}]}}",
        "{'spec':{'replicatedJobs':[{'template':{'spec':{'template':{'spec':7}}}}]}}",
    };

    for (size_t i = 0; i < TY_COUNT(specs); i++) {
        struct ty_json *js = parse(a, specs[i]);
        const char *before = json_show(a, js);
        ty_jobset_restarts(a, js, TY_RESTARTS_NEVER);
        assert_string_equal(json_show(a, js), before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_silence_means_no_restart),
        cmocka_unit_test(test_what_is_written_is_obeyed),
        cmocka_unit_test(test_each_job_for_itself),
        cmocka_unit_test(test_never_ignores_what_is_written),
        cmocka_unit_test(test_wrong_types_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
