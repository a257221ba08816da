#include "engine/pod/pod_lifecycle_testing.h"

#define ONE(pod) "{'containers':[" C("main", "") "]" pod "}"

static void test_a_pod_that_succeeds(void **state)
{
    struct lifecycle_fixture *w = *state;

    start_lifecycle(w, ONE(""));
    assert_string_equal(next_actions(w), "start main 0;");
    assert_int_equal(ty_pod_lifecycle_phase(w->r), TY_PENDING);
    assert_int_equal(w->wake, -1);
    assert_string_equal(report_started(w, "main"), "");
    assert_int_equal(ty_pod_lifecycle_phase(w->r), TY_RUNNING);
    assert_true(ty_pod_lifecycle_ready(w->r));
    assert_false(ty_pod_lifecycle_terminal(w->r));
    assert_string_equal(report_exit(w, "main", 0), "over;");
    assert_int_equal(ty_pod_lifecycle_phase(w->r), TY_SUCCEEDED);
    assert_false(ty_pod_lifecycle_ready(w->r));
    assert_true(ty_pod_lifecycle_terminal(w->r));
    assert_string_equal(next_actions(w), ""); /* told once */
    assert_int_equal(w->statuses, 3);
    assert_string_equal(w->events, "Normal Started Container started;");
}

static void test_never_leaves_the_others_alone(void **state)
{
    struct lifecycle_fixture *w = *state;

    start_lifecycle(w, "{'restartPolicy':'Never','containers':[" C("a", "") "," C("b", "") "]}");
    assert_string_equal(next_actions(w), "start a 0;start b 0;");
    report_started(w, "a");
    assert_int_equal(ty_pod_lifecycle_phase(w->r), TY_PENDING); /* b has not run yet */
    report_started(w, "b");
    assert_string_equal(report_exit(w, "a", 3), "");
    assert_int_equal(ty_pod_lifecycle_phase(w->r), TY_RUNNING);
    assert_string_equal(report_exit(w, "b", 0), "over;");
    assert_int_equal(ty_pod_lifecycle_phase(w->r), TY_FAILED);
}

static void test_gates(void **state)
{
    struct lifecycle_fixture *w = *state;

    start_lifecycle(w, ONE(",'schedulingGates':[{'name':'g'}]"));
    assert_string_equal(next_actions(w), "");
    assert_string_equal(condition_text(w, "PodScheduled"),
                        "False SchedulingGated: Scheduling is blocked due to non-empty scheduling "
                        "gates");
    assert_null(ty_json_get(pod_status(w), "startTime"));
    w->now += 5000;
    ty_pod_lifecycle_ungate(w->r, w->now);
    assert_string_equal(next_actions(w), "start main 0;");
    assert_string_equal(condition_text(w, "PodScheduled"), "True");
    assert_string_equal(json_show(w->f->a, ty_json_get(pod_status(w), "startTime")),
                        "'2026-01-01T00:00:05Z'");
}

static void test_a_pod_that_does_not_fit(void **state)
{
    struct lifecycle_fixture *w = *state;
    static const char why[] = "0/1 nodes are available: 1 Insufficient cpu.";

    start_lifecycle(w, ONE(",'activeDeadlineSeconds':5"));
    ty_pod_lifecycle_set_unschedulable(w->r, why, w->now);
    assert_string_equal(next_actions(w), "");
    assert_int_equal(w->wake, -1); /* its deadline does not run yet */
    assert_string_equal(condition_text(w, "PodScheduled"),
                        "False Unschedulable: 0/1 nodes are available: 1 Insufficient cpu.");
    ty_pod_lifecycle_ungate(w->r, w->now);
    assert_string_equal(next_actions(w), "start main 0;");
    ty_pod_lifecycle_set_unschedulable(w->r, why, w->now); /* too late */
    assert_string_equal(condition_text(w, "PodScheduled"), "True");
}

static void test_deleted_before_it_started(void **state)
{
    struct lifecycle_fixture *w = *state;

    start_lifecycle(w, ONE(",'schedulingGates':[{'name':'g'}]"));
    next_actions(w);
    assert_string_equal(stop_pod(w, -1), "over;");
    assert_int_equal(ty_pod_lifecycle_phase(w->r), TY_FAILED);
}

static void test_deadline(void **state)
{
    struct lifecycle_fixture *w = *state;

    start_lifecycle(w, ONE(",'activeDeadlineSeconds':60,'terminationGracePeriodSeconds':5"));
    next_actions(w);
    report_started(w, "main");
    assert_string_equal(advance_to_wake(w, 60), "term main;");
    assert_int_equal(ty_pod_lifecycle_phase(w->r), TY_RUNNING); /* until the process is gone */
    assert_string_equal(advance_to_wake(w, 5), "kill main;");
    assert_string_equal(report_signal(w, "main", SIGKILL), "over;");
    assert_int_equal(ty_pod_lifecycle_phase(w->r), TY_FAILED);
    assert_string_equal(json_show(w->f->a, ty_json_get(pod_status(w), "reason")),
                        "'DeadlineExceeded'");
    assert_string_equal(json_show(w->f->a, ty_json_get(pod_status(w), "message")),
                        "'Pod was active on the node longer than the specified deadline'");
}

/* A program that exits 0 after its deadline has failed all the same. */
static void test_deadline_whatever_the_code(void **state)
{
    struct lifecycle_fixture *w = *state;

    start_lifecycle(w, ONE(",'activeDeadlineSeconds':1"));
    next_actions(w);
    report_started(w, "main");
    advance_to_wake(w, 1);
    assert_string_equal(report_exit(w, "main", 0), "over;");
    assert_int_equal(ty_pod_lifecycle_phase(w->r), TY_FAILED);
}

static void test_start_error(void **state)
{
    struct lifecycle_fixture *w = *state;

    start_lifecycle(w, "{'restartPolicy':'Never','containers':[" C("main", "") "]}");
    next_actions(w);
    ty_pod_lifecycle_start_failed(w->r, 0, "exec x: No such file or directory", w->now);
    assert_string_equal(next_actions(w), "over;");
    assert_string_equal(container_field(w, "main", "state.terminated.exitCode"), "128");
    assert_string_equal(container_field(w, "main", "state.terminated.reason"), "'StartError'");
    assert_string_equal(container_field(w, "main", "state.terminated.message"),
                        "'exec x: No such file or directory'");
    assert_string_equal(w->events, "Warning Failed Error: exec x: No such file or directory;");
}

/* News that nobody waits for must not change anything. */
static void test_late_answers(void **state)
{
    struct lifecycle_fixture *w = *state;

    start_lifecycle(w, ONE(""));
    ty_pod_lifecycle_started(w->r, 0, w->now); /* nothing was started yet */
    ty_pod_lifecycle_exited(w->r, 0, 0, false, NULL, w->now);
    ty_pod_lifecycle_start_failed(w->r, 0, "x", w->now);
    ty_pod_lifecycle_hook_result(w->r, 0, false, w->now);
    ty_pod_lifecycle_probe_result(w->r, 0, TY_LIVENESS_PROBE, false, NULL, w->now);
    assert_string_equal(next_actions(w), "start main 0;");
    ty_pod_lifecycle_exited(w->r, 0, 0, false, NULL, w->now); /* its start and its end at once */
    assert_string_equal(next_actions(w), "over;");
    ty_pod_lifecycle_exited(w->r, 0, 256, false, NULL, w->now);
    ty_pod_lifecycle_stop(w->r, 0, w->now);
    assert_string_equal(next_actions(w), "");
    assert_int_equal(ty_pod_lifecycle_phase(w->r), TY_SUCCEEDED);
}

/* More containers than actions fit into one answer. */
static void test_more_deeds_than_fit(void **state)
{
    struct lifecycle_fixture *w = *state;
    ty_auto_buf spec = { 0 };
    size_t starts = 0;
    const char *log;

    ty_buf_cstr(&spec, "{'containers':[");
    for (int i = 0; i < 150; i++)
        ty_buf_printf(&spec, "%s{'name':'c%d','image':'i','command':['x']}", i ? "," : "", i);
    ty_buf_cstr(&spec, "]}");
    ty_buf_chr(&spec, '\0');
    start_lifecycle(w, spec.p);
    log = next_actions(w);
    for (const char *p = log; (p = strstr(p, "start ")); p++)
        starts++;
    assert_int_equal(starts, 150);
    for (size_t i = 0; i < 150; i++)
        ty_pod_lifecycle_started(w->r, i, w->now);
    next_actions(w);
    log = stop_pod(w, -1);
    starts = 0;
    for (const char *p = log; (p = strstr(p, "term ")); p++)
        starts++;
    assert_int_equal(starts, 150);
}

static void test_a_holder(void **state)
{
    struct lifecycle_fixture *w = *state;

    start_lifecycle(w,
                    "{'containers':[{'name':'node','image':'i','command':['/usr/sbin/sshd','-De'],"
                    "'readinessProbe':{'tcpSocket':{'port':2222},'initialDelaySeconds':5}}]}");
    assert_string_equal(next_actions(w), "");
    assert_int_equal(ty_pod_lifecycle_phase(w->r), TY_RUNNING);
    assert_true(ty_pod_lifecycle_ready(w->r));
    assert_int_equal(w->wake, -1);
    assert_string_equal(stop_pod(w, -1), "over;");
    assert_int_equal(ty_pod_lifecycle_phase(w->r), TY_SUCCEEDED);
    assert_string_equal(w->events, "");
}

static void test_it_is_small(void **state)
{
    (void)state;
    assert_true(sizeof(struct ty_pod_lifecycle) + sizeof(struct ty_container_state) <= 400);
}

static void test_free_accepts_null(void **state)
{
    (void)state;
    ty_pod_lifecycle_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_lifecycle(test_a_pod_that_succeeds),
        with_lifecycle(test_never_leaves_the_others_alone),
        with_lifecycle(test_gates),
        with_lifecycle(test_a_pod_that_does_not_fit),
        with_lifecycle(test_deleted_before_it_started),
        with_lifecycle(test_deadline),
        with_lifecycle(test_deadline_whatever_the_code),
        with_lifecycle(test_start_error),
        with_lifecycle(test_late_answers),
        with_lifecycle(test_more_deeds_than_fit),
        with_lifecycle(test_a_holder),
        cmocka_unit_test(test_it_is_small),
        cmocka_unit_test(test_free_accepts_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
