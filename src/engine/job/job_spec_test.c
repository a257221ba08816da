#include "engine/job/job_spec.h"
#include "engine/job/job_testing.h"

static struct ty_job_spec read_spec(struct ty_arena *a, const char *spec)
{
    struct ty_json *job = parse(a, "{'metadata':{'name':'j','namespace':'n','uid':'u'}}");
    struct ty_job_spec s;

    ty_json_set(a, job, "spec", parse(a, spec));
    ty_job_spec_read(job, &s);
    return s;
}

static void test_absent_means_the_default(void **state)
{
    ty_auto_arena *a = ty_arena_new(CEILING);
    struct ty_job_spec s = read_spec(a, "{}");

    (void)state;
    is_text(s.name, "j");
    is_text(s.ns, "n");
    is_text(s.uid, "u");
    assert_int_equal(s.parallelism, 1);
    assert_int_equal(s.completions, 1);
    assert_int_equal(s.backoff_limit, 6);
    assert_int_equal(s.per_index, -1);
    assert_int_equal(s.deadline_s, -1);
    assert_int_equal(s.ttl_s, -1);
    assert_false(s.indexed || s.suspended || s.on_failure || s.replace_failed);
    s = read_spec(a, "{'parallelism':3}");
    assert_int_equal(s.completions, -1);
    s = read_spec(a, "{'completionMode':'Indexed','completions':2,'backoffLimitPerIndex':1}");
    assert_int_equal(s.backoff_limit, INT32_MAX);
}

static void test_what_is_said(void **state)
{
    ty_auto_arena *a = ty_arena_new(CEILING);
    struct ty_job_spec s = read_spec(
        a, "{'parallelism':0,'completions':4,'completionMode':'Indexed','suspend':true,"
           "'backoffLimit':0,'backoffLimitPerIndex':2,'maxFailedIndexes':1,"
           "'activeDeadlineSeconds':5,'ttlSecondsAfterFinished':0,'podFailurePolicy':{'rules':[]},"
           "'successPolicy':{'rules':[]},'template':{'spec':{'restartPolicy':'OnFailure'}}}");

    (void)state;
    assert_true(s.indexed && s.suspended && s.on_failure && s.replace_failed);
    assert_int_equal(s.parallelism, 0);
    assert_int_equal(s.completions, 4);
    assert_int_equal(s.backoff_limit, 0);
    assert_int_equal(s.per_index, 2);
    assert_int_equal(s.max_failed, 1);
    assert_int_equal(s.deadline_s, 5);
    assert_int_equal(s.ttl_s, 0);
    assert_non_null(s.success_rules);
    s = read_spec(a, "{'podReplacementPolicy':'Failed','backoffLimitPerIndex':2,"
                     "'successPolicy':{'rules':[]}}");
    assert_true(s.replace_failed);
    assert_int_equal(s.per_index, -1); /* without indexes there is nothing to limit */
    assert_null(s.success_rules);
    s = read_spec(a, "{'activeDeadlineSeconds':9223372036854775807,'ttlSecondsAfterFinished':-1}");
    assert_true(s.deadline_s > 0 && s.deadline_s < INT64_MAX / 1000000);
    assert_int_equal(s.ttl_s, -1);
}

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

static void test_default_spec(void **state)
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

static void test_default_labels_and_selector(void **state)
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

static void test_default_leaves_own_labels(void **state)
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
        cmocka_unit_test(test_absent_means_the_default),
        cmocka_unit_test(test_what_is_said),
        cmocka_unit_test(test_default_spec),
        cmocka_unit_test(test_default_labels_and_selector),
        cmocka_unit_test(test_default_leaves_own_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
