/* The failure summary of a cluster's pods and logs, against a scripted server. */
#include "cli/cluster/cluster_failure.h"
#include "cli/cluster/cluster_session_testing.h"
#include "json/json_testing.h"

#define LABELS(i)                                                                                  \
    "'labels':{'jobset.sigs.k8s.io/jobset-name':'a','jobset.sigs.k8s.io/replicatedjob-name':"      \
    "'node','jobset.sigs.k8s.io/job-index':'0','batch.kubernetes.io/job-completion-index':'" i     \
    "'}"
#define POD(i, status)                                                                             \
    "{'metadata':{'name':'a-node-0-" i                                                             \
    "-x','namespace':'team'," LABELS(i) "},'spec':{'hostname':'a-node-0-" i                        \
                                        "','containers':[{'name':'node'}]},'status':" status "}"
#define ENDED(code)                                                                                \
    "{'phase':'Failed','containerStatuses':[{'name':'node','restartCount':0,'state':{"             \
    "'terminated':{'exitCode':" code ",'reason':'Error','startedAt':'2026-01-02T03:04:05Z',"       \
    "'finishedAt':'2026-01-02T03:04:15Z'}}}]}"
#define LOG "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"

static const struct ty_job_history_entry job = { .ns = "team", .name = "a" };

static void judge(struct cluster_fixture *f, const char *const *pods, size_t n, struct ty_buf *out)
{
    struct ty_arena *a = f->b.cli.arena;
    struct ty_cluster_session *s = NULL;
    struct ty_job_history_pod list[80] = { 0 };

    assert_true(n <= TY_COUNT(list));
    for (size_t i = 0; i < n; i++)
        list[i] =
            (struct ty_job_history_pod){ .host = "h", .node = "n", .obj = json_of(a, pods[i]) };
    assert_int_equal(
        ty_cluster_session_open(&f->b.cli, &(struct ty_where_opts){ .cluster = true }, &s),
        TY_EXIT_OK);
    ty_cluster_failure(s, a, &job, list, n, out);
    ty_cluster_session_free(s);
    ty_buf_chr(out, '\0');
}

/* The log of each pod decides, not its exit code. */
static void test_logs_are_read(void **state)
{
    static const char *const answers[] = { LOG "Traceback (most recent call last):\n"
                                               "ValueError: boom\n",
                                           NULL };
    static const char *const pods[] = { POD("0", ENDED("3")) };
    struct cluster_fixture *f = *state;
    ty_auto_buf out = { 0 };

    cluster_serve(f, answers);
    judge(f, pods, 1, &out);
    assert_has(out.p, "node-0-0 failed: ValueError: boom (exit code 3)");
    assert_has(f->peer.asked[0], "GET /api/v1/namespaces/team/pods/a-node-0-0-x/log?");
    assert_has(f->peer.asked[0], "container=node");
    assert_has(f->peer.asked[0], "tailLines=1000");
}

/* As many containers as logs are read have ended well before the one that failed: theirs are not
 * asked for. */
static void test_logs_of_the_failed(void **state)
{
    static const char *const answers[] = { LOG "ValueError: boom\n", NULL };
    struct cluster_fixture *f = *state;
    const char *pods[TY_CLUSTER_FAILURE_LOGS + 1];

    for (size_t i = 0; i < TY_CLUSTER_FAILURE_LOGS; i++)
        pods[i] = POD("0", ENDED("0"));
    pods[TY_CLUSTER_FAILURE_LOGS] = POD("1", ENDED("3"));
    ty_auto_buf out = { 0 };
    cluster_serve(f, answers);
    judge(f, pods, TY_COUNT(pods), &out);
    assert_has(out.p, "node-0-1 failed: ValueError: boom (exit code 3)");
    assert_has(f->peer.asked[0], "/pods/a-node-0-1-x/log?");
}

static void test_without_the_right_to_logs(void **state)
{
    static const char *const answers[] = { FORBIDDEN, NULL };
    static const char *const pods[] = { POD("0", ENDED("3")) };
    struct cluster_fixture *f = *state;
    ty_auto_buf out = { 0 };

    cluster_serve(f, answers);
    judge(f, pods, 1, &out);
    assert_has(out.p, "node-0-0 failed");
    assert_has(out.p, "exit code 3");
    assert_has(out.p,
               "\ncannot read the logs: you may not get pods/log in namespace \"team\" of "
               "context \"c\"; to check: kubectl --context c auth can-i get pods/log -n team");
}

/* A long log: only its end is kept. */
static void test_the_end_of_a_long_log(void **state)
{
    struct cluster_fixture *f = *state;
    static const char *const pods[] = { POD("0", ENDED("1")) };
    ty_auto_buf text = { 0 }, out = { 0 };

    ty_buf_cstr(&text, LOG);
    for (int i = 0; i < 20000; i++)
        ty_buf_printf(&text, "step %d of 20000, nothing to see\n", i);
    ty_buf_cstr(&text, "KeyError: 'last'\n");
    ty_buf_chr(&text, '\0');
    const char *const answers[] = { text.p, NULL };
    cluster_serve(f, answers);
    judge(f, pods, 1, &out);
    assert_has(out.p, "KeyError: 'last'");
}

static void test_pods_that_cannot_run(void **state)
{
    static const char *const pods[] = {
        POD("0",
            "{'phase':'Pending','conditions':[{'type':'PodScheduled','status':'False','reason':"
            "'Unschedulable','message':'0/3 nodes are available: 3 Insufficient cpu.'}]}"),
        POD("2",
            "{'phase':'Pending','containerStatuses':[{'name':'node','image':'registry.example/x:1',"
            "'restartCount':0,'state':{'waiting':{'reason':'ErrImagePull','message':'not "
            "found'}}}]}"),
        POD("1", "{'phase':'Running','containerStatuses':[{'name':'node','restartCount':0,'state':"
                 "{'running':{}}}]}"),
    };
    struct cluster_fixture *f = *state;
    ty_auto_buf out = { 0 };

    cluster_kubeconfig("http://127.0.0.1:1"); /* nothing is asked */
    judge(f, pods, 3, &out);
    assert_has(out.p, "cannot be pulled");
    assert_has(out.p, "node-0-0 cannot be scheduled: 0/3 nodes are available: 3 Insufficient cpu");
    assert_null(strstr(out.p, "node-0-1"));
}

static void test_nothing_failed(void **state)
{
    static const char *const pods[] = { POD("0", ENDED("0")) };
    struct cluster_fixture *f = *state;
    ty_auto_buf out = { 0 };

    cluster_kubeconfig("http://127.0.0.1:1");
    judge(f, pods, 1, &out);
    assert_string_equal(out.p, "");
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, cluster_setup, cluster_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = { T(test_logs_are_read),
                                        T(test_logs_of_the_failed),
                                        T(test_without_the_right_to_logs),
                                        T(test_the_end_of_a_long_log),
                                        T(test_pods_that_cannot_run),
                                        T(test_nothing_failed) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
