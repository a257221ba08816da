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

#define TRAINJOB(status)                                                                           \
    OK "{\"metadata\":{\"name\":\"t\",\"namespace\":\"team\"},\"status\":{\"conditions\":[" status \
       "]}}"
#define SAMPLE LIST("1", METRICS("b", "1", "1Gi")), LIST("1", POD("b", "t-node-0-0", "Running"))

/* On a terminal; what the user types is there before. */
static int show_live(struct cluster_fixture *f, const char *typed, int64_t every_ms, char *seen,
                     size_t cap)
{
    struct ty_where_opts where = { .cluster = true };
    int master = fixture_terminal(&f->b);

    setenv("TERM", "xterm", 1);
    f->b.cli.in = fileno(f->b.cli.out);
    assert_int_equal(write(master, typed, strlen(typed)), strlen(typed));
    int code = ty_cluster_top(
        &f->b.cli, &(struct ty_cluster_top_opts){
                       .where = &where, .word = "t", .headers = true, .every_ms = every_ms });
    fixture_terminal_read(&f->b, master, seen, cap);
    fixture_flush(&f->b);
    return code;
}

static void test_live_until_a_key(void **state)
{
    static const char *const answers[] = { TRAINJOB(""), NOT_FOUND, SAMPLE, NULL };
    struct cluster_fixture *f = *state;
    char seen[8192];

    cluster_serve(f, answers);
    assert_int_equal(show_live(f, "q\n", 0, seen, sizeof(seen)), TY_EXIT_OK);
    assert_has(seen, "\033[?25l");                             /* it is drawn */
    assert_has(strstr(seen, "\033[?25h"), "node-0-0   1001m"); /* and the last table stays */
    assert_string_equal(f->b.err, "");
}

static void test_live_until_the_end_of_the_job(void **state)
{
    static const char *const answers[] = { TRAINJOB(""),
                                           NOT_FOUND,
                                           SAMPLE,
                                           TRAINJOB(""),
                                           NOT_FOUND,
                                           SAMPLE,
                                           TRAINJOB("{\"type\":\"Complete\",\"status\":\"True\"}"),
                                           NOT_FOUND,
                                           NULL };
    struct cluster_fixture *f = *state;
    char seen[8192];

    cluster_serve(f, answers);
    assert_int_equal(show_live(f, "", 50, seen, sizeof(seen)), TY_EXIT_OK);
    assert_has(seen, "node-0-0");
    assert_string_equal(f->b.err, "note: trainjob \"t\" is Complete\n");
}

/* The message is not lost below the table. */
static void test_live_until_an_error(void **state)
{
    static const char *const answers[] = { TRAINJOB(""), NOT_FOUND, SAMPLE, FORBIDDEN, NULL };
    struct cluster_fixture *f = *state;
    char seen[8192];

    cluster_serve(f, answers);
    assert_int_equal(show_live(f, "", 50, seen, sizeof(seen)), TY_EXIT_BAD);
    assert_has(f->b.err, "error: cannot get TrainJob \"t\": you may not get trainjobs");
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, cluster_setup, cluster_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = { TEST(test_rows), TEST(test_no_metrics),
                                        TEST(test_live_until_a_key),
                                        TEST(test_live_until_the_end_of_the_job),
                                        TEST(test_live_until_an_error) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
