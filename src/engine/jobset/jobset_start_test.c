#include "engine/jobset/jobset_start.h"
#include "engine/jobset/jobset_testing.h"

#define PROGRESS "InOrderStartupPolicyInProgress: in order startup policy is in progress"
#define STARTED  "InOrderStartupPolicyCompleted: in order startup policy has completed"

static void case_059_depends_on_ready(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct ty_json *js = set_t(a);
    struct jobset_fixture w;

    patch_rj(a, js, 1, "{'dependsOn':[{'name':'" A "','status':'Ready'}]}");
    fixture_init(&w, a, js);
    reconcile_until_stable(&w);
    assert_int_equal(w.n_jobs, 1);
    set_job_status(&w, A0, "{'active':1}");
    reconcile_until_stable(&w);
    assert_int_equal(w.n_jobs, 1);
    job_ready(&w, A0);
    reconcile_until_stable(&w);
    assert_int_equal(w.n_jobs, 4);
    set_job_status(&w, A0, "{'ready':0}"); /* those that run are not stopped again */
    reconcile_until_stable(&w);
    assert_int_equal(w.n_jobs, 4);
    fixture_done(&w);
}

static struct ty_json *three(struct ty_arena *a)
{
    struct ty_json *js = empty_set(a);

    add_rjob(a, js, "a", 1);
    add_rjob(a, js, "b", 1);
    add_rjob(a, js, "c", 1);
    return js;
}

static void case_060_chain(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct ty_json *js = three(a);
    struct jobset_fixture w;

    patch_rj(a, js, 1, "{'dependsOn':[{'name':'a','status':'Complete'}]}");
    patch_rj(a, js, 2, "{'dependsOn':[{'name':'b','status':'Ready'}]}");
    fixture_init(&w, a, js);
    reconcile_until_stable(&w);
    job_ready(&w, "test-js-a-0");
    reconcile_until_stable(&w);
    assert_int_equal(w.n_jobs, 1); /* merely ready releases nobody */
    job_completes(&w, "test-js-a-0");
    reconcile_until_stable(&w);
    assert_int_equal(w.n_jobs, 2);
    assert_non_null(find_job(&w, "test-js-b-0"));
    job_ready(&w, "test-js-b-0");
    reconcile_until_stable(&w);
    assert_non_null(find_job(&w, "test-js-c-0"));
    fixture_done(&w);
}

static void case_061_both_dependencies(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct ty_json *js = three(a);
    struct jobset_fixture w;

    patch_rj(a, js, 2,
             "{'dependsOn':[{'name':'a','status':'Ready'},{'name':'b','status':'Complete'}]}");
    fixture_init(&w, a, js);
    reconcile_until_stable(&w);
    assert_int_equal(w.n_jobs, 2);
    job_completes(&w, "test-js-b-0");
    reconcile_until_stable(&w);
    assert_int_equal(w.n_jobs, 2);
    job_ready(&w, "test-js-a-0");
    reconcile_until_stable(&w);
    assert_int_equal(w.n_jobs, 3);
    fixture_done(&w);

    js = three(a);
    patch_rj(a, js, 2,
             "{'dependsOn':[{'name':'a','status':'Complete'},{'name':'b','status':'Complete'}]}");
    fixture_init(&w, a, js);
    reconcile_until_stable(&w);
    job_completes(&w, "test-js-a-0");
    job_ready(&w, "test-js-b-0");
    reconcile_until_stable(&w);
    assert_int_equal(w.n_jobs, 2);
    job_completes(&w, "test-js-b-0");
    reconcile_until_stable(&w);
    assert_int_equal(w.n_jobs, 3);
    fixture_done(&w);
}

static void a_dependency_without_replicas_holds(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct ty_json *js = set_t(a);
    struct jobset_fixture w;

    ty_json_set(a, rjob_at(js, 0), "replicas", ty_json_int(a, 0));
    patch_rj(a, js, 1, "{'dependsOn':[{'name':'" A "','status':'Complete'}]}");
    fixture_init(&w, a, js);
    reconcile_until_stable(&w);
    assert_int_equal(w.n_jobs, 3);
    fixture_done(&w);
}

static void in_order(struct jobset_fixture *w, struct ty_arena *a, const char *patch)
{
    struct ty_json *js =
        merged(a, set_t(a), "{'spec':{'startupPolicy':{'startupPolicyOrder':'InOrder'}}}");

    fixture_init(w, a, merged(a, js, patch));
    reconcile_until_stable(w);
}

static void all_of_b_ready(struct jobset_fixture *w)
{
    job_ready(w, B0);
    job_ready(w, B1);
    job_ready(w, B2);
    reconcile_until_stable(w);
}

static void case_062_in_order(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct jobset_fixture w;

    in_order(&w, a, "{'spec':{'failurePolicy':{'maxRestarts':1}}}");
    assert_int_equal(w.n_jobs, 1);
    assert_string_equal(condition_text(&w, "StartupPolicyInProgress"), "True " PROGRESS);
    job_ready(&w, A0);
    reconcile_until_stable(&w);
    assert_int_equal(w.n_jobs, 4);
    assert_string_equal(condition_text(&w, "StartupPolicyInProgress"), "True " PROGRESS);
    all_of_b_ready(&w);
    assert_string_equal(condition_text(&w, "StartupPolicyInProgress"), "False " PROGRESS);
    assert_string_equal(condition_text(&w, "StartupPolicyCompleted"), "True " STARTED);
    assert_string_equal(take_events(&w), "Normal " PROGRESS "\nNormal " STARTED "\n");
    job_fails(&w, B0);
    reconcile_until_stable(&w);
    assert_int_equal(w.n_jobs, 1); /* from the beginning */
    assert_string_equal(condition_text(&w, "StartupPolicyInProgress"), "True " PROGRESS);
    assert_string_equal(condition_text(&w, "StartupPolicyCompleted"), "False " STARTED);
    job_ready(&w, A0);
    reconcile_until_stable(&w);
    all_of_b_ready(&w);
    assert_string_equal(condition_text(&w, "StartupPolicyCompleted"), "True " STARTED);
    fixture_done(&w);
}

static void case_063_in_order_and_suspended(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct jobset_fixture w;

    in_order(&w, a, "{'spec':{'suspend':true}}");
    assert_int_equal(suspended_jobs(&w), 4);
    assert_string_equal(rjob_counts(&w, A), "0 0 0 0 1");
    assert_string_equal(rjob_counts(&w, B), "0 0 0 0 3");
    assert_string_equal(condition_text(&w, "StartupPolicyInProgress"), "");
    w.js = merged(a, w.js, "{'spec':{'suspend':false}}");
    reconcile_until_stable(&w);
    assert_int_equal(suspended_jobs(&w), 3);
    assert_false(ty_json_true_at(find_job(&w, A0), "spec.suspend"));
    assert_string_equal(condition_text(&w, "Suspended"), "True SuspendedJobs: jobset is suspended");
    job_ready(&w, A0);
    reconcile_until_stable(&w);
    assert_int_equal(suspended_jobs(&w), 0);
    all_of_b_ready(&w);
    assert_string_equal(condition_text(&w, "StartupPolicyCompleted"), "True " STARTED);
    assert_string_equal(condition_text(&w, "Suspended"), "False ResumeJobs: jobset is resumed");
    fixture_done(&w);
}

static void case_064_depends_on_and_suspended(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct ty_json *js = merged(a, set_t(a), "{'spec':{'suspend':true}}");
    struct jobset_fixture w;

    patch_rj(a, js, 1, "{'dependsOn':[{'name':'" A "','status':'Ready'}]}");
    fixture_init(&w, a, js);
    reconcile_until_stable(&w);
    assert_int_equal(w.n_jobs, 1);
    assert_string_equal(rjob_counts(&w, A), "0 0 0 0 1");
    w.js = merged(a, w.js, "{'spec':{'suspend':false}}");
    reconcile_until_stable(&w);
    assert_int_equal(w.n_jobs, 1);
    assert_int_equal(suspended_jobs(&w), 0);
    job_ready(&w, A0);
    reconcile_until_stable(&w);
    assert_int_equal(w.n_jobs, 4);
    assert_int_equal(suspended_jobs(&w), 0);
    fixture_done(&w);
}

static void case_065_created_suspended(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct jobset_fixture w;

    fixture_init(&w, a, merged(a, set_t(a), "{'spec':{'suspend':true}}"));
    reconcile_until_stable(&w);
    assert_non_null(w.service);
    assert_int_equal(suspended_jobs(&w), 4);
    assert_string_equal(rjob_counts(&w, A), "0 0 0 0 1");
    assert_string_equal(rjob_counts(&w, B), "0 0 0 0 3");
    assert_string_equal(condition_text(&w, "Suspended"), "True SuspendedJobs: jobset is suspended");
    w.js = merged(a, w.js, "{'spec':{'suspend':false}}");
    reconcile_until_stable(&w);
    assert_int_equal(suspended_jobs(&w), 0);
    assert_string_equal(condition_text(&w, "Suspended"), "False ResumeJobs: jobset is resumed");
    assert_string_equal(take_events(&w), "Normal SuspendedJobs: jobset is suspended\n"
                                         "Normal ResumeJobs: jobset is resumed\n");
    job_completes(&w, A0);
    job_completes(&w, B0);
    job_completes(&w, B1);
    job_completes(&w, B2);
    reconcile_until_stable(&w);
    assert_has(condition_text(&w, "Completed"), "True");
    fixture_done(&w);
}

/* The pod template of b0. */
static const struct ty_json *pods_of_b0(const struct jobset_fixture *w)
{
    return ty_json_at(find_job(w, B0), "spec.template");
}

static void case_026_066_changed_while_suspended(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct ty_json *js = set_t(a);
    struct jobset_fixture w;

    patch_rj(a, js, 1,
             "{'template':{'spec':{'template':{'metadata':{'labels':{'old':'1','both':'1'}},"
             "'spec':{'tolerations':[{'key':'k'}]}}}}}");
    fixture_init(&w, a, js);
    reconcile_until_stable(&w);
    assert_string_equal(condition_text(&w, "Suspended"), "");
    set_job_status(&w, B0, "{'startTime':'2023-11-14T22:13:20Z','active':1}");
    w.js = merged(a, w.js, "{'spec':{'suspend':true}}");
    reconcile_until_stable(&w);
    assert_int_equal(suspended_jobs(&w), 4);
    assert_int_equal(w.n_jobs, 4);
    patch_rj(a, w.js, 1,
             "{'template':{'spec':{'template':{'metadata':{'labels':{'old':null,'both':'2'},"
             "'annotations':{'n':'3'}},'spec':{'nodeSelector':{'zone':'z'},'tolerations':["
             "{'key':'k'},{'key':'new'}],'schedulingGates':[{'name':'g'}]}}}}}");
    w.js = merged(a, w.js, "{'spec':{'suspend':false}}");
    reconcile_until_stable(&w);
    assert_int_equal(suspended_jobs(&w), 0);
    assert_true(ty_str_is(label_of(pods_of_b0(&w), "both"), "2"));
    assert_true(ty_str_is(label_of(pods_of_b0(&w), "old"), "1")); /* stays */
    assert_true(ty_str_is(label_of(pods_of_b0(&w), TY_JOBSET_RJOB), B));
    assert_true(ty_str_is(ty_json_str_at(pods_of_b0(&w), "metadata.annotations.n"), "3"));
    assert_string_equal(json_show(a, ty_json_at(pods_of_b0(&w), "spec.nodeSelector")),
                        "{'zone':'z'}");
    assert_string_equal(json_show(a, ty_json_at(pods_of_b0(&w), "spec.tolerations")),
                        "[{'key':'k'},{'key':'new'}]");
    assert_string_equal(json_show(a, ty_json_at(pods_of_b0(&w), "spec.schedulingGates")),
                        "[{'name':'g'}]");
    assert_null(ty_json_at(find_job(&w, B0), "status.startTime"));
    assert_true(ty_str_is(label_of(find_job(&w, B0), TY_JOBSET_ATTEMPT), "0")); /* no restart */
    fixture_done(&w);
}

static void suspending_ends_a_restart(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct jobset_fixture w;

    fixture_init(&w, a, merged(a, set_t(a), "{'spec':{'failurePolicy':{'maxRestarts':1}}}"));
    reconcile_until_stable(&w);
    job_fails(&w, A0);
    reconcile_until_stable(&w);
    w.js = merged(a, w.js, "{'spec':{'suspend':true}}");
    reconcile_until_stable(&w);
    assert_string_equal(condition_text(&w, "RestartingJobSet"),
                        "False JobSetSuspended: jobset is suspended");
    assert_int_equal(status_int(&w, "restarts"), 1);
    fixture_done(&w);
}

static void case_067_started(void **state TY_UNUSED)
{
    struct ty_jobset_rjob r = { .replicas = 4, .ready = 1, .failed = 1, .succeeded = 2 };

    assert_true(ty_jobset_started(&r));
    r = (struct ty_jobset_rjob){ .replicas = 4, .active = 4 };
    assert_false(ty_jobset_started(&r));
}

static void many_jobs_come_in_parts(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 28);
    struct ty_json *js = empty_set(a);
    struct jobset_fixture *w = ty_new(a, struct jobset_fixture);

    add_rjob(a, js, "many", 1500);
    fixture_init(w, a, js);
    reconcile(w);
    assert_int_equal(w->n_jobs, 1000);
    assert_int_equal(w->requeue_ms, 0);
    reconcile(w);
    assert_int_equal(w->n_jobs, 1500);
    reconcile_until_stable(w);
    assert_int_equal(w->requeue_ms, -1);
    fixture_done(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_059_depends_on_ready),
        cmocka_unit_test(case_060_chain),
        cmocka_unit_test(case_061_both_dependencies),
        cmocka_unit_test(a_dependency_without_replicas_holds),
        cmocka_unit_test(case_062_in_order),
        cmocka_unit_test(case_063_in_order_and_suspended),
        cmocka_unit_test(case_064_depends_on_and_suspended),
        cmocka_unit_test(case_065_created_suspended),
        cmocka_unit_test(case_026_066_changed_while_suspended),
        cmocka_unit_test(suspending_ends_a_restart),
        cmocka_unit_test(case_067_started),
        cmocka_unit_test(many_jobs_come_in_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
