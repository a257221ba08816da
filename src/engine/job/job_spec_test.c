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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_absent_means_the_default),
        cmocka_unit_test(test_what_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
