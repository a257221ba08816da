/* Errors before the cluster is contacted; tests/operator runs the operator. */
#include "cli/testing.h"

static int setup(void **state)
{
    static const char *const in_the_way[] = { "KUBECONFIG", "KUBERNETES_SERVICE_HOST",
                                              "KUBERNETES_SERVICE_PORT" };
    struct ty_cli_fixture *b = fixture_new(state);

    setenv("HOME", b->dir, 1);
    for (size_t i = 0; i < 3; i++)
        unsetenv(in_the_way[i]);
    return 0;
}

static void test_usage(void **state)
{
    static const char *const rows[][2] = { { "--zap-log-level", "loud" },
                                           { "--zap-encoder", "xml" },
                                           { "--zap-time-encoding", "sundial" } };
    struct ty_cli_fixture *b = *state;

    assert_int_equal(FIXTURE_RUN(b, "operator", "now"), TY_EXIT_USAGE);
    assert_has(b->err, "'now' is one word too many");
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        assert_int_equal(FIXTURE_RUN(b, "operator", rows[i][0], rows[i][1]), TY_EXIT_USAGE);
        assert_has(b->err, rows[i][1]);
    }
    assert_int_equal(FIXTURE_RUN(b, "operator", "--zap-devel=perhaps"), TY_EXIT_USAGE);
    assert_has(b->err, "perhaps");
}

/* As in v2.3.0, a flag does not consume the next word. */
static void test_devel_needs_no_value(void **state)
{
    static const char *const forms[] = { "--zap-devel", "--zap-devel=true", "--zap-devel=0" };
    struct ty_cli_fixture *b = *state;

    for (size_t i = 0; i < TY_COUNT(forms); i++) {
        assert_int_equal(FIXTURE_RUN(b, "operator", forms[i], "--kubeconfig", "no-kubeconfig"),
                         TY_EXIT_BAD);
        assert_has(b->err, "no-kubeconfig");
    }
}

/* A Deployment written for v2.3.0, which reads its flags with Go's package. */
static void test_one_dash(void **state)
{
    struct ty_cli_fixture *b = *state;

    assert_int_equal(FIXTURE_RUN(b, "operator", "-config=gone.yaml"), TY_EXIT_BAD);
    assert_has(b->err, "gone.yaml");
    assert_int_equal(FIXTURE_RUN(b, "operator", "-zap-log-level", "2", "-zap-devel=T", "-config",
                                 "gone-too.yaml"),
                     TY_EXIT_BAD);
    assert_has(b->err, "gone-too.yaml");
    assert_int_equal(FIXTURE_RUN(b, "operator", "-zap-log-level=loud"), TY_EXIT_USAGE);
    assert_has(b->err, "loud");
    assert_int_equal(FIXTURE_RUN(b, "operator", "-confg=gone.yaml"), TY_EXIT_USAGE);
    assert_has(b->err, "unknown option -confg (did you mean --config?)");
    assert_int_equal(FIXTURE_RUN(b, "operator", "-metrics-bind-address=:1"), TY_EXIT_USAGE);
    assert_has(b->err, "unknown option -metrics-bind-address\n");
    assert_int_equal(FIXTURE_RUN(b, "operator", "-help"), TY_EXIT_OK);
    assert_has(b->out, "-config=FILE");
    /* Other commands take -c as the first of joined letters. */
    assert_int_equal(FIXTURE_RUN(b, "render", "-config=gone.yaml"), TY_EXIT_USAGE);
    assert_has(b->err, "unknown option -c\n");
}

/* An empty value is none, as it is for v2.3.0. */
static void test_empty_values(void **state)
{
    struct ty_cli_fixture *b = *state;

    assert_int_equal(FIXTURE_RUN(b, "operator", "--config=", "--feature-gates=", "--context=",
                                 "--kubeconfig", "no-kubeconfig"),
                     TY_EXIT_BAD);
    assert_has(b->err, "no-kubeconfig");
    assert_int_equal(FIXTURE_RUN(b, "operator", "--kubeconfig="), TY_EXIT_BAD);
    assert_has(b->err, ".kube/config");
}

/* Checked in this order: configuration, plugins, cluster. */
static void test_what_it_is_given(void **state)
{
    struct ty_cli_fixture *b = *state;

    assert_int_equal(FIXTURE_RUN(b, "operator", "--config", "gone.yaml"), TY_EXIT_BAD);
    assert_has(b->err, "gone.yaml");
    fixture_file("bad.yaml", "apiVersion: config.trainer.kubeflow.org/v1alpha1\n"
                             "kind: Configuration\nwebhook: {port: many}\n");
    assert_int_equal(FIXTURE_RUN(b, "operator", "--config", "bad.yaml"), TY_EXIT_BAD);
    assert_has(b->err, "webhook.port");
    assert_int_equal(FIXTURE_RUN(b, "operator", "--plugin-dir", "no-such-folder"), TY_EXIT_BAD);
    assert_has(b->err, "no-such-folder");
    assert_int_equal(FIXTURE_RUN(b, "operator", "--kubeconfig", "no-kubeconfig"), TY_EXIT_BAD);
    assert_has(b->err, "no-kubeconfig");
    fixture_file("two", "apiVersion: v1\nkind: Config\ncurrent-context: a\ncontexts:\n"
                        "- {name: a, context: {cluster: c, user: u}}\n"
                        "clusters: [{name: c, cluster: {server: 'http://127.0.0.1:1'}}]\n"
                        "users: [{name: u, user: {}}]\n");
    assert_int_equal(FIXTURE_RUN(b, "operator", "--kubeconfig", "two", "--context", "elsewhere"),
                     TY_EXIT_BAD);
    assert_has(b->err, "elsewhere");
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, fixture_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = { T(test_usage), T(test_devel_needs_no_value),
                                        T(test_one_dash), T(test_empty_values),
                                        T(test_what_it_is_given) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
