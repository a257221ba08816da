#include "engine/pod/pod_lifecycle_testing.h"

#define POLICY(p, containers) "{'restartPolicy':'" p "','containers':[" containers "]}"

static void case_108_a_failing_init_container(void **state)
{
    struct lifecycle_fixture *w = *state;

    start_lifecycle(w, "{'restartPolicy':'Never','initContainers':[" C(
                           "setup", "") "],"
                                        "'containers':[" C("main", "") "]}");
    assert_string_equal(next_actions(w), "start setup 0;");
    report_started(w, "setup");
    assert_string_equal(report_exit(w, "setup", 1), "over;");
    assert_int_equal(ty_pod_lifecycle_phase(w->r), TY_FAILED);
    assert_string_equal(container_field(w, "main", "state.waiting.reason"), "'PodInitializing'");

    start_lifecycle(w, "{'initContainers':[" C("setup", "") "],'containers':[" C("main", "") "]}");
    next_actions(w);
    report_started(w, "setup");
    assert_string_equal(report_exit(w, "setup", 1), "start setup 1;");
    assert_int_equal(ty_pod_lifecycle_phase(w->r), TY_PENDING);
    report_started(w, "setup");
    assert_string_equal(report_exit(w, "setup", 0), "start main 0;");
    assert_int_equal(ty_pod_lifecycle_phase(w->r), TY_PENDING);
    report_started(w, "main");
    assert_int_equal(ty_pod_lifecycle_phase(w->r), TY_RUNNING);
    assert_string_equal(report_exit(w, "main", 1), "start main 1;"); /* setup is not run again */
}

static void case_109_a_sidecar_does_not_keep_the_pod(void **state)
{
    struct lifecycle_fixture *w = *state;

    start_lifecycle(w,
                    "{'initContainers':[" C(
                        "side", ",'restartPolicy':'Always'") "],"
                                                             "'containers':[" C("main", "") "]}");
    assert_string_equal(next_actions(w), "start side 0;");
    assert_string_equal(report_started(w, "side"), "start main 0;");
    report_started(w, "main");
    assert_true(ty_pod_lifecycle_ready(w->r));
    assert_string_equal(report_exit(w, "main", 0), "term side;");
    assert_int_equal(ty_pod_lifecycle_phase(w->r), TY_RUNNING);
    assert_string_equal(report_signal(w, "side", SIGTERM), "over;"); /* its code does not matter */
    assert_int_equal(ty_pod_lifecycle_phase(w->r), TY_SUCCEEDED);
}

static void test_init_containers_one_by_one(void **state)
{
    struct lifecycle_fixture *w = *state;

    start_lifecycle(
        w, "{'initContainers':[" C("a", "") "," C("b", "") "],'containers':[" C("m", "") "]}");
    assert_string_equal(next_actions(w), "start a 0;");
    report_started(w, "a");
    assert_string_equal(condition_text(w, "Initialized"),
                        "False ContainersNotInitialized: containers with incomplete status: [a b]");
    assert_string_equal(report_exit(w, "a", 0), "start b 0;");
    report_started(w, "b");
    assert_string_equal(condition_text(w, "Initialized"),
                        "False ContainersNotInitialized: containers with incomplete status: [b]");
    assert_string_equal(report_exit(w, "b", 0), "start m 0;");
    assert_string_equal(condition_text(w, "Initialized"), "True");
}

static void test_a_sidecar_with_a_startup_probe(void **state)
{
    struct lifecycle_fixture *w = *state;

    start_lifecycle(
        w, "{'initContainers':[" C(
               "side",
               ",'restartPolicy':'Always','startupProbe':"
               "{'exec':{'command':['p']},'periodSeconds':2}") "," C("setup", "") "],'containers':"
                                                                                  "[" C("main",
                                                                                        "") "]}");
    assert_string_equal(next_actions(w), "start side 0;");
    assert_string_equal(report_started(w, "side"), "startup side;");
    assert_string_equal(report_probe(w, "side", TY_STARTUP_PROBE, false), "");
    assert_string_equal(advance_to_wake(w, 2), "startup side;");
    assert_string_equal(report_probe(w, "side", TY_STARTUP_PROBE, true), "start setup 0;");
    report_started(w, "setup");
    /* It comes back while a later init container runs, and holds up nothing. */
    assert_string_equal(report_exit(w, "side", 0), "start side 1;");
    assert_string_equal(report_exit(w, "setup", 0), "start main 0;");
    assert_string_equal(report_started(w, "side"), "startup side;");
    report_started(w, "main");
    assert_int_equal(ty_pod_lifecycle_phase(w->r), TY_RUNNING);
    assert_string_equal(condition_text(w, "Ready"),
                        "False ContainersNotReady: containers with unready status: [side]");
}

static void test_back_off(void **state)
{
    static const int64_t delays[] = { 10, 20, 40, 80, 160, 300, 300 };
    struct lifecycle_fixture *w = *state;

    start_lifecycle(w, POLICY("OnFailure", C("main", "")));
    next_actions(w);
    report_started(w, "main");
    assert_string_equal(report_exit(w, "main", 1), "start main 1;"); /* the first at once */
    for (size_t i = 0; i < TY_COUNT(delays); i++) {
        char want[32];
        report_started(w, "main");
        w->now += 1000;
        assert_string_equal(report_exit(w, "main", 1), "");
        assert_int_equal(ty_pod_lifecycle_phase(w->r), TY_RUNNING);
        snprintf(want, sizeof(want), "start main %zu;", i + 2);
        assert_string_equal(advance_to_wake(w, delays[i]), want);
    }
    report_started(w, "main");
    w->now += 601000;
    assert_string_equal(report_exit(w, "main", 1), "start main 9;"); /* it ran long: forgotten */
    report_started(w, "main");
    assert_string_equal(report_exit(w, "main", 1), "");
    assert_string_equal(advance_to_wake(w, 10), "start main 10;");
    report_started(w, "main");
    assert_string_equal(report_exit(w, "main", 0), "over;");
    assert_int_equal(ty_pod_lifecycle_phase(w->r), TY_SUCCEEDED);
}

static void test_crash_loop_in_words(void **state)
{
    struct lifecycle_fixture *w = *state;

    start_lifecycle(w, POLICY("OnFailure", C("main", "")));
    next_actions(w);
    for (int i = 0; i < 4; i++) {
        report_started(w, "main");
        report_exit(w, "main", 7);
        if (w->wake > 0)
            w->now = w->wake;
        next_actions(w);
    }
    report_started(w, "main");
    report_exit(w, "main", 7);
    assert_string_equal(container_field(w, "main", "state.waiting.reason"), "'CrashLoopBackOff'");
    assert_string_equal(container_field(w, "main", "state.waiting.message"),
                        "'back-off 1m20s restarting failed container=main "
                        "pod=js-node-0-0-abcde_ns(u-1)'");
    assert_string_equal(container_field(w, "main", "lastState.terminated.exitCode"), "7");
    assert_string_equal(container_field(w, "main", "restartCount"), "4");
    assert_has(w->events, "Warning BackOff Back-off restarting failed container main "
                          "in pod js-node-0-0-abcde_ns(u-1);");
}

/* Policy of the container, then code, then whether it starts again. */
static void test_container_policies(void **state)
{
    static const struct {
        const char *members;
        int code;
        bool again;
    } rows[] = {
        { "", 0, false },
        { "", 1, false },
        { ",'restartPolicy':'OnFailure'", 1, true },
        { ",'restartPolicy':'OnFailure'", 0, false },
        { ",'restartPolicy':'Always'", 0, true },
        { ",'restartPolicy':'Never'", 1, false },
        { ",'restartPolicy':'Never','restartPolicyRules':[{'action':'Restart','exitCodes':"
          "{'operator':'In','values':[42,43]}}]",
          43, true },
        { ",'restartPolicy':'Never','restartPolicyRules':[{'action':'Restart','exitCodes':"
          "{'operator':'In','values':[42]}}]",
          1, false },
        { ",'restartPolicy':'Never','restartPolicyRules':[{'action':'Restart','exitCodes':"
          "{'operator':'NotIn','values':[42]}}]",
          1, true },
        { ",'restartPolicy':'Never','restartPolicyRules':[{'action':'Restart','exitCodes':"
          "{'operator':'NotIn','values':[42]}}]",
          42, false },
        { ",'restartPolicy':'Never','restartPolicyRules':[{'action':'Restart','exitCodes':"
          "{'operator':'In','values':[0]}}]",
          0, true },
    };
    struct lifecycle_fixture *w = *state;

    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        char spec[512];
        snprintf(spec, sizeof(spec),
                 "{'restartPolicy':'Never','containers':[{'name':'main','image':'i',"
                 "'command':['x']%s}]}",
                 rows[i].members);
        start_lifecycle(w, spec);
        next_actions(w);
        report_started(w, "main");
        assert_string_equal(report_exit(w, "main", rows[i].code),
                            rows[i].again ? "start main 1;" : "over;");
    }
}

static void test_restart_all_containers(void **state)
{
    struct lifecycle_fixture *w = *state;

    start_lifecycle(
        w, "{'restartPolicy':'Never','initContainers':[" C("setup", "") "],'containers':[" C(
               "main", ",'restartPolicy':'Never','restartPolicyRules':[{'action':"
                       "'RestartAllContainers','exitCodes':{'operator':'In','values':"
                       "[9]}}]") "," C("other", ",'lifecycle':{'preStop':{'exec':{'"
                                                "command':['p']}}}") "]}");
    next_actions(w);
    report_started(w, "setup");
    report_exit(w, "setup", 0);
    report_started(w, "main");
    report_started(w, "other");
    assert_string_equal(report_exit(w, "main", 9), "term other;"); /* without its preStop */
    assert_string_equal(advance_to_wake(w, 2), "kill other;");
    assert_string_equal(report_signal(w, "other", SIGKILL), "start setup 1;");
    assert_int_equal(ty_pod_lifecycle_phase(w->r), TY_RUNNING);
    assert_string_equal(condition_text(w, "Initialized"), "True");
    report_started(w, "setup");
    assert_string_equal(report_exit(w, "setup", 0), "start main 1;start other 1;");
    report_started(w, "main");
    report_started(w, "other");
    report_exit(w, "other", 0);
    assert_string_equal(report_exit(w, "main", 0), "over;");
    assert_int_equal(ty_pod_lifecycle_phase(w->r), TY_SUCCEEDED);
    assert_string_equal(container_field(w, "other", "lastState.terminated.exitCode"), "137");
    assert_string_equal(container_field(w, "setup", "restartCount"), "1");
}

static void test_a_failed_init_stops_the_sidecars(void **state)
{
    struct lifecycle_fixture *w = *state;

    start_lifecycle(
        w,
        "{'restartPolicy':'Never','initContainers':[" C("side", ",'restartPolicy':'Always'") "," C(
            "setup", "") "],"
                         "'containers':[" C("main", "") "]}");
    next_actions(w);
    assert_string_equal(report_started(w, "side"), "start setup 0;");
    report_started(w, "setup");
    assert_string_equal(report_exit(w, "setup", 2), "term side;");
    assert_int_equal(ty_pod_lifecycle_phase(w->r), TY_PENDING);
    assert_string_equal(report_exit(w, "side", 0), "over;");
    assert_int_equal(ty_pod_lifecycle_phase(w->r), TY_FAILED);
}

static void test_post_start_holds_up_the_next(void **state)
{
    struct lifecycle_fixture *w = *state;

    start_lifecycle(
        w, POLICY("Never",
                  C("a", ",'lifecycle':{'postStart':{'exec':{'command':['p']}}}") "," C("b", "")));
    assert_string_equal(next_actions(w), "start a 0;");
    assert_string_equal(report_started(w, "a"), "postStart a;");
    assert_string_equal(container_field(w, "a", "state.waiting.reason"), "'ContainerCreating'");
    assert_string_equal(report_hook(w, "a", true), "start b 0;");
    assert_string_equal(container_field(w, "a", "started"), "true");
}

static void test_post_start_that_fails(void **state)
{
    struct lifecycle_fixture *w = *state;

    start_lifecycle(
        w, POLICY("OnFailure", C("a", ",'lifecycle':{'postStart':{'exec':{'command':['p']}}}")));
    next_actions(w);
    report_started(w, "a");
    assert_string_equal(report_hook(w, "a", false), "term a;");
    assert_string_equal(report_signal(w, "a", SIGTERM), "start a 1;");
    assert_has(w->events, "Warning FailedPostStartHook PostStartHook failed;");
    assert_string_equal(report_started(w, "a"), "postStart a;");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_lifecycle(case_108_a_failing_init_container),
        with_lifecycle(case_109_a_sidecar_does_not_keep_the_pod),
        with_lifecycle(test_init_containers_one_by_one),
        with_lifecycle(test_a_sidecar_with_a_startup_probe),
        with_lifecycle(test_back_off),
        with_lifecycle(test_crash_loop_in_words),
        with_lifecycle(test_container_policies),
        with_lifecycle(test_restart_all_containers),
        with_lifecycle(test_a_failed_init_stops_the_sidecars),
        with_lifecycle(test_post_start_holds_up_the_next),
        with_lifecycle(test_post_start_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
