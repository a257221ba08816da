/* Against a scripted server; tests/history/test_verbs.py completes names of this machine. */
#include "cli/cluster/cluster_session_testing.h"

#define NAMED(name) "{\"metadata\":{\"name\":\"" name "\"}}"
#define POD(host)   "{\"metadata\":{\"name\":\"" host "-x\"},\"spec\":{\"hostname\":\"" host "\"}}"

#define NAMES(f, ...) FIXTURE_RUN(&(f)->b, "completion", "names", "--", __VA_ARGS__)

static void test_jobs(void **state)
{
    static const char *const answers[] = { LIST("1", NAMED("b") "," NAMED("a")),
                                           LIST("1", NAMED("c")), LIST("1", NAMED("d")), NULL };
    struct cluster_fixture *f = *state;

    cluster_serve(f, answers);
    assert_int_equal(NAMES(f, "wait", "--cluster"), TY_EXIT_OK);
    assert_string_equal(f->b.out, "a\nb\n");
    assert_has(f->peer.asked[0],
               "GET /apis/trainer.kubeflow.org/v1alpha1/namespaces/team/trainjobs?");
    assert_has(f->peer.asked[0], "PartialObjectMetadataList");
    NAMES(f, "delete", "x", "--unknown", "-nother", "--wait", "=", "false", "--context", "=", "c");
    assert_string_equal(f->b.out, "a\nb\nc\n");
    assert_has(f->peer.asked[1], "/namespaces/other/trainjobs?");
    assert_int_equal(mkdir("trainyard", 0700), 0);
    fixture_file("trainyard/config.yaml", "where: cluster\nnamespace: mine\n");
    NAMES(f, "logs");
    assert_string_equal(f->b.out, "a\nb\nc\nd\n");
    assert_has(f->peer.asked[2], "/namespaces/mine/trainjobs?");
    NAMES(f, "logs", "--local"); /* this machine has none */
    assert_string_equal(f->b.out, "a\nb\nc\nd\n");
    assert_string_equal(f->b.err, "");
}

static void test_nodes_and_namespaces(void **state)
{
    static const char *const answers[] = { LIST("1", POD("t-node-0-10") "," POD("t-node-0-2")),
                                           LIST("1", NAMED("team") "," NAMED("x")), NULL };
    struct cluster_fixture *f = *state;

    cluster_serve(f, answers);
    NAMES(f, "logs", "--tail", "5", "trainjob/t", "--cluster");
    assert_string_equal(f->b.out, "node-0-2\nnode-0-10\n");
    assert_has(f->peer.asked[0], "jobset-name%3Dt");
    NAMES(f, "get", "--context", "c", "-n");
    assert_string_equal(f->b.out, "node-0-2\nnode-0-10\nteam\nx\n");
    assert_has(f->peer.asked[1], "GET /api/v1/namespaces?");
    assert_string_equal(f->b.err, "");
}

static void test_contexts(void **state)
{
    struct cluster_fixture *f = *state;

    cluster_kubeconfig("http://127.0.0.1:1");
    NAMES(f, "top", "--cluster", "--context");
    NAMES(f, "doctor", "--kubeconfig", "kubeconfig", "--context", "=");
    assert_string_equal(f->b.out, "c\nc\n");
    assert_string_equal(f->b.err, "");
}

/* A shell expands what it is offered. */
static void test_hostile_names(void **state)
{
    static const char *const answers[] = {
        LIST("1",
             NAMED("$(touch owned)") "," NAMED("`x`") "," NAMED("a b") "," NAMED("~") "," NAMED(
                 "--all") "," NAMED("\\u001b[31m") "," NAMED("{a,b}") "," NAMED("good")),
        NULL
    };
    struct cluster_fixture *f = *state;

    cluster_serve(f, answers);
    NAMES(f, "wait", "--cluster");
    assert_string_equal(f->b.out, "good\n");
}

static void test_errors_are_silent(void **state)
{
    static const char *const answers[] = { FORBIDDEN, NULL };
    struct cluster_fixture *f = *state;

    NAMES(f, "wait", "--kubeconfig", "nowhere");
    NAMES(f, "wait", "--cluster", "--local");
    NAMES(f, "wait", "--context", "nowhere", "-n");
    NAMES(f, "wait", "--timeout");
    NAMES(f, "exec", "t", "node", "--", "ls");
    NAMES(f, "frobnicate");
    cluster_serve(f, answers);
    assert_int_equal(NAMES(f, "wait", "--cluster"), TY_EXIT_OK);
    assert_string_equal(f->b.out, "");
    assert_string_equal(f->b.err, "");
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, cluster_setup, cluster_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = { T(test_jobs), T(test_nodes_and_namespaces),
                                        T(test_contexts), T(test_hostile_names),
                                        T(test_errors_are_silent) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
