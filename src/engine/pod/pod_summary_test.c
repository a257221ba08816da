#include "engine/job/job_testing.h"

static void sees(const char *pod, struct ty_arena *a, struct ty_pod_summary *ret)
{
    ty_pod_summary_read(a, parse(a, pod), ret);
}

static void test_a_new_pod(void **state)
{
    ty_auto_arena *a = ty_arena_new(CEILING);
    struct ty_pod_summary s;

    (void)state;
    sees("{'metadata':{'name':'p','uid':'u','creationTimestamp':'2026-01-01T00:00:00Z'}}", a, &s);
    is_text(s.name, "p");
    is_text(s.uid, "u");
    assert_int_equal(s.index, -1);
    assert_int_equal(s.phase, TY_PENDING);
    assert_int_equal(s.created_s, T0);
    assert_int_equal(s.finished_s, 0);
    assert_false(s.ready || s.deleting || s.disrupted || s.counted);
    sees("{}", a, &s);
    assert_int_equal(s.created_s, 0);
}

static void test_annotations(void **state)
{
    ty_auto_arena *a = ty_arena_new(CEILING);
    struct ty_pod_summary s;

    (void)state;
    sees("{'metadata':{'annotations':{'batch.kubernetes.io/job-completion-index':'7',"
         "'batch.kubernetes.io/job-index-failure-count':'2',"
         "'batch.kubernetes.io/job-index-ignored-failure-count':'1',"
         "'trainyard.dev/counted':'3'}}}",
         a, &s);
    assert_int_equal(s.index, 7);
    assert_int_equal(s.failures, 2);
    assert_int_equal(s.ignored, 1);
    assert_true(s.counted);
    assert_int_equal(s.counted_at, 3);
    sees("{'metadata':{'annotations':{'batch.kubernetes.io/job-completion-index':'-7',"
         "'batch.kubernetes.io/job-index-failure-count':'99999999999','trainyard.dev/"
         "counted':'x'}}}",
         a, &s);
    assert_int_equal(s.index, -1);
    assert_int_equal(s.failures, 0);
    assert_true(s.counted);
    assert_int_equal(s.counted_at, 0);
    sees("{'metadata':{'annotations':{'batch.kubernetes.io/job-completion-index':"
         "'9223372036854775807'}}}",
         a, &s);
    assert_int_equal(s.index, -1);
}

static void test_containers_and_conditions(void **state)
{
    ty_auto_arena *a = ty_arena_new(CEILING);
    struct ty_pod_summary s;

    (void)state;
    sees("{'status':{'phase':'Running','conditions':["
         "{'type':'Ready','status':'True','lastTransitionTime':'2026-01-01T00:00:05Z'},"
         "{'type':'DisruptionTarget','status':'True'}],"
         "'containerStatuses':[{'name':'a','restartCount':2,'state':{'terminated':{'exitCode':3}}},"
         "{'name':'b','restartCount':1,'state':{'running':{}},'lastState':{'terminated':"
         "{'exitCode':9}}}],"
         "'initContainerStatuses':[{'name':'i','restartCount':4,'state':{'terminated':"
         "{'exitCode':5}}},{'name':'j','state':{'terminated':{'exitCode':0}}}]}}",
         a, &s);
    assert_int_equal(s.phase, TY_RUNNING);
    assert_true(s.ready && s.disrupted);
    assert_int_equal(s.ready_s, T0 + 5);
    assert_int_equal(s.restarts, 7);
    assert_int_equal(s.n_exits, 2);
    is_text(s.exits[0].container, "a");
    assert_int_equal(s.exits[0].code, 3);
    is_text(s.exits[1].container, "i");
    assert_true(s.exits[1].init);
    assert_int_equal(s.n_conditions, 2);
    is_text(s.conditions[1].type, "DisruptionTarget");
}

static int64_t finish(struct ty_arena *a, const char *pod)
{
    struct ty_pod_summary s;

    sees(pod, a, &s);
    return s.finished_s - T0;
}

/* Latest container end, else Ready=False, else deletion, else creation. */
static void test_finish_time(void **state)
{
    ty_auto_arena *a = ty_arena_new(CEILING);

    (void)state;
    assert_int_equal(
        finish(a, "{'status':{'phase':'Failed','containerStatuses':[{'state':{'terminated':"
                  "{'finishedAt':'2026-01-01T00:00:07Z'}}},{'state':{'terminated':"
                  "{'finishedAt':'2026-01-01T00:00:03Z'}}}]}}"),
        7);
    assert_int_equal(
        finish(a, "{'metadata':{'creationTimestamp':'2026-01-01T00:00:01Z'},'status':{'phase':"
                  "'Failed','containerStatuses':[{'state':{'running':{}}}],'conditions':[{'type':"
                  "'Ready','status':'False','lastTransitionTime':'2026-01-01T00:00:09Z'}]}}"),
        9);
    assert_int_equal(finish(a, "{'metadata':{'creationTimestamp':'2026-01-01T00:00:01Z',"
                               "'deletionTimestamp':'2026-01-01T00:00:40Z',"
                               "'deletionGracePeriodSeconds':30},'status':{'phase':'Running'}}"),
                     10);
    assert_int_equal(finish(a, "{'metadata':{'creationTimestamp':'2026-01-01T00:00:01Z'},"
                               "'status':{'phase':'Succeeded'}}"),
                     1);
    assert_int_equal(
        finish(a, "{'spec':{'initContainers':[{'name':'i'},{'name':'s','restartPolicy':'Always'}]},"
                  "'status':{'phase':'Succeeded','containerStatuses':[{'name':'m','state':"
                  "{'terminated':{'finishedAt':'2026-01-01T00:00:07Z'}}}],'initContainerStatuses':"
                  "[{'name':'i','state':{'terminated':{'finishedAt':'2026-01-01T00:00:59Z'}}},"
                  "{'name':'s','state':{'terminated':{'finishedAt':'2026-01-01T00:00:08Z'}}}]}}"),
        8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_new_pod),
        cmocka_unit_test(test_annotations),
        cmocka_unit_test(test_containers_and_conditions),
        cmocka_unit_test(test_finish_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
