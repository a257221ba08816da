#include "engine/pod_run_testing.h"

#define T0 "2026-01-01T00:00:00Z"
#define T5 "2026-01-01T00:00:05Z"

static void test_the_whole_status(void **state)
{
    struct world *w = *state;

    begin(w, "{'containers':[" C("main", "") "]}");
    deeds(w);
    w->now += 5000;
    started(w, "main");
    assert_string_equal(
        json_show(w->f->a, status(w)),
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
    struct world *w = *state;

    begin(w, "{'containers':[" C("b", "") "," C("a", "") "]}");
    deeds(w);
    assert_string_equal(container(w, "a", "state"), "{'waiting':{'reason':'ContainerCreating'}}");
    assert_string_equal(container(w, "a", "containerID"), "none");
    assert_string_equal(condition(w, "ContainersReady"),
                        "False ContainersNotReady: containers with unready status: [b a]");
    /* Sorted by name, while their conditions name them as they are written. */
    assert_string_equal(
        json_show(w->f->a, ty_json_get(ty_json_item(ty_json_get(status(w), "containerStatuses"), 0),
                                       "name")),
        "'a'");
    begin(w, "{'initContainers':[" C("z", "") "," C("y", "") "],'containers':[" C("a", "") "]}");
    deeds(w);
    assert_string_equal(container(w, "y", "state"), "{'waiting':{'reason':'PodInitializing'}}");
    assert_string_equal(
        json_show(
            w->f->a,
            ty_json_get(ty_json_item(ty_json_get(status(w), "initContainerStatuses"), 0), "name")),
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
    struct world *w = *state;

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        begin(w, "{'restartPolicy':'Never','containers':[" C("m", "") "]}");
        deeds(w);
        started(w, "m");
        ty_pod_run_exited(w->r, 0, rows[i].wstatus, rows[i].oom, "last words", w->now);
        assert_string_equal(deeds(w), "over;");
        assert_string_equal(container(w, "m", "state.terminated.exitCode"), rows[i].code);
        assert_string_equal(container(w, "m", "state.terminated.reason"), rows[i].reason);
        assert_string_equal(container(w, "m", "state.terminated.message"), "'last words'");
    }
}

static void test_terminal_conditions(void **state)
{
    struct world *w = *state;

    begin(w, "{'restartPolicy':'Never','containers':[" C("m", "") "]}");
    deeds(w);
    started(w, "m");
    exited(w, "m", 0);
    assert_string_equal(condition(w, "Ready"), "False PodCompleted");
    assert_string_equal(condition(w, "ContainersReady"), "False PodCompleted");
    assert_string_equal(condition(w, "Initialized"), "True PodCompleted");
    assert_string_equal(condition(w, "PodReadyToStartContainers"), "False");
    begin(w, "{'restartPolicy':'Never','containers':[" C("m", "") "]}");
    deeds(w);
    started(w, "m");
    exited(w, "m", 1);
    assert_string_equal(condition(w, "Ready"), "False PodFailed");
    assert_string_equal(condition(w, "Initialized"), "True");
}

static void test_the_run_before(void **state)
{
    struct world *w = *state;

    begin(w, "{'containers':[" C("m", "") "]}");
    deeds(w);
    started(w, "m");
    w->now += 5000;
    ty_pod_run_exited(w->r, 0, 4 << 8, false, "first", w->now);
    assert_string_equal(deeds(w), "start m 1;");
    started(w, "m");
    assert_string_equal(container(w, "m", "lastState"),
                        "{'terminated':{'exitCode':4,'reason':'Error','message':'first',"
                        "'startedAt':'" T0 "','finishedAt':'" T5 "',"
                        "'containerID':'trainyard://u-1/m/0'}}");
    assert_string_equal(container(w, "m", "restartCount"), "1");
    assert_string_equal(container(w, "m", "containerID"), "'trainyard://u-1/m/1'");
}

static void test_deleted_before_some_container_ran(void **state)
{
    struct world *w = *state;

    begin(w, "{'containers':[" C(
                 "a", ",'lifecycle':{'postStart':{'exec':{'command':['p']}}}") "," C("b", "") "]}");
    deeds(w);
    started(w, "a");
    stop(w, -1);
    killed(w, "a", SIGTERM);
    assert_string_equal(container(w, "b", "state.terminated.reason"), "'ContainerStatusUnknown'");
    assert_string_equal(container(w, "b", "state.terminated.exitCode"), "137");
    assert_int_equal(ty_pod_run_phase(w->r), TY_FAILED);
}

/* 4 KiB of one, 12 KiB of all together. */
static void test_messages_are_cut(void **state)
{
    struct world *w = *state;
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
        begin(w, spec.p);
        deeds(w);
        started(w, "c0");
        ty_pod_run_exited(w->r, 0, 256, false, text, w->now);
        assert_int_equal(strlen(container(w, "c0", "state.terminated.message")), rows[r].want + 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_world(test_the_whole_status),
        with_world(test_not_started_yet),
        with_world(test_ends),
        with_world(test_terminal_conditions),
        with_world(test_the_run_before),
        with_world(test_deleted_before_some_container_ran),
        with_world(test_messages_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
