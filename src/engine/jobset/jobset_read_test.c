#include "engine/jobset/jobset_testing.h"

/* The counters of job a when its only Job is this. */
static const char *with_job(struct ty_arena *a, const char *spec, const char *status)
{
    struct jobset_fixture w;

    fixture_init(&w, a, set_t(a));
    reconcile(&w);
    w.jobs[0] = merged(a, w.jobs[0], ty_arena_printf(a, "{'spec':%s,'status':%s}", spec, status));
    reconcile(&w);
    fixture_done(&w);
    return rjob_counts(&w, A);
}

static void case_072_073_074_075_ready(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);

    assert_string_equal(
        with_job(a, "{'parallelism':1,'completions':2}", "{'ready':1,'succeeded':1}"), "1 0 0 0 0");
    assert_string_equal(
        with_job(a, "{'parallelism':5,'completions':null}", "{'ready':2,'succeeded':3}"),
        "1 0 0 0 0");
    assert_string_equal(
        with_job(a, "{'parallelism':3,'completions':2}", "{'ready':1,'succeeded':1}"), "1 0 0 0 0");
    assert_string_equal(
        with_job(a, "{'parallelism':2,'completions':3}", "{'ready':2,'succeeded':1}"), "1 0 0 0 0");
    assert_string_equal(with_job(a, "{'parallelism':0}", "{}"), "1 0 0 0 0");
}

static void case_076_not_ready(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);

    assert_string_equal(
        with_job(a, "{'parallelism':4,'completions':5}", "{'ready':2,'succeeded':1}"), "0 0 0 0 0");
}

static void case_077_no_jobs(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *js = set_t(a);
    struct jobset_fixture w;

    ty_json_set(a, rjob_at(js, 0), "replicas", ty_json_int(a, 0));
    ty_json_set(a, rjob_at(js, 1), "replicas", ty_json_int(a, 0));
    fixture_init(&w, a, js);
    reconcile(&w);
    assert_string_equal(json_show(a, ty_json_at(w.js, "status.replicatedJobsStatus")),
                        "[{'name':'" B "','ready':0,'succeeded':0,'failed':0,'active':0,"
                        "'suspended':0},{'name':'" A "','ready':0,'succeeded':0,'failed':0,"
                        "'active':0,'suspended':0}]");
    fixture_done(&w);
}

static void case_078_failure_target(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct jobset_fixture w;

    fixture_init(&w, a, set_t(a));
    reconcile_until_stable(&w);
    job_ends(&w, A0, "FailureTarget", "BackoffLimitExceeded", "m");
    reconcile_until_stable(&w);
    assert_string_equal(rjob_counts(&w, A), "0 0 0 0 0");
    assert_string_equal(condition_text(&w, "Failed"), "");
    job_ends(&w, A0, "SuccessCriteriaMet", "SuccessPolicy", "m");
    reconcile_until_stable(&w);
    assert_string_equal(rjob_counts(&w, A), "0 0 0 0 0");
    fixture_done(&w);
}

static void case_038_owner_decides(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct jobset_fixture w;

    fixture_init(&w, a, set_t(a));
    reconcile_until_stable(&w);
    job_completes(&w, A0);
    w.jobs[0] = merged(a, w.jobs[0],
                       "{'metadata':{'ownerReferences':[{'uid':'another','controller':true}]}}");
    const struct ty_jobset_observed in = {
        .jobset = w.js, .jobs = w.jobs, .n_jobs = 4, .now_s = NOW
    };
    struct ty_changes out;
    struct ty_jobset_ctx js;
    ty_jobset_init(&js, a, &in, &out);
    ty_jobset_read_children(&js);
    assert_int_equal(js.n_children, 3);
    assert_null(ty_jobset_child(&js, TY_LIT(A0)));
    assert_int_equal(js.rjobs[0].succeeded, 0);
    assert_ptr_equal(ty_jobset_child(&js, TY_LIT(B2))->rjob, &js.rjobs[1]);
    fixture_done(&w);
}

static void sorts_into_buckets(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct jobset_fixture w;

    fixture_init(&w, a, set_t(a));
    reconcile_until_stable(&w);
    job_completes(&w, B0);
    job_fails(&w, B1);
    for (size_t i = 0; i < 3; i++)
        w.jobs[i] = merged(a, w.jobs[i], "{'metadata':{'labels':{'" TY_JOBSET_ATTEMPT "':'1'}}}");
    w.js = merged(a, w.js, "{'status':{'restarts':1}}");
    const struct ty_jobset_observed in = { .jobset = w.js, .jobs = w.jobs, .n_jobs = 4 };
    struct ty_changes out;
    struct ty_jobset_ctx js;
    ty_jobset_init(&js, a, &in, &out);
    ty_jobset_read_children(&js);
    assert_int_equal(ty_jobset_child(&js, TY_LIT(A0))->bucket, TY_JOBSET_ACTIVE);
    assert_int_equal(ty_jobset_child(&js, TY_LIT(B0))->bucket, TY_JOBSET_SUCCESSFUL);
    assert_int_equal(ty_jobset_child(&js, TY_LIT(B1))->bucket, TY_JOBSET_FAILED);
    assert_int_equal(ty_jobset_child(&js, TY_LIT(B2))->bucket, TY_JOBSET_PREVIOUS);
    assert_int_equal(js.in_bucket[TY_JOBSET_PREVIOUS], 1);
    fixture_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_072_073_074_075_ready), cmocka_unit_test(case_076_not_ready),
        cmocka_unit_test(case_077_no_jobs),           cmocka_unit_test(case_078_failure_target),
        cmocka_unit_test(case_038_owner_decides),     cmocka_unit_test(sorts_into_buckets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
