#include "engine/pod/pod_lifecycle_testing.h"

#define EXEC "'exec':{'command':['p']}"

static void run_one(struct lifecycle_fixture *w, const char *policy, const char *members)
{
    char spec[1024];

    snprintf(spec, sizeof(spec),
             "{'restartPolicy':'%s','terminationGracePeriodSeconds':30,'containers':[{'name':'m',"
             "'image':'i','command':['x'],%s}]}",
             policy, members);
    start_lifecycle(w, spec);
    next_actions(w);
}

/* dependsOn Ready looks at the pod's Ready condition, which waits for the port. */
static void case_110_readiness_waits_for_a_late_port(void **state)
{
    struct lifecycle_fixture *w = *state;

    run_one(w, "OnFailure", "'readinessProbe':{'tcpSocket':{'port':2222},'initialDelaySeconds':5}");
    assert_string_equal(report_started(w, "m"), "");
    assert_int_equal(ty_pod_lifecycle_phase(w->r), TY_RUNNING);
    assert_string_equal(condition_text(w, "Ready"),
                        "False ContainersNotReady: containers with unready status: [m]");
    assert_string_equal(advance_to_wake(w, 5), "readiness m;");
    assert_string_equal(report_probe(w, "m", TY_READINESS_PROBE, false), "");
    assert_false(ty_pod_lifecycle_ready(w->r));
    assert_string_equal(advance_to_wake(w, 10), "readiness m;");
    assert_string_equal(report_probe(w, "m", TY_READINESS_PROBE, true), "");
    assert_true(ty_pod_lifecycle_ready(w->r));
    assert_string_equal(condition_text(w, "Ready"), "True");
    assert_string_equal(w->events, "Normal Started Container started;"
                                   "Warning Unhealthy Readiness probe failed: why not;");
}

static void test_readiness_thresholds(void **state)
{
    static const struct {
        bool ok, ready;
    } rows[] = { { true, false }, { true, true },  { false, true }, { true, true },
                 { false, true }, { false, true }, { false, false } };
    struct lifecycle_fixture *w = *state;

    run_one(w, "OnFailure",
            "'readinessProbe':{" EXEC
            ",'periodSeconds':3,'successThreshold':2,'failureThreshold':3}");
    assert_string_equal(report_started(w, "m"), "readiness m;");
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        assert_string_equal(report_probe(w, "m", TY_READINESS_PROBE, rows[i].ok), "");
        assert_int_equal(ty_pod_lifecycle_ready(w->r), rows[i].ready);
        assert_string_equal(advance_to_wake(w, 3), "readiness m;");
    }
    assert_int_equal(ty_pod_lifecycle_phase(w->r), TY_RUNNING); /* it only toggles ready */
}

static void test_liveness_restarts(void **state)
{
    struct lifecycle_fixture *w = *state;

    run_one(w, "OnFailure", "'livenessProbe':{" EXEC ",'periodSeconds':1,'failureThreshold':2}");
    assert_string_equal(report_started(w, "m"), "liveness m;");
    assert_true(ty_pod_lifecycle_ready(w->r)); /* liveness starts as a success */
    report_probe(w, "m", TY_LIVENESS_PROBE, false);
    assert_string_equal(advance_to_wake(w, 1), "liveness m;");
    assert_string_equal(report_probe(w, "m", TY_LIVENESS_PROBE, false), "term m;");
    assert_string_equal(advance_to_wake(w, 30), "kill m;");
    assert_string_equal(report_signal(w, "m", SIGKILL), "start m 1;");
    assert_non_null(
        strstr(w->events, "Normal Killing Container m failed liveness probe, will be restarted;"));
    /* Even when it then exits 0 it did not mean to end. */
    report_started(w, "m");
    report_probe(w, "m", TY_LIVENESS_PROBE, false);
    advance_to_wake(w, 1);
    assert_string_equal(report_probe(w, "m", TY_LIVENESS_PROBE, false), "term m;");
    assert_string_equal(report_exit(w, "m", 0), "");
    assert_string_equal(advance_to_wake(w, 10), "start m 2;");
}

static void test_liveness_under_never(void **state)
{
    struct lifecycle_fixture *w = *state;

    run_one(w, "Never",
            "'livenessProbe':{" EXEC ",'failureThreshold':1,"
            "'terminationGracePeriodSeconds':7}");
    report_started(w, "m");
    assert_string_equal(report_probe(w, "m", TY_LIVENESS_PROBE, false), "term m;");
    assert_string_equal(advance_to_wake(w, 7), "kill m;"); /* the probe's own grace */
    assert_string_equal(report_signal(w, "m", SIGKILL), "over;");
    assert_int_equal(ty_pod_lifecycle_phase(w->r), TY_FAILED);
    assert_has(w->events, "Normal Killing Container m failed liveness probe;");
}

static void test_startup_holds_the_others_back(void **state)
{
    struct lifecycle_fixture *w = *state;

    run_one(w, "OnFailure",
            "'startupProbe':{" EXEC ",'periodSeconds':2},'livenessProbe':{" EXEC "},"
            "'readinessProbe':{" EXEC ",'initialDelaySeconds':3}");
    assert_string_equal(report_started(w, "m"), "startup m;");
    assert_string_equal(container_field(w, "m", "started"), "false");
    report_probe(w, "m", TY_STARTUP_PROBE, false);
    assert_string_equal(advance_to_wake(w, 2), "startup m;");
    assert_string_equal(report_probe(w, "m", TY_STARTUP_PROBE, true), "liveness m;");
    assert_string_equal(container_field(w, "m", "started"), "true");
    assert_false(ty_pod_lifecycle_ready(w->r));
    assert_string_equal(advance_to_wake(w, 1), "readiness m;"); /* 3 s after the start, no sooner */
    report_probe(w, "m", TY_READINESS_PROBE, true);
    assert_true(ty_pod_lifecycle_ready(w->r));
}

static void test_startup_that_fails(void **state)
{
    struct lifecycle_fixture *w = *state;

    run_one(w, "OnFailure", "'startupProbe':{" EXEC ",'periodSeconds':1,'failureThreshold':2}");
    report_started(w, "m");
    report_probe(w, "m", TY_STARTUP_PROBE, false);
    advance_to_wake(w, 1);
    assert_string_equal(report_probe(w, "m", TY_STARTUP_PROBE, false), "term m;");
    assert_string_equal(report_signal(w, "m", SIGTERM), "start m 1;");
    assert_non_null(
        strstr(w->events, "Normal Killing Container m failed startup probe, will be restarted;"));
    assert_string_equal(report_started(w, "m"), "startup m;"); /* from the beginning */
}

/* A probe that takes longer than its period is not asked for twice. */
static void test_slow_answers(void **state)
{
    struct lifecycle_fixture *w = *state;

    run_one(w, "OnFailure", "'livenessProbe':{" EXEC ",'periodSeconds':1}");
    report_started(w, "m");
    assert_int_equal(w->wake, -1);
    w->now += 5000;
    assert_string_equal(next_actions(w), "");
    assert_string_equal(report_probe(w, "m", TY_LIVENESS_PROBE, true), "liveness m;");
}

static void test_no_probes_after_the_end_begins(void **state)
{
    struct lifecycle_fixture *w = *state;

    run_one(w, "OnFailure", "'livenessProbe':{" EXEC ",'periodSeconds':1,'failureThreshold':1}");
    assert_string_equal(report_started(w, "m"), "liveness m;");
    assert_string_equal(stop_pod(w, 10), "term m;");
    assert_string_equal(report_probe(w, "m", TY_LIVENESS_PROBE, false), "");
    assert_string_equal(advance_to_wake(w, 10), "kill m;");
    assert_null(strstr(w->events, "Unhealthy"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_lifecycle(case_110_readiness_waits_for_a_late_port),
        with_lifecycle(test_readiness_thresholds),
        with_lifecycle(test_liveness_restarts),
        with_lifecycle(test_liveness_under_never),
        with_lifecycle(test_startup_holds_the_others_back),
        with_lifecycle(test_startup_that_fails),
        with_lifecycle(test_slow_answers),
        with_lifecycle(test_no_probes_after_the_end_begins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
