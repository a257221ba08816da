/* logs without --follow against a scripted server; tests/operator/test_cli_verbs.py uses a real
 * control plane. The answers come in the order of the requests. */
#include "cli/cluster/cluster_logs.h"
#include "cli/cluster/cluster_session_testing.h"

#define LOG  "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
#define BUSY "HTTP/1.1 500 Internal Server Error\r\n\r\n" STATUS(500, "InternalError", "no kubelet")
#define JOB  "{\"metadata\":{\"name\":\"t\",\"namespace\":\"team\",\"uid\":\"u\"}}"
#define POD(host)                                                                                  \
    "{\"metadata\":{\"name\":\"" host "-x\",\"namespace\":\"team\",\"uid\":\"" host                \
    "\"},\"spec\":{\"hostname\":\"" host "\",\"containers\":[{\"name\":\"node\"}]},\"status\":{"   \
    "\"phase\":\"Running\",\"containerStatuses\":[{\"name\":\"node\",\"restartCount\":0,"          \
    "\"state\":{\"running\":{}}}]}}"
#define T "2026-11-17T18:40:01.000000000Z "

static int print_logs(struct cluster_fixture *f, const char *const *answers)
{
    struct ty_cluster_logs_opts opts = { .job = "t", .tail = -1, .attempt = -1, .quiet_ms = 1 };
    struct ty_cluster_session *s = NULL;

    cluster_serve(f, answers);
    assert_int_equal(
        ty_cluster_session_open(&f->b.cli, &(struct ty_where_opts){ .cluster = true }, &s), 0);
    int code = ty_cluster_logs(&f->b.cli, s, &opts, NULL);
    ty_cluster_session_free(s);
    fixture_flush(&f->b);
    return code;
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

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, cluster_setup, cluster_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = { TEST(test_a_silent_node), TEST(test_a_pod_that_is_gone) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
