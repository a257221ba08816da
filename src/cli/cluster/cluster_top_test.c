/* Against a scripted server. */
#include "cli/cluster/cluster_session_testing.h"
#include "cli/cluster/cluster_top.h"

#define METRICS(name, cpu, memory)                                                                 \
    "{\"metadata\":{\"name\":\"" name "\"},\"containers\":[{\"name\":\"node\",\"usage\":{"         \
    "\"cpu\":\"" cpu "\",\"memory\":\"" memory "\"}},{\"name\":\"side\",\"usage\":{"               \
    "\"cpu\":\"1m\",\"memory\":\"1Mi\"}}]}"
#define POD(name, host, phase)                                                                     \
    "{\"metadata\":{\"name\":\"" name "\",\"labels\":{\"jobset.sigs.k8s.io/jobset-name\":\"t\"}}," \
    "\"spec\":{\"hostname\":\"" host "\"},\"status\":{\"phase\":\"" phase "\"}}"

static int show_top(struct cluster_fixture *f, bool json)
{
    struct ty_where_opts where = { .cluster = true };
    int code = ty_cluster_top(
        &f->b.cli, &(struct ty_cluster_top_opts){ .where = &where, .json = json, .headers = true });

    fixture_flush(&f->b);
    return code;
}

static void test_rows(void **state)
{
    static const char *const answers[] = {
        LIST("1", METRICS("b", "1500123456n", "2097152Ki") "," METRICS("x", "odd", "-3")),
        LIST("1", POD("c", "t-node-0-10", "Running") "," POD("b", "t-node-0-2", "Running") "," POD(
                      "d", "t-node-0-3", "Succeeded")),
        NULL
    };
    struct cluster_fixture *f = *state;

    cluster_serve(f, answers);
    assert_int_equal(show_top(f, false), TY_EXIT_OK);
    assert_string_equal(f->b.out, "NAME          CPU(cores)   MEMORY(bytes)\n"
                                  "t/node-0-2    1502m        2049Mi\n"
                                  "t/node-0-10   0m           0Mi\n");
    assert_has(f->peer.asked[0], "GET /apis/metrics.k8s.io/v1beta1/namespaces/team/pods?");
}

static void test_no_metrics(void **state)
{
    static const char *const answers[] = { "HTTP/1.1 404 Not Found\r\n\r\n404 page not found\n",
                                           LIST("1", METRICS("b", "1", "1Gi")), LIST("1", ""),
                                           NULL };
    struct cluster_fixture *f = *state;

    cluster_serve(f, answers);
    assert_int_equal(show_top(f, false), TY_EXIT_BAD);
    assert_string_equal(f->b.err, "error: the cluster of context \"c\" has no metrics of pods: "
                                  "metrics-server is not installed\n");
    assert_int_equal(show_top(f, true), TY_EXIT_OK);
    assert_string_equal(f->b.out, "[]\n");
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, cluster_setup, cluster_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = { TEST(test_rows), TEST(test_no_metrics) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
