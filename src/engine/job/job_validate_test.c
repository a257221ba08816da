#include "engine/job/job_testing.h"

/* What is said about a Job whose spec is patched with `spec`; "" nothing. */
static void complains(const char *name, const char *spec, const char *want)
{
    ty_auto_arena *a = ty_arena_new(CEILING);
    struct ty_json *job = parse(a, "{'metadata':{},'spec':{'template':{'spec':{'restartPolicy':"
                                   "'Never','containers':[{'name':'c'}]}}}}");
    struct ty_errs errs = { .arena = a };
    const char *got;

    ty_json_set(a, ty_json_get(job, "metadata"), "name", ty_json_cstr(a, name));
    ty_json_set(a, job, "spec", ty_patch_merge(a, ty_json_get(job, "spec"), parse(a, spec)));
    ty_job_validate(a, job, NULL, &errs);
    got = errs.n ? ty_errs_text(a, &errs) : "";
    if (strcmp(got, want) != 0)
        fail_msg("%s\n got    %s\n wanted %s", spec, got, want);
}

static void test_numbers(void **state)
{
    (void)state;
    complains("j", "{}", "");
    complains("j",
              "{'parallelism':0,'completions':0,'backoffLimit':0,'activeDeadlineSeconds':0,"
              "'ttlSecondsAfterFinished':0}",
              "");
    complains("j", "{'parallelism':-1}",
              "spec.parallelism: Invalid value: -1: must be greater than or equal to 0");
    complains("j",
              "{'completions':-1,'backoffLimit':-2,'activeDeadlineSeconds':-3,"
              "'ttlSecondsAfterFinished':-4}",
              "[spec.completions: Invalid value: -1: must be greater than or equal to 0, "
              "spec.activeDeadlineSeconds: Invalid value: -3: must be greater than or equal to 0, "
              "spec.backoffLimit: Invalid value: -2: must be greater than or equal to 0, "
              "spec.ttlSecondsAfterFinished: Invalid value: -4: must be greater than or equal to "
              "0]");
}

static void test_indexed(void **state)
{
    (void)state;
    complains("j", "{'completionMode':'Indexed'}",
              "spec.completions: Required value: when completion mode is Indexed");
    complains("j", "{'completionMode':'Indexed','completions':2,'parallelism':100001}",
              "spec.parallelism: Invalid value: 100001: must be less than or equal to 100000 when "
              "completion mode is Indexed");
    complains("j", "{'completionMode':'Sorted'}",
              "spec.completionMode: Unsupported value: \"Sorted\": supported values: "
              "\"NonIndexed\", \"Indexed\"");
    complains("j", "{'backoffLimitPerIndex':1}",
              "spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode");
    complains("j", "{'successPolicy':{'rules':[{'succeededCount':1}]}}",
              "spec.successPolicy: Invalid value: {\"rules\":[{\"succeededCount\":1}]}: requires "
              "indexed completion mode");
    complains(
        "j", "{'completionMode':'Indexed','completions':2,'maxFailedIndexes':3}",
        "[spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified, "
        "spec.maxFailedIndexes: Invalid value: 3: must be less than or equal to completions]");
    complains("j", "{'completionMode':'Indexed','completions':100001,'backoffLimitPerIndex':1}",
              "spec.maxFailedIndexes: Required value: must be specified when completions is above "
              "100000");
    complains("j",
              "{'completionMode':'Indexed','completions':100001,'backoffLimitPerIndex':1,"
              "'maxFailedIndexes':10001,'parallelism':10001}",
              "[spec.parallelism: Invalid value: 10001: must be less than or equal to 10000 when "
              "completions are above 100000 and used with backoff limit per index, "
              "spec.maxFailedIndexes: Invalid value: 10001: must be less than or equal to 10000 "
              "when completions are above 100000 and used with backoff limit per index]");
}

static void test_name_of_the_last_pod(void **state)
{
    static const char name[] = "a23456789-123456789-123456789-123456789-123456789-123456789-1";

    (void)state;
    complains(name, "{'completionMode':'Indexed','completions':10}", "");
    complains(name, "{'completionMode':'Indexed','completions':11}",
              "metadata.name: Invalid value: "
              "\"a23456789-123456789-123456789-123456789-123456789-123456789-1\": will not able to "
              "create pod with invalid DNS label: "
              "a23456789-123456789-123456789-123456789-123456789-123456789-1-10");
}

static void test_restart_policy(void **state)
{
    (void)state;
    complains("j", "{'template':{'spec':{'restartPolicy':'Always'}}}",
              "spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", "
              "\"Never\"");
    complains("j", "{'template':{'spec':{'restartPolicy':null}}}",
              "spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", "
              "\"Never\"");
    complains("j", "{'template':{'spec':{'restartPolicy':'Sometimes'}}}",
              "spec.template.spec.restartPolicy: Unsupported value: \"Sometimes\": supported "
              "values: \"OnFailure\", \"Never\"");
    complains("j",
              "{'template':{'spec':{'restartPolicy':'OnFailure'}},'podFailurePolicy':{'rules':"
              "[]}}",
              "spec.template.spec.restartPolicy: Invalid value: \"OnFailure\": only \"Never\" is "
              "supported when podFailurePolicy is specified");
}

static void test_replacement_and_managers(void **state)
{
    (void)state;
    complains("j", "{'podReplacementPolicy':'Never'}",
              "spec.podReplacementPolicy: Unsupported value: \"Never\": supported values: "
              "\"Failed\", \"TerminatingOrFailed\"");
    complains("j", "{'podReplacementPolicy':'TerminatingOrFailed','podFailurePolicy':{'rules':[]}}",
              "spec.podReplacementPolicy: Unsupported value: \"TerminatingOrFailed\": supported "
              "values: \"Failed\"");
    complains("j", "{'managedBy':'a.io/b'}", "");
    complains("j", "{'managedBy':'other'}",
              "spec.managedBy: Invalid value: \"other\": must be a domain-prefixed path (such as "
              "\"acme.io/foo\")");
    complains("j",
              "{'managedBy':'a.io/bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb'}",
              "spec.managedBy: Too long: may not be more than 63 bytes");
    complains("j", "{'manualSelector':true}",
              "spec.manualSelector: Forbidden: pods are found by their owner here; remove "
              "manualSelector");
}

static void test_paths_below_a_prefix(void **state)
{
    ty_auto_arena *a = ty_arena_new(CEILING);
    struct ty_errs errs = { .arena = a };
    const struct ty_field_path *at =
        TY_KEY(TY_IDX(TY_KEY(TY_KEY(NULL, "spec"), "replicatedJobs"), 1), "template");

    (void)state;
    ty_job_validate(a, parse(a, "{}"), at, &errs);
    assert_string_equal(ty_errs_text(a, &errs),
                        "spec.replicatedJobs[1].template.spec.template.spec.restartPolicy: "
                        "Required value: valid values: \"OnFailure\", \"Never\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_indexed),
        cmocka_unit_test(test_name_of_the_last_pod),
        cmocka_unit_test(test_restart_policy),
        cmocka_unit_test(test_replacement_and_managers),
        cmocka_unit_test(test_paths_below_a_prefix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
