#include "engine/job/job_testing.h"

static struct ty_json *defaulted(struct ty_arena *a, const char *job)
{
    struct ty_json *v = parse(a, job);

    ty_job_default(a, v);
    return v;
}

static void becomes(const char *spec, const char *want)
{
    ty_auto_arena *a = ty_arena_new(CEILING);
    struct ty_json *job = ty_json_object(a);

    ty_json_set(a, job, "spec", parse(a, spec));
    ty_job_default(a, job);
    if (!ty_json_eq(ty_json_get(job, "spec"), parse(a, want)))
        fail_msg("%s became %.*s", spec, TY_ARG(ty_json_text(a, ty_json_get(job, "spec"))));
}

static void test_spec(void **state)
{
    (void)state;
    becomes("{}", "{'parallelism':1,'completions':1,'backoffLimit':6,'completionMode':'NonIndexed',"
                  "'suspend':false,'podReplacementPolicy':'TerminatingOrFailed',"
                  "'manualSelector':false}");
    becomes("{'parallelism':3}",
            "{'parallelism':3,'backoffLimit':6,'completionMode':'NonIndexed','suspend':false,"
            "'podReplacementPolicy':'TerminatingOrFailed','manualSelector':false}");
    becomes("{'completions':3,'completionMode':'Indexed','backoffLimitPerIndex':0,'suspend':true,"
            "'podFailurePolicy':{'rules':[{'action':'Ignore','onPodConditions':[{'type':'A'},"
            "{'type':'B','status':'False'}]}]}}",
            "{'parallelism':1,'completions':3,'completionMode':'Indexed','backoffLimit':2147483647,"
            "'backoffLimitPerIndex':0,'suspend':true,'podReplacementPolicy':'Failed',"
            "'manualSelector':false,'podFailurePolicy':{'rules':[{'action':'Ignore',"
            "'onPodConditions':[{'type':'A','status':'True'},{'type':'B','status':'False'}]}]}}");
}

static void test_labels_and_selector(void **state)
{
    ty_auto_arena *a = ty_arena_new(CEILING);
    struct ty_json *job =
        defaulted(a, "{'metadata':{'name':'j','uid':'u'},'spec':{'template':{'metadata':{'labels':"
                     "{'app':'x','job-name':'mine'}}}}}");

    (void)state;
    assert_true(
        ty_json_eq(ty_json_at(job, "metadata.labels"), parse(a, "{'app':'x','job-name':'mine'}")));
    assert_true(
        ty_json_eq(ty_json_at(job, "spec.template.metadata.labels"),
                   parse(a, "{'app':'x','job-name':'mine','batch.kubernetes.io/job-name':'j',"
                            "'batch.kubernetes.io/controller-uid':'u','controller-uid':'u'}")));
    assert_true(ty_json_eq(ty_json_at(job, "spec.selector"),
                           parse(a, "{'matchLabels':{'batch.kubernetes.io/controller-uid':'u'}}")));
}

static void test_own_labels_stay(void **state)
{
    ty_auto_arena *a = ty_arena_new(CEILING);
    struct ty_json *job = defaulted(a, "{'metadata':{'name':'j','labels':{'k':'v'}},'spec':"
                                       "{'template':{'metadata':{'labels':{'app':'x'}}}}}");

    (void)state;
    assert_true(ty_json_eq(ty_json_at(job, "metadata.labels"), parse(a, "{'k':'v'}")));
    assert_null(ty_json_at(job, "spec.selector")); /* no uid yet */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spec),
        cmocka_unit_test(test_labels_and_selector),
        cmocka_unit_test(test_own_labels_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
