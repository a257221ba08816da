#include "engine/pod/pod_lifecycle_testing.h"

#define PRE_STOP ",'lifecycle':{'preStop':{'exec':{'command':['p']}}}"
#define SIDECAR  ",'restartPolicy':'Always'"

static void run(struct lifecycle_fixture *w, const char *spec, size_t n, const char *const *names)
{
    start_lifecycle(w, spec);
    next_actions(w);
    for (size_t i = 0; i < n; i++)
        report_started(w, names[i]);
}
#define run(w, spec, ...)                                                                          \
    run((w), (spec), sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *),                \
        (const char *const[]){ __VA_ARGS__ })

static void test_term_then_kill(void **state)
{
    struct lifecycle_fixture *w = *state;

    run(w, "{'containers':[" C("a", "") "," C("b", "") "]}", "a", "b");
    assert_string_equal(stop_pod(w, -1), "term b;term a;");
    assert_string_equal(report_signal(w, "b", SIGTERM), "");
    assert_string_equal(advance_to_wake(w, 30), "kill a;");
    assert_string_equal(report_signal(w, "a", SIGKILL), "over;");
    assert_int_equal(ty_pod_lifecycle_phase(w->r), TY_FAILED);
    assert_has(w->events, "Normal Killing Stopping container a;");
}

static void test_phase_by_exit_codes(void **state)
{
    struct lifecycle_fixture *w = *state;

    run(w, "{'containers':[" C("a", "") "]}", "a");
    assert_string_equal(stop_pod(w, 10), "term a;");
    assert_string_equal(report_exit(w, "a", 0), "over;");
    assert_int_equal(ty_pod_lifecycle_phase(w->r), TY_SUCCEEDED);
}

/* OnFailure does not bring a deleted container back. */
static void test_no_restarts(void **state)
{
    struct lifecycle_fixture *w = *state;

    run(w, "{'containers':[" C("a", "") "," C("b", "") "]}", "a", "b");
    report_exit(w, "a", 1); /* started again */
    report_started(w, "a");
    report_exit(w, "a", 1); /* waits for its back-off */
    assert_int_equal(w->wake - w->now, 10000);
    assert_string_equal(stop_pod(w, -1), "term b;");
    assert_string_equal(report_exit(w, "b", 1), "over;");
    assert_int_equal(w->wake, -1);
}

static void test_grace_is_never_below_two_seconds(void **state)
{
    struct lifecycle_fixture *w = *state;

    run(w, "{'terminationGracePeriodSeconds':0,'containers':[" C("a", PRE_STOP) "]}", "a");
    assert_string_equal(stop_pod(w, -1), "term a;"); /* and no preStop */
    assert_string_equal(advance_to_wake(w, 2), "kill a;");
    run(w, "{'containers':[" C("a", "") "]}", "a");
    stop_pod(w, 1);
    assert_string_equal(advance_to_wake(w, 2), "kill a;");
}

static void test_at_once(void **state)
{
    struct lifecycle_fixture *w = *state;

    run(w, "{'containers':[" C("a", PRE_STOP) "," C("b", "") "]}", "a", "b");
    assert_string_equal(stop_pod(w, -1), "term b;preStop a;");
    assert_string_equal(stop_pod(w, 0), "kill b;kill a;");
    assert_string_equal(stop_pod(w, 0), "");
    report_signal(w, "a", SIGKILL);
    assert_string_equal(report_signal(w, "b", SIGKILL), "over;");
}

/* A second deletion may shorten the time, never lengthen it. */
static void test_shorter_grace(void **state)
{
    struct lifecycle_fixture *w = *state;

    run(w, "{'containers':[" C("a", "") "]}", "a");
    stop_pod(w, 60);
    w->now += 5000;
    stop_pod(w, 5);
    assert_int_equal(w->wake - w->now, 5000);
    stop_pod(w, 60);
    assert_string_equal(advance_to_wake(w, 5), "kill a;");
}

static void test_pre_stop_uses_up_the_grace(void **state)
{
    struct lifecycle_fixture *w = *state;

    run(w, "{'containers':[" C("a", PRE_STOP) "]}", "a");
    assert_string_equal(stop_pod(w, 10), "preStop a;");
    w->now += 4000;
    assert_string_equal(report_hook(w, "a", true), "term a;");
    assert_string_equal(advance_to_wake(w, 6), "kill a;");

    run(w, "{'containers':[" C("a", PRE_STOP) "]}", "a");
    stop_pod(w, 10);
    w->now += 9000;
    assert_string_equal(report_hook(w, "a", false), "term a;");
    assert_has(w->events, "Warning FailedPreStopHook PreStopHook failed;");
    assert_string_equal(advance_to_wake(w, 2), "kill a;"); /* two seconds are left at least */

    run(w, "{'containers':[" C("a", PRE_STOP) "]}", "a");
    assert_string_equal(stop_pod(w, 10), "preStop a;");
    assert_string_equal(advance_to_wake(w, 10), "term a;"); /* the hook does not come back */
    assert_string_equal(report_hook(w, "a", true), "");
    assert_string_equal(advance_to_wake(w, 2), "kill a;");
}

static void test_sidecars_last_in_reverse(void **state)
{
    struct lifecycle_fixture *w = *state;

    start_lifecycle(w, "{'initContainers':[" C("s1", SIDECAR PRE_STOP) "," C(
                           "s2", SIDECAR) "],"
                                          "'containers':[" C("m", "") "]}");
    next_actions(w);
    report_started(w, "s1");
    report_started(w, "s2");
    report_started(w, "m");
    /* All preStop hooks at once; then each in its turn. */
    assert_string_equal(stop_pod(w, 30), "term m;preStop s1;");
    assert_string_equal(report_hook(w, "s1", true), "");
    w->now += 5000;
    assert_string_equal(report_exit(w, "m", 0), "term s2;");
    w->now += 5000;
    assert_string_equal(report_exit(w, "s2", 1), "term s1;");
    assert_string_equal(advance_to_wake(w, 20), "kill s1;"); /* one grace period for all */
    assert_string_equal(report_signal(w, "s1", SIGKILL), "over;");
    assert_int_equal(ty_pod_lifecycle_phase(w->r), TY_SUCCEEDED);
}

static void test_sidecars_whose_turn_never_comes(void **state)
{
    struct lifecycle_fixture *w = *state;

    start_lifecycle(w, "{'initContainers':[" C("s", SIDECAR) "],'containers':[" C("m", "") "]}");
    next_actions(w);
    report_started(w, "s");
    report_started(w, "m");
    assert_string_equal(stop_pod(w, 10), "term m;");
    assert_string_equal(advance_to_wake(w, 10), "kill m;term s;");
    assert_string_equal(advance_to_wake(w, 2), "kill s;");
}

/* A container that is just being started is ended as soon as it is there. */
static void test_while_starting(void **state)
{
    struct lifecycle_fixture *w = *state;

    start_lifecycle(
        w, "{'containers':[" C("a", ",'lifecycle':{'postStart':{'exec':{'command':['p']}}}") "]}");
    next_actions(w);
    assert_string_equal(stop_pod(w, 10), "");
    assert_false(ty_pod_lifecycle_terminal(w->r));
    assert_string_equal(report_started(w, "a"), "term a;"); /* and no postStart */
    assert_string_equal(report_signal(w, "a", SIGTERM), "over;");
}

static void test_while_post_start_runs(void **state)
{
    struct lifecycle_fixture *w = *state;

    start_lifecycle(w,
                    "{'containers':[" C("a", ",'lifecycle':{'postStart':{'exec':{'command':['p']}},"
                                             "'preStop':{'exec':{'command':['p']}}}") "]}");
    next_actions(w);
    assert_string_equal(report_started(w, "a"), "postStart a;");
    assert_string_equal(stop_pod(w, 10), "term a;");
    assert_string_equal(report_hook(w, "a", false), "");
    assert_string_equal(report_signal(w, "a", SIGTERM), "over;");
}

static void test_during_a_reset(void **state)
{
    struct lifecycle_fixture *w = *state;

    start_lifecycle(
        w,
        "{'restartPolicy':'Never','containers':[" C(
            "a", ",'restartPolicy':'Never','restartPolicyRules':[{'action':'RestartAllContainers',"
                 "'exitCodes':{'operator':'In','values':[9]}}]") "," C("b", "") "]}");
    next_actions(w);
    report_started(w, "a");
    report_started(w, "b");
    assert_string_equal(report_exit(w, "a", 9), "term b;");
    assert_string_equal(stop_pod(w, -1), "");
    assert_string_equal(report_exit(w, "b", 0), "over;"); /* nothing begins again */
    assert_int_equal(ty_pod_lifecycle_phase(w->r), TY_FAILED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_lifecycle(test_term_then_kill),
        with_lifecycle(test_phase_by_exit_codes),
        with_lifecycle(test_no_restarts),
        with_lifecycle(test_grace_is_never_below_two_seconds),
        with_lifecycle(test_at_once),
        with_lifecycle(test_shorter_grace),
        with_lifecycle(test_pre_stop_uses_up_the_grace),
        with_lifecycle(test_sidecars_last_in_reverse),
        with_lifecycle(test_sidecars_whose_turn_never_comes),
        with_lifecycle(test_while_starting),
        with_lifecycle(test_while_post_start_runs),
        with_lifecycle(test_during_a_reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
