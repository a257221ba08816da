#include "engine/pod_run_testing.h"

#define EXEC "'exec':{'command':['p']}"

static void run_one(struct world *w, const char *policy, const char *members)
{
    char spec[1024];

    snprintf(spec, sizeof(spec),
             "{'restartPolicy':'%s','terminationGracePeriodSeconds':30,'containers':[{'name':'m',"
             "'image':'i','command':['x'],%s}]}",
             policy, members);
    begin(w, spec);
    deeds(w);
}

/* dependsOn Ready looks at the pod's Ready condition, which waits for the port. */
static void case_110_readiness_waits_for_a_late_port(void **state)
{
    struct world *w = *state;

    run_one(w, "OnFailure", "'readinessProbe':{'tcpSocket':{'port':2222},'initialDelaySeconds':5}");
    assert_string_equal(started(w, "m"), "");
    assert_int_equal(ty_pod_run_phase(w->r), TY_RUNNING);
    assert_string_equal(condition(w, "Ready"),
                        "False ContainersNotReady: containers with unready status: [m]");
    assert_string_equal(wake(w, 5), "readiness m;");
    assert_string_equal(probed(w, "m", TY_USE_READINESS, false), "");
    assert_false(ty_pod_run_ready(w->r));
    assert_string_equal(wake(w, 10), "readiness m;");
    assert_string_equal(probed(w, "m", TY_USE_READINESS, true), "");
    assert_true(ty_pod_run_ready(w->r));
    assert_string_equal(condition(w, "Ready"), "True");
    assert_string_equal(w->events, "Normal Started Container started;"
                                   "Warning Unhealthy Readiness probe failed: why not;");
}

static void test_readiness_thresholds(void **state)
{
    static const struct {
        bool ok, ready;
    } rows[] = { { true, false }, { true, true },  { false, true }, { true, true },
                 { false, true }, { false, true }, { false, false } };
    struct world *w = *state;

    run_one(w, "OnFailure",
            "'readinessProbe':{" EXEC
            ",'periodSeconds':3,'successThreshold':2,'failureThreshold':3}");
    assert_string_equal(started(w, "m"), "readiness m;");
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        assert_string_equal(probed(w, "m", TY_USE_READINESS, rows[i].ok), "");
        assert_int_equal(ty_pod_run_ready(w->r), rows[i].ready);
        assert_string_equal(wake(w, 3), "readiness m;");
    }
    assert_int_equal(ty_pod_run_phase(w->r), TY_RUNNING); /* it only toggles ready */
}

static void test_liveness_restarts(void **state)
{
    struct world *w = *state;

    run_one(w, "OnFailure", "'livenessProbe':{" EXEC ",'periodSeconds':1,'failureThreshold':2}");
    assert_string_equal(started(w, "m"), "liveness m;");
    assert_true(ty_pod_run_ready(w->r)); /* liveness starts as a success */
    probed(w, "m", TY_USE_LIVENESS, false);
    assert_string_equal(wake(w, 1), "liveness m;");
    assert_string_equal(probed(w, "m", TY_USE_LIVENESS, false), "term m;");
    assert_string_equal(wake(w, 30), "kill m;");
    assert_string_equal(killed(w, "m", SIGKILL), "start m 1;");
    assert_non_null(
        strstr(w->events, "Normal Killing Container m failed liveness probe, will be restarted;"));
    /* Even when it then exits 0 it did not mean to end. */
    started(w, "m");
    probed(w, "m", TY_USE_LIVENESS, false);
    wake(w, 1);
    assert_string_equal(probed(w, "m", TY_USE_LIVENESS, false), "term m;");
    assert_string_equal(exited(w, "m", 0), "");
    assert_string_equal(wake(w, 10), "start m 2;");
}

static void test_liveness_under_never(void **state)
{
    struct world *w = *state;

    run_one(w, "Never",
            "'livenessProbe':{" EXEC ",'failureThreshold':1,"
            "'terminationGracePeriodSeconds':7}");
    started(w, "m");
    assert_string_equal(probed(w, "m", TY_USE_LIVENESS, false), "term m;");
    assert_string_equal(wake(w, 7), "kill m;"); /* the probe's own grace */
    assert_string_equal(killed(w, "m", SIGKILL), "over;");
    assert_int_equal(ty_pod_run_phase(w->r), TY_FAILED);
    assert_has(w->events, "Normal Killing Container m failed liveness probe;");
}

static void test_startup_holds_the_others_back(void **state)
{
    struct world *w = *state;

    run_one(w, "OnFailure",
            "'startupProbe':{" EXEC ",'periodSeconds':2},'livenessProbe':{" EXEC "},"
            "'readinessProbe':{" EXEC ",'initialDelaySeconds':3}");
    assert_string_equal(started(w, "m"), "startup m;");
    assert_string_equal(container(w, "m", "started"), "false");
    probed(w, "m", TY_USE_STARTUP, false);
    assert_string_equal(wake(w, 2), "startup m;");
    assert_string_equal(probed(w, "m", TY_USE_STARTUP, true), "liveness m;");
    assert_string_equal(container(w, "m", "started"), "true");
    assert_false(ty_pod_run_ready(w->r));
    assert_string_equal(wake(w, 1), "readiness m;"); /* 3 s after the start, no sooner */
    probed(w, "m", TY_USE_READINESS, true);
    assert_true(ty_pod_run_ready(w->r));
}

static void test_startup_that_fails(void **state)
{
    struct world *w = *state;

    run_one(w, "OnFailure", "'startupProbe':{" EXEC ",'periodSeconds':1,'failureThreshold':2}");
    started(w, "m");
    probed(w, "m", TY_USE_STARTUP, false);
    wake(w, 1);
    assert_string_equal(probed(w, "m", TY_USE_STARTUP, false), "term m;");
    assert_string_equal(killed(w, "m", SIGTERM), "start m 1;");
    assert_non_null(
        strstr(w->events, "Normal Killing Container m failed startup probe, will be restarted;"));
    assert_string_equal(started(w, "m"), "startup m;"); /* from the beginning */
}

/* A probe that takes longer than its period is not asked for twice. */
static void test_slow_answers(void **state)
{
    struct world *w = *state;

    run_one(w, "OnFailure", "'livenessProbe':{" EXEC ",'periodSeconds':1}");
    started(w, "m");
    assert_int_equal(w->wake, -1);
    w->now += 5000;
    assert_string_equal(deeds(w), "");
    assert_string_equal(probed(w, "m", TY_USE_LIVENESS, true), "liveness m;");
}

static void test_no_probes_after_the_end_begins(void **state)
{
    struct world *w = *state;

    run_one(w, "OnFailure", "'livenessProbe':{" EXEC ",'periodSeconds':1,'failureThreshold':1}");
    assert_string_equal(started(w, "m"), "liveness m;");
    assert_string_equal(stop(w, 10), "term m;");
    assert_string_equal(probed(w, "m", TY_USE_LIVENESS, false), "");
    assert_string_equal(wake(w, 10), "kill m;");
    assert_null(strstr(w->events, "Unhealthy"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_world(case_110_readiness_waits_for_a_late_port),
        with_world(test_readiness_thresholds),
        with_world(test_liveness_restarts),
        with_world(test_liveness_under_never),
        with_world(test_startup_holds_the_others_back),
        with_world(test_startup_that_fails),
        with_world(test_slow_answers),
        with_world(test_no_probes_after_the_end_begins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
