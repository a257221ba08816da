#include "cli/history/job_history_testing.h"
#include "cli/history/pod_state.h"

static void test_pods(void **state)
{
    static const struct {
        const char *pod;
        bool cut_off, gone;
        const char *want;
    } cases[] = {
        { "{}", false, false, "Pending" },
        { "{}", true, false, "NotStarted" },
        { "{'status':{'phase':'Running'}}", false, false, "Running" },
        { "{'status':{'phase':'Running'}}", true, true, "Interrupted" },
        { "{'status':{'phase':'Succeeded'}}", true, false, "Completed" },
        { "{'status':{'phase':'Failed'}}", true, false, "Error" },
        { "{'status':{'phase':'Failed','reason':'DeadlineExceeded'}}", false, false,
          "DeadlineExceeded" },
        { "{'status':{'phase':'Failed','containerStatuses':[{'state':{'terminated':{'reason':"
          "'Completed'}}},{'state':{'terminated':{'reason':'OOMKilled'}}}]}}",
          false, false, "OOMKilled" },
        { "{'status':{'phase':'Running','containerStatuses':[{'state':{'waiting':{'reason':"
          "'CrashLoopBackOff'}}}]}}",
          false, false, "CrashLoopBackOff" },
        { "{'status':{'phase':'Pending','initContainerStatuses':[{'state':{'terminated':{'reason':"
          "'Error'}}}]}}",
          false, false, "Init:Error" },
        { "{'metadata':{'deletionTimestamp':'x'},'status':{'phase':'Running'}}", false, false,
          "Terminating" },
        { "{'metadata':{'deletionTimestamp':'x'},'status':{'phase':'Running'}}", false, true,
          "Deleted" },
    };
    ty_auto_arena *a = ty_arena_new(1 << 20);

    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++)
        assert_string_equal(
            ty_pod_state_text(a, json_of(a, cases[i].pod), cases[i].cut_off, cases[i].gone),
            cases[i].want);
}

static void test_containers(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_json *ended =
        json_of(a, "{'state':{'terminated':{'exitCode':137,'reason':'OOMKilled'}}}");
    struct ty_json *again =
        json_of(a, "{'state':{'running':{}},'lastState':{'terminated':{'exitCode':"
                   "7}}}");

    (void)state;
    assert_string_equal(ty_pod_state_container(a, ended, true), "OOMKilled");
    assert_string_equal(ty_pod_state_container_exit(a, ended), "137 (signal 9)");
    assert_string_equal(ty_pod_state_container(a, again, false), "Running");
    assert_string_equal(ty_pod_state_container(a, again, true), "Interrupted");
    assert_string_equal(ty_pod_state_container_exit(a, again), "7");
    const struct ty_json *stopped =
        json_of(a, "{'state':{'terminated':{'exitCode':143}},'lastState':{'terminated':{"
                   "'exitCode':3}}}");
    assert_string_equal(ty_pod_state_container_exit(a, stopped), "3, then 143 (signal 15)");
    assert_string_equal(ty_pod_state_container(a, json_of(a, "{}"), false), "Waiting");
    assert_string_equal(ty_pod_state_container_exit(a, json_of(a, "{}")), "");
}

static void test_counts(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_json *pod =
        json_of(a, "{'spec':{'containers':[{},{},{}]},'status':{'containerStatuses':[{'ready':true,"
                   "'restartCount':2},{'ready':false,'restartCount':3}]}}");

    (void)state;
    assert_string_equal(ty_pod_state_ready(a, pod), "1/3");
    assert_int_equal(ty_pod_state_restarts(pod), 5);
    assert_int_equal(ty_pod_state_restarts(NULL), 0);
}

/* As kubectl prints them: sidecars count, other init containers only until they are done. */
static void test_restarts_of_init_containers(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    static const char pod[] =
        "{'spec':{'initContainers':[{'name':'fetch'},{'name':'side','restartPolicy':'Always'}]},"
        "'status':{'conditions':[{'type':'Initialized','status':'%s'}],"
        "'initContainerStatuses':[{'name':'fetch','restartCount':4},{'name':'side','restartCount':2"
        "}],'containerStatuses':[{'restartCount':1}]}}";

    (void)state;
    assert_int_equal(ty_pod_state_restarts(json_of(a, ty_arena_printf(a, pod, "True"))), 3);
    assert_int_equal(ty_pod_state_restarts(json_of(a, ty_arena_printf(a, pod, "False"))), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_pods),
                                        cmocka_unit_test(test_containers),
                                        cmocka_unit_test(test_counts),
                                        cmocka_unit_test(test_restarts_of_init_containers) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
