#include "engine/pod/pod_lifecycle_testing.h"

#define T0 "2026-01-01T00:00:00Z"
#define T5 "2026-01-01T00:00:05Z"

static void test_the_whole_status(void **state)
{
    struct lifecycle_fixture *w = *state;

    start_lifecycle(w, "{'containers':[" C("main", "") "]}");
    next_actions(w);
    w->now += 5000;
    report_started(w, "main");
    assert_string_equal(
        json_show(w->f->a, pod_status(w)),
        "{'phase':'Running','conditions':["
        "{'type':'PodReadyToStartContainers','status':'True','lastProbeTime':null,"
        "'lastTransitionTime':'" T0 "'},"
        "{'type':'Initialized','status':'True','lastProbeTime':null,'lastTransitionTime':'" T0 "'},"
        "{'type':'Ready','status':'True','lastProbeTime':null,'lastTransitionTime':'" T5 "'},"
        "{'type':'ContainersReady','status':'True','lastProbeTime':null,'lastTransitionTime':'" T5
        "'},"
        "{'type':'PodScheduled','status':'True','lastProbeTime':null,'lastTransitionTime':'" T0
        "'}],"
        "'startTime':'" T0 "','hostIP':'127.0.0.1','hostIPs':[{'ip':'127.0.0.1'}],"
        "'podIP':'127.1.2.3','podIPs':[{'ip':'127.1.2.3'}],"
        "'containerStatuses':[{'name':'main','state':{'running':{'startedAt':'" T5 "'}},"
        "'lastState':{},'ready':true,'restartCount':0,'image':'i','imageID':'',"
        "'containerID':'trainyard://u-1/main/0','started':true}]}");
}

static void test_not_started_yet(void **state)
{
    struct lifecycle_fixture *w = *state;

    start_lifecycle(w, "{'containers':[" C("b", "") "," C("a", "") "]}");
    next_actions(w);
    assert_string_equal(container_field(w, "a", "state"),
                        "{'waiting':{'reason':'ContainerCreating'}}");
    assert_string_equal(container_field(w, "a", "containerID"), "none");
    assert_string_equal(condition_text(w, "ContainersReady"),
                        "False ContainersNotReady: containers with unready status: [b a]");
    /* Sorted by name, while their conditions name them as they are written. */
    assert_string_equal(
        json_show(
            w->f->a,
            ty_json_get(ty_json_item(ty_json_get(pod_status(w), "containerStatuses"), 0), "name")),
        "'a'");
    start_lifecycle(
        w, "{'initContainers':[" C("z", "") "," C("y", "") "],'containers':[" C("a", "") "]}");
    next_actions(w);
    assert_string_equal(container_field(w, "y", "state"),
                        "{'waiting':{'reason':'PodInitializing'}}");
    assert_string_equal(
        json_show(w->f->a,
                  ty_json_get(ty_json_item(ty_json_get(pod_status(w), "initContainerStatuses"), 0),
                              "name")),
        "'z'");
}

/* wait status, oom: exit code, reason. */
static void test_ends(void **state)
{
    static const struct {
        int wstatus;
        bool oom;
        const char *code, *reason;
    } rows[] = {
        { 0, false, "0", "'Completed'" },           { 3 << 8, false, "3", "'Error'" },
        { SIGKILL, false, "137", "'Error'" },       { SIGTERM, false, "143", "'Error'" },
        { SIGSEGV | 128, false, "139", "'Error'" }, /* with a core */
        { SIGKILL, true, "137", "'OOMKilled'" },
    };
    struct lifecycle_fixture *w = *state;

    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        start_lifecycle(w, "{'restartPolicy':'Never','containers':[" C("m", "") "]}");
        next_actions(w);
        report_started(w, "m");
        ty_pod_lifecycle_exited(w->r, 0, rows[i].wstatus, rows[i].oom, "last words", w->now);
        assert_string_equal(next_actions(w), "over;");
        assert_string_equal(container_field(w, "m", "state.terminated.exitCode"), rows[i].code);
        assert_string_equal(container_field(w, "m", "state.terminated.reason"), rows[i].reason);
        assert_string_equal(container_field(w, "m", "state.terminated.message"), "'last words'");
    }
}

static void test_terminal_conditions(void **state)
{
    struct lifecycle_fixture *w = *state;

    start_lifecycle(w, "{'restartPolicy':'Never','containers':[" C("m", "") "]}");
    next_actions(w);
    report_started(w, "m");
    report_exit(w, "m", 0);
    assert_string_equal(condition_text(w, "Ready"), "False PodCompleted");
    assert_string_equal(condition_text(w, "ContainersReady"), "False PodCompleted");
    assert_string_equal(condition_text(w, "Initialized"), "True PodCompleted");
    assert_string_equal(condition_text(w, "PodReadyToStartContainers"), "False");
    start_lifecycle(w, "{'restartPolicy':'Never','containers':[" C("m", "") "]}");
    next_actions(w);
    report_started(w, "m");
    report_exit(w, "m", 1);
    assert_string_equal(condition_text(w, "Ready"), "False PodFailed");
    assert_string_equal(condition_text(w, "Initialized"), "True");
}

static void test_the_run_before(void **state)
{
    struct lifecycle_fixture *w = *state;

    start_lifecycle(w, "{'containers':[" C("m", "") "]}");
    next_actions(w);
    report_started(w, "m");
    w->now += 5000;
    ty_pod_lifecycle_exited(w->r, 0, 4 << 8, false, "first", w->now);
    assert_string_equal(next_actions(w), "start m 1;");
    report_started(w, "m");
    assert_string_equal(container_field(w, "m", "lastState"),
                        "{'terminated':{'exitCode':4,'reason':'Error','message':'first',"
                        "'startedAt':'" T0 "','finishedAt':'" T5 "',"
                        "'containerID':'trainyard://u-1/m/0'}}");
    assert_string_equal(container_field(w, "m", "restartCount"), "1");
    assert_string_equal(container_field(w, "m", "containerID"), "'trainyard://u-1/m/1'");
}

static void test_deleted_before_some_container_ran(void **state)
{
    struct lifecycle_fixture *w = *state;

    start_lifecycle(
        w, "{'containers':[" C("a", ",'lifecycle':{'postStart':{'exec':{'command':['p']}}}") "," C(
               "b", "") "]}");
    next_actions(w);
    report_started(w, "a");
    stop_pod(w, -1);
    report_signal(w, "a", SIGTERM);
    assert_string_equal(container_field(w, "b", "state.terminated.reason"),
                        "'ContainerStatusUnknown'");
    assert_string_equal(container_field(w, "b", "state.terminated.exitCode"), "137");
    assert_int_equal(ty_pod_lifecycle_phase(w->r), TY_FAILED);
}

/* 4 KiB of one, 12 KiB of all together. */
static void test_messages_are_cut(void **state)
{
    struct lifecycle_fixture *w = *state;
    static const struct {
        size_t containers, want;
    } rows[] = { { 1, 4096 }, { 6, 2048 } };

    for (size_t r = 0; r < 2; r++) {
        ty_auto_buf spec = { 0 };
        char *text = ty_arena_alloc(w->f->a, 5001, 1);
        memset(text, 'x', 5000);
        ty_buf_cstr(&spec, "{'restartPolicy':'Never','containers':[");
        for (size_t i = 0; i < rows[r].containers; i++)
            ty_buf_printf(&spec, "%s{'name':'c%zu','image':'i','command':['x']}", i ? "," : "", i);
        ty_buf_put(&spec, "]}", 3);
        start_lifecycle(w, spec.p);
        next_actions(w);
        report_started(w, "c0");
        ty_pod_lifecycle_exited(w->r, 0, 256, false, text, w->now);
        assert_int_equal(strlen(container_field(w, "c0", "state.terminated.message")),
                         rows[r].want + 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_lifecycle(test_the_whole_status),
        with_lifecycle(test_not_started_yet),
        with_lifecycle(test_ends),
        with_lifecycle(test_terminal_conditions),
        with_lifecycle(test_the_run_before),
        with_lifecycle(test_deleted_before_some_container_ran),
        with_lifecycle(test_messages_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
