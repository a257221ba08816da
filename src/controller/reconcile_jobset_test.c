/* A JobSet that is there, and today's rendering of it is another. */
#include <errno.h>

#include "controller/reconcile_testing.h"

#define RUNNING TRAINJOB("", "")
#define STOPPED TRAINJOB(",'suspend':true", "")
/* As another release would have rendered it. */
static struct ty_json *rendered_otherwise(struct fixture *f, const char *job, int generation)
{
    begin(f, job);
    struct ty_reconcile_result w = result(f);
    struct ty_write_step old = *w.steps->next;
    struct ty_json *body = ty_json_parse(f->a, old.body, NULL, NULL);
    struct ty_json *node = ty_json_item(ty_json_at(body, "spec.replicatedJobs"), 0);
    struct ty_json *pod = ty_json_at(node, "template.spec.template.spec");

    carry_out(f, w.steps, "11");
    ty_json_set(f->a, ty_json_item(ty_json_get(pod, "containers"), 0), "command",
                json_of(f->a, "['old']"));
    ty_json_set(f->a, ty_json_get(body, "metadata"), "generation", ty_json_int(f->a, generation));
    ty_json_set(f->a, body, "status", json_of(f->a, "{'restarts':0}"));
    old.body = ty_json_text(f->a, body);
    old.desired_digest = 1;
    struct ty_json *live = carry_out(f, &old, "12");
    give_jobset(f, live);
    return live;
}

static void test_it_is_fetched_first(void **state)
{
    struct fixture *f = *state;

    rendered_otherwise(f, RUNNING, 1);
    f->in.given = NULL;
    put(f, &ty_kind_trainjob, STOPPED);
    struct ty_reconcile_result w = result(f);
    assert_true(w.fetch && w.fetch_kind == &ty_kind_jobset && !w.steps && !w.events);
    assert_true(w.err.code == 0 && ty_str_is(w.fetch_name, "j"));
}

/* If only spec.suspend differs, the JobSet is not fetched. */
static void test_it_is_not_fetched_to_suspend_it(void **state)
{
    struct fixture *f = *state;

    begin_and_apply(f, RUNNING);
    put(f, &ty_kind_trainjob, STOPPED);
    struct ty_reconcile_result w = result(f);
    assert_false(w.fetch);
    assert_string_equal(steps(f, &w), "apply JobSet j, status TrainJob j");
}

static void test_a_running_one_is_suspended_as_it_is(void **state)
{
    struct fixture *f = *state;

    rendered_otherwise(f, RUNNING, 1);
    put(f, &ty_kind_trainjob, STOPPED);
    struct ty_reconcile_result w = result(f);
    assert_string_equal(steps(f, &w), "apply JobSet j, status TrainJob j");
    assert_has(w.steps->body.p, "\"suspend\":true");
    assert_has(w.steps->body.p, "\"command\":[\"old\"]");
    assert_int_equal(w.steps->uid.n, 0);
    assert_string_equal(w.events->reason, "RenderingKept");
    assert_has(w.events->message, "not changed are spec.replicatedJobs[node].template.spec."
                                  "template.spec.containers[node].command");
    assert_true(!w.in_sync && w.err.code == 0);
    /* And it is not written again at the next reconcile. */
    carry_out(f, w.steps, "13");
    w = result(f);
    assert_true(!w.fetch && !w.events && w.in_sync);
    assert_string_equal(steps(f, &w), "status TrainJob j");
}

static void test_one_that_has_run_is_resumed_as_it_is(void **state)
{
    struct fixture *f = *state;

    rendered_otherwise(f, STOPPED, 2);
    put(f, &ty_kind_trainjob,
        TRAINJOB(
            ",'runtimePatches':[{'manager':'queue/x','trainingRuntimeSpec':{'template':{'spec':"
            "{'replicatedJobs':[{'name':'node','template':{'spec':{'template':{'spec':{"
            "'nodeSelector':{'pool':'a'}}}}}}]}}}}]",
            ""));
    struct ty_reconcile_result w = result(f);
    assert_string_equal(steps(f, &w), "apply JobSet j");
    assert_null(strstr(w.steps->body.p, "\"suspend\":true"));
    assert_has(w.steps->body.p, "\"command\":[\"old\"]");
    assert_has(w.steps->body.p, "\"nodeSelector\":{\"pool\":\"a\"}"); /* the queue's */
}

/* Its other children were created for the existing pods: only missing ones are created. */
static void test_other_children_stay_with_it(void **state)
{
    struct fixture *f = *state;

    rendered_otherwise(f, RUNNING, 1);
    put(f, &ty_kind_trainjob, STOPPED);
    ty_cache_delete(f->w, &ty_kind_configmap, f->in.ns, TY_LIT("j-runtime-snapshot"),
                    (struct ty_str){ 0 });
    struct ty_reconcile_result w = result(f);
    assert_string_equal(steps(f, &w),
                        "apply JobSet j, apply ConfigMap j-runtime-snapshot, status TrainJob j");
    assert_has(w.steps->body.p, "\"command\":[\"old\"]");
}

static void test_one_that_never_ran_may_be_replaced(void **state)
{
    struct fixture *f = *state;

    rendered_otherwise(f, STOPPED, 1);
    put(f, &ty_kind_trainjob, RUNNING);
    struct ty_reconcile_result w = result(f);
    assert_string_equal(steps(f, &w), "apply JobSet j");
    assert_null(strstr(w.steps->body.p, "old"));
    assert_true(ty_str_is(w.steps->uid, "12") && ty_str_is(w.steps->version, "12"));
    assert_null(w.events); /* the event is recorded when it is refused and deleted */
}

static void test_one_that_is_being_deleted(void **state)
{
    struct fixture *f = *state;
    struct ty_json *live = rendered_otherwise(f, STOPPED, 1);
    struct ty_json *meta = ty_json_get(live, "metadata");

    put(f, &ty_kind_trainjob,
        TRAINJOB("", ",'status':{'conditions':[{'type':'Suspended','status':'True','reason':"
                     "'Suspended','message':'m','lastTransitionTime':'2026-01-02T03:04:05Z'}]}"));
    ty_json_set(f->a, meta, "deletionTimestamp", ty_json_cstr(f->a, "2026-01-02T03:04:05Z"));
    ty_json_set(f->a, meta, "finalizers", json_of(f->a, "['foregroundDeletion']"));
    struct ty_reconcile_result w = result(f);
    assert_string_equal(steps(f, &w), ""); /* the status is not Resumed before it runs */
    assert_true(!w.fetch && !w.in_sync && w.err.code == 0 && w.requeue_s == 30);
    f->in.now_s = NOW + 31;
    w = result(f);
    assert_string_equal(steps(f, &w), "");
    assert_int_equal(w.err.code, -EBUSY);
    assert_has(w.events->message, "held by finalizers [\"foregroundDeletion\"]");
}

/* Its runtime and its snapshot were deleted: it cannot be rendered, and is suspended all the
 * same. */
static void test_suspended_without_a_rendering(void **state)
{
    struct fixture *f = *state;

    rendered_otherwise(f, RUNNING, 1);
    ty_cache_delete(f->w, &ty_kind_clustertrainingruntime, (struct ty_str){ 0 }, TY_LIT("rt"),
                    (struct ty_str){ 0 });
    ty_cache_delete(f->w, &ty_kind_configmap, f->in.ns, TY_LIT("j-runtime-snapshot"),
                    (struct ty_str){ 0 });
    put(f, &ty_kind_trainjob, STOPPED);
    struct ty_reconcile_result w = result(f);
    assert_string_equal(steps(f, &w), "apply JobSet j, status TrainJob j");
    assert_has(w.steps->body.p, "\"suspend\":true");
    assert_has(w.steps->body.p, "\"command\":[\"old\"]");
    assert_true(w.err.code < 0 && !w.in_sync);
}

/* But not resumed: the settings of its queue are not known. */
static void test_not_resumed_without_a_rendering(void **state)
{
    struct fixture *f = *state;

    rendered_otherwise(f, STOPPED, 2);
    ty_cache_delete(f->w, &ty_kind_clustertrainingruntime, (struct ty_str){ 0 }, TY_LIT("rt"),
                    (struct ty_str){ 0 });
    ty_cache_delete(f->w, &ty_kind_configmap, f->in.ns, TY_LIT("j-runtime-snapshot"),
                    (struct ty_str){ 0 });
    put(f, &ty_kind_trainjob,
        TRAINJOB("", ",'status':{'conditions':[{'type':'Suspended','status':'True','reason':"
                     "'Suspended','message':'m','lastTransitionTime':'2026-01-02T03:04:05Z'}]}"));
    struct ty_reconcile_result w = result(f);
    assert_string_equal(steps(f, &w), "");
    assert_true(w.err.code < 0);
}

/* No conflict is found, but the API server refuses the apply as immutable. */
static void test_frozen_after_a_refusal(void **state)
{
    struct fixture *f = *state;

    give_jobset(f, begin_and_apply(f, RUNNING));
    put(f, &ty_kind_trainjob, STOPPED);
    f->in.freeze = true;
    struct ty_reconcile_result w = result(f);
    assert_string_equal(steps(f, &w), "apply JobSet j, status TrainJob j");
    assert_has(w.steps->body.p, "\"suspend\":true");
    assert_has(w.steps->body.p, "\"uid\":\"12\""); /* only this JobSet */
}

/* A permanent refusal: the status describes the live children. */
static void test_a_refusal_is_told_in_the_status(void **state)
{
    struct fixture *f = *state;

    rendered_otherwise(f, RUNNING, 1);
    put(f, &ty_kind_trainjob, STOPPED);
    f->in.unapplied = true;
    struct ty_reconcile_result w = result(f);
    assert_string_equal(steps(f, &w), ""); /* no status change for the moment */
    f->in.refused = TY_LIT("denied by policy");
    w = result(f);
    assert_string_equal(steps(f, &w), "status TrainJob j");
    assert_has(w.steps->body.p, "\"SuspendRefused\"");
    assert_has(w.steps->body.p, "denied by policy");
    assert_null(strstr(w.steps->body.p, "\"status\":\"True\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RECONCILE_TEST(test_it_is_fetched_first),
        RECONCILE_TEST(test_it_is_not_fetched_to_suspend_it),
        RECONCILE_TEST(test_a_running_one_is_suspended_as_it_is),
        RECONCILE_TEST(test_one_that_has_run_is_resumed_as_it_is),
        RECONCILE_TEST(test_other_children_stay_with_it),
        RECONCILE_TEST(test_one_that_never_ran_may_be_replaced),
        RECONCILE_TEST(test_one_that_is_being_deleted),
        RECONCILE_TEST(test_suspended_without_a_rendering),
        RECONCILE_TEST(test_not_resumed_without_a_rendering),
        RECONCILE_TEST(test_frozen_after_a_refusal),
        RECONCILE_TEST(test_a_refusal_is_told_in_the_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
