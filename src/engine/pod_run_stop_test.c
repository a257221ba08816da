#include "engine/pod_run_testing.h"

#define PRE_STOP ",'lifecycle':{'preStop':{'exec':{'command':['p']}}}"
#define SIDECAR  ",'restartPolicy':'Always'"

static void run(struct world *w, const char *spec, size_t n, const char *const *names)
{
    begin(w, spec);
    deeds(w);
    for (size_t i = 0; i < n; i++)
        started(w, names[i]);
}
#define run(w, spec, ...)                                                                          \
    run((w), (spec), sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *),                \
        (const char *const[]){ __VA_ARGS__ })

static void test_term_then_kill(void **state)
{
    struct world *w = *state;

    run(w, "{'containers':[" C("a", "") "," C("b", "") "]}", "a", "b");
    assert_string_equal(stop(w, -1), "term b;term a;");
    assert_string_equal(killed(w, "b", SIGTERM), "");
    assert_string_equal(wake(w, 30), "kill a;");
    assert_string_equal(killed(w, "a", SIGKILL), "over;");
    assert_int_equal(ty_pod_run_phase(w->r), TY_FAILED);
    assert_has(w->events, "Normal Killing Stopping container a;");
}

static void test_phase_by_exit_codes(void **state)
{
    struct world *w = *state;

    run(w, "{'containers':[" C("a", "") "]}", "a");
    assert_string_equal(stop(w, 10), "term a;");
    assert_string_equal(exited(w, "a", 0), "over;");
    assert_int_equal(ty_pod_run_phase(w->r), TY_SUCCEEDED);
}

/* OnFailure does not bring a deleted container back. */
static void test_no_restarts(void **state)
{
    struct world *w = *state;

    run(w, "{'containers':[" C("a", "") "," C("b", "") "]}", "a", "b");
    exited(w, "a", 1); /* started again */
    started(w, "a");
    exited(w, "a", 1); /* waits for its back-off */
    assert_int_equal(w->wake - w->now, 10000);
    assert_string_equal(stop(w, -1), "term b;");
    assert_string_equal(exited(w, "b", 1), "over;");
    assert_int_equal(w->wake, -1);
}

static void test_grace_is_never_below_two_seconds(void **state)
{
    struct world *w = *state;

    run(w, "{'terminationGracePeriodSeconds':0,'containers':[" C("a", PRE_STOP) "]}", "a");
    assert_string_equal(stop(w, -1), "term a;"); /* and no preStop */
    assert_string_equal(wake(w, 2), "kill a;");
    run(w, "{'containers':[" C("a", "") "]}", "a");
    stop(w, 1);
    assert_string_equal(wake(w, 2), "kill a;");
}

static void test_at_once(void **state)
{
    struct world *w = *state;

    run(w, "{'containers':[" C("a", PRE_STOP) "," C("b", "") "]}", "a", "b");
    assert_string_equal(stop(w, -1), "term b;preStop a;");
    assert_string_equal(stop(w, 0), "kill b;kill a;");
    assert_string_equal(stop(w, 0), "");
    killed(w, "a", SIGKILL);
    assert_string_equal(killed(w, "b", SIGKILL), "over;");
}

/* A second deletion may shorten the time, never lengthen it. */
static void test_shorter_grace(void **state)
{
    struct world *w = *state;

    run(w, "{'containers':[" C("a", "") "]}", "a");
    stop(w, 60);
    w->now += 5000;
    stop(w, 5);
    assert_int_equal(w->wake - w->now, 5000);
    stop(w, 60);
    assert_string_equal(wake(w, 5), "kill a;");
}

static void test_pre_stop_uses_up_the_grace(void **state)
{
    struct world *w = *state;

    run(w, "{'containers':[" C("a", PRE_STOP) "]}", "a");
    assert_string_equal(stop(w, 10), "preStop a;");
    w->now += 4000;
    assert_string_equal(hooked(w, "a", true), "term a;");
    assert_string_equal(wake(w, 6), "kill a;");

    run(w, "{'containers':[" C("a", PRE_STOP) "]}", "a");
    stop(w, 10);
    w->now += 9000;
    assert_string_equal(hooked(w, "a", false), "term a;");
    assert_has(w->events, "Warning FailedPreStopHook PreStopHook failed;");
    assert_string_equal(wake(w, 2), "kill a;"); /* two seconds are left at least */

    run(w, "{'containers':[" C("a", PRE_STOP) "]}", "a");
    assert_string_equal(stop(w, 10), "preStop a;");
    assert_string_equal(wake(w, 10), "term a;"); /* the hook does not come back */
    assert_string_equal(hooked(w, "a", true), "");
    assert_string_equal(wake(w, 2), "kill a;");
}

static void test_sidecars_last_in_reverse(void **state)
{
    struct world *w = *state;

    begin(w, "{'initContainers':[" C("s1", SIDECAR PRE_STOP) "," C(
                 "s2", SIDECAR) "],"
                                "'containers':[" C("m", "") "]}");
    deeds(w);
    started(w, "s1");
    started(w, "s2");
    started(w, "m");
    /* All preStop hooks at once; then each in its turn. */
    assert_string_equal(stop(w, 30), "term m;preStop s1;");
    assert_string_equal(hooked(w, "s1", true), "");
    w->now += 5000;
    assert_string_equal(exited(w, "m", 0), "term s2;");
    w->now += 5000;
    assert_string_equal(exited(w, "s2", 1), "term s1;");
    assert_string_equal(wake(w, 20), "kill s1;"); /* one grace period for all */
    assert_string_equal(killed(w, "s1", SIGKILL), "over;");
    assert_int_equal(ty_pod_run_phase(w->r), TY_SUCCEEDED);
}

static void test_sidecars_whose_turn_never_comes(void **state)
{
    struct world *w = *state;

    begin(w, "{'initContainers':[" C("s", SIDECAR) "],'containers':[" C("m", "") "]}");
    deeds(w);
    started(w, "s");
    started(w, "m");
    assert_string_equal(stop(w, 10), "term m;");
    assert_string_equal(wake(w, 10), "kill m;term s;");
    assert_string_equal(wake(w, 2), "kill s;");
}

/* A container that is just being started is ended as soon as it is there. */
static void test_while_starting(void **state)
{
    struct world *w = *state;

    begin(w,
          "{'containers':[" C("a", ",'lifecycle':{'postStart':{'exec':{'command':['p']}}}") "]}");
    deeds(w);
    assert_string_equal(stop(w, 10), "");
    assert_false(ty_pod_run_over(w->r));
    assert_string_equal(started(w, "a"), "term a;"); /* and no postStart */
    assert_string_equal(killed(w, "a", SIGTERM), "over;");
}

static void test_while_post_start_runs(void **state)
{
    struct world *w = *state;

    begin(w, "{'containers':[" C("a", ",'lifecycle':{'postStart':{'exec':{'command':['p']}},"
                                      "'preStop':{'exec':{'command':['p']}}}") "]}");
    deeds(w);
    assert_string_equal(started(w, "a"), "postStart a;");
    assert_string_equal(stop(w, 10), "term a;");
    assert_string_equal(hooked(w, "a", false), "");
    assert_string_equal(killed(w, "a", SIGTERM), "over;");
}

static void test_during_a_reset(void **state)
{
    struct world *w = *state;

    begin(w, "{'restartPolicy':'Never','containers':[" C(
                 "a",
                 ",'restartPolicy':'Never','restartPolicyRules':[{'action':'RestartAllContainers',"
                 "'exitCodes':{'operator':'In','values':[9]}}]") "," C("b", "") "]}");
    deeds(w);
    started(w, "a");
    started(w, "b");
    assert_string_equal(exited(w, "a", 9), "term b;");
    assert_string_equal(stop(w, -1), "");
    assert_string_equal(exited(w, "b", 0), "over;"); /* nothing begins again */
    assert_int_equal(ty_pod_run_phase(w->r), TY_FAILED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_world(test_term_then_kill),
        with_world(test_phase_by_exit_codes),
        with_world(test_no_restarts),
        with_world(test_grace_is_never_below_two_seconds),
        with_world(test_at_once),
        with_world(test_shorter_grace),
        with_world(test_pre_stop_uses_up_the_grace),
        with_world(test_sidecars_last_in_reverse),
        with_world(test_sidecars_whose_turn_never_comes),
        with_world(test_while_starting),
        with_world(test_while_post_start_runs),
        with_world(test_during_a_reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
