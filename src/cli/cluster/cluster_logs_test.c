/* logs without --follow against a scripted server; tests/operator/test_cli_verbs.py uses a real
 * control plane. The answers come in the order of the requests. */
#include "cli/cluster/cluster_logs.h"
#include "cli/cluster/cluster_session_testing.h"

#define LOG       "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
#define BUSY      "HTTP/1.1 500 Internal Server Error\r\n\r\n" STATUS(500, "InternalError", "no kubelet")
#define JOB       "{\"metadata\":{\"name\":\"t\",\"namespace\":\"team\",\"uid\":\"u\"}}"
#define POD(host) POD_OF(host, "x", "0", "0")
#define POD_OF(host, name, second, restarts)                                                       \
    "{\"metadata\":{\"name\":\"" host "-" name "\",\"namespace\":\"team\",\"uid\":\"" host name    \
    "\",\"creationTimestamp\":\"2026-11-17T18:40:0" second "Z\"},\"spec\":{\"hostname\":\"" host   \
    "\",\"containers\":[{\"name\":\"node\"}]},\"status\":{"                                        \
    "\"phase\":\"Running\",\"containerStatuses\":[{\"name\":\"node\",\"restartCount\":" restarts   \
    ","                                                                                            \
    "\"state\":{\"running\":{}}}]}}"
#define T "2026-11-17T18:40:01.000000000Z "

static int print_logs_of(struct cluster_fixture *f, const char *const *answers, bool previous)
{
    struct ty_cluster_logs_opts opts = {
        .job = "t", .tail = -1, .attempt = -1, .quiet_ms = 1, .previous = previous
    };
    struct ty_cluster_session *s = NULL;

    cluster_serve(f, answers);
    assert_int_equal(
        ty_cluster_session_open(&f->b.cli, &(struct ty_where_opts){ .cluster = true }, &s), 0);
    int code = ty_cluster_logs(&f->b.cli, s, &opts, NULL);
    ty_cluster_session_free(s);
    fixture_flush(&f->b);
    return code;
}

static int print_logs(struct cluster_fixture *f, const char *const *answers)
{
    return print_logs_of(f, answers, false);
}

/* A kubelet is silent for longer than a followed log may be: its log is an error, and those of the
 * other nodes are printed. */
static void test_a_silent_node(void **state)
{
    static const char *const answers[] = {
        OK JOB, NOT_FOUND,   LIST("1", POD("t-node-0-0") "," POD("t-node-0-1")),
        BUSY,   BUSY,        BUSY,
        BUSY,   LOG T "b\n", NULL
    };
    struct cluster_fixture *f = *state;

    assert_int_equal(print_logs(f, answers), TY_EXIT_BAD);
    assert_has(f->b.err, "error: log of container \"node\" of node-0-0 cannot be read: no kubelet");
    assert_string_equal(f->b.out, "[node-0-1] b\n");
}

/* A pod that is deleted after it was listed. */
static void test_a_pod_that_is_gone(void **state)
{
    static const char *const answers[] = { OK JOB,    NOT_FOUND, LIST("1", POD("t-node-0-0")),
                                           NOT_FOUND, NOT_FOUND, NOT_FOUND,
                                           NOT_FOUND, NULL };
    struct cluster_fixture *f = *state;

    assert_int_equal(print_logs(f, answers), TY_EXIT_BAD);
    assert_has(f->b.err, "log of container \"node\" of node-0-0 cannot be read: not found");
}

/* The Job controller replaced the pods of two nodes; the newest of node-0-1 was restarted, too. */
#define PODS                                                                                       \
    LIST("1", POD_OF("t-node-0-0", "new", "2", "0") "," POD_OF(                                    \
                  "t-node-0-0", "old", "1", "0") "," POD_OF("t-node-0-1", "old", "1",              \
                                                            "0") "," POD_OF("t-node-0-1", "new",   \
                                                                            "2", "1"))

static void test_older_pods(void **state)
{
    static const char *const answers[] = {
        OK JOB, NOT_FOUND, PODS, LOG T "a\n", LOG T "b\n", NULL
    };
    struct cluster_fixture *f = *state;

    assert_int_equal(print_logs(f, answers), TY_EXIT_OK);
    assert_string_equal(f->b.out, "[node-0-0] a\n[node-0-1] b\n");
    assert_string_equal(f->b.err, "note: node-0-0 has an older pod: --previous prints its log\n");
    assert_has(f->peer.asked[3], "/pods/t-node-0-0-new/log?");
}

static void test_previous(void **state)
{
    static const char *const answers[] = {
        OK JOB, NOT_FOUND, PODS, LOG T "a\n", LOG T "b\n", NULL
    };
    struct cluster_fixture *f = *state;

    assert_int_equal(print_logs_of(f, answers, true), TY_EXIT_OK);
    assert_string_equal(f->b.out, "[node-0-0] a\n[node-0-1] b\n");
    assert_string_equal(f->b.err, "");
    assert_has(f->peer.asked[3], "/pods/t-node-0-0-old/log?");
    assert_null(strstr(f->peer.asked[3], "previous=true"));
    assert_has(f->peer.asked[4], "/pods/t-node-0-1-new/log?");
    assert_has(f->peer.asked[4], "previous=true");
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, cluster_setup, cluster_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = { TEST(test_a_silent_node), TEST(test_a_pod_that_is_gone),
                                        TEST(test_older_pods), TEST(test_previous) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
