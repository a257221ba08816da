/* Tests without a cluster; tests/install uses a real one. */
#include "cli/testing.h"

#define KUBECONFIG                                                                                 \
    "apiVersion: v1\nkind: Config\ncurrent-context: c\n"                                           \
    "clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]\n"                            \
    "contexts: [{name: c, context: {cluster: c}}, {name: it's, context: {cluster: c}}]\n"
#define NOWHERE "--kubeconfig", "k.yaml"

static void open_nowhere(struct ty_cli_fixture *b)
{
    fixture_open(b);
    fixture_file("k.yaml", KUBECONFIG);
}

static void test_default(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    open_nowhere(&b);
    assert_int_equal(FIXTURE_RUN(&b, "uninstall", NOWHERE, "-o", "name", "-n", "kubeflow"),
                     TY_EXIT_OK);
    assert_null(strstr(b.out, "namespace/"));
    assert_null(strstr(b.out, "customresourcedefinition"));
    assert_null(strstr(b.out, "clustertrainingruntime"));
    assert_has(b.out, "\nlease.coordination.k8s.io/trainer.kubeflow.org\n");
    assert_has(b.err, "warning: the cluster is not checked: cannot connect to 127.0.0.1 port 1");
    assert_has(b.err, "Goes (17 objects): the operator in namespace kubeflow,");
    assert_has(b.err, "  of the cluster of kubectl --kubeconfig k.yaml delete --ignore-not");
    assert_has(b.err, "  namespace kubeflow and what else is in it\n"
                      "      kubectl --kubeconfig k.yaml delete namespace kubeflow\n");
    assert_has(b.err, "  the CRDs with all TrainJobs, their JobSets and the roles for people\n"
                      "      trainyard uninstall --kubeconfig k.yaml -n kubeflow --crds | "
                      "kubectl --kubeconfig k.yaml delete --ignore-not-found -f -\n");
    assert_has(b.err, "trainyard uninstall --kubeconfig k.yaml -n kubeflow --runtimes | kubectl "
                      "--kubeconfig k.yaml delete");
    fixture_close(&b);
}

static void test_runtimes(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    open_nowhere(&b);
    assert_int_equal(FIXTURE_RUN(&b, "uninstall", NOWHERE, "--runtimes", "--service-monitor"),
                     TY_EXIT_OK);
    assert_has(b.out, "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\n"
                      "metadata:\n  name: torch-distributed\n");
    assert_has(b.out, "kind: ServiceMonitor\n");
    assert_null(strstr(b.out, "kind: CustomResourceDefinition"));
    assert_has(b.err, "namespace kubeflow-system");
    assert_null(strstr(b.err, "--runtimes"));
    fixture_close(&b);
}

/* kubectl would take the current context of its own kubeconfig for it. */
static void test_a_cluster_that_was_named(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    open_nowhere(&b);
    assert_int_equal(FIXTURE_RUN(&b, "uninstall", NOWHERE, "--context", "nope", "--crds", "--yes"),
                     TY_EXIT_USAGE);
    assert_has(b.err, "error: ");
    assert_has(b.err, "nope");
    assert_null(strstr(b.err, "warning: "));
    assert_int_equal(FIXTURE_RUN(&b, "uninstall", "--kubeconfig", "none.yaml"), TY_EXIT_USAGE);
    assert_has(b.err, "none.yaml");
    assert_int_equal(b.n_out, 0);
    assert_int_equal(FIXTURE_RUN(&b, "uninstall", NOWHERE, "--context", "it's"), TY_EXIT_OK);
    assert_has(b.err, "      kubectl --kubeconfig k.yaml --context 'it'\\''s' delete namespace "
                      "kubeflow-system\n");
    fixture_close(&b);
}

static void test_crds_want_a_cluster(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    open_nowhere(&b);
    assert_int_equal(FIXTURE_RUN(&b, "uninstall", NOWHERE, "--crds"), TY_EXIT_USAGE);
    assert_has(b.err, "without a terminal to ask on, say --yes");
    assert_int_equal(FIXTURE_RUN(&b, "uninstall", NOWHERE, "--crds", "--yes"), TY_EXIT_BAD);
    assert_has(b.err, "error: the cluster cannot be checked: cannot connect to 127.0.0.1 port 1");
    assert_has(b.err, "nothing is printed: name the cluster with --context or --kubeconfig");
    assert_int_equal(b.n_out, 0);
    fixture_close(&b);
}

static void test_usage(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    open_nowhere(&b);
    assert_int_equal(FIXTURE_RUN(&b, "uninstall", "torch"), TY_EXIT_USAGE);
    assert_int_equal(FIXTURE_RUN(&b, "uninstall", "-n", "Kubeflow"), TY_EXIT_USAGE);
    assert_has(b.err, "--namespace: \"Kubeflow\": a lowercase RFC 1123 label");
    assert_int_equal(b.n_out, 0);
    fixture_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_default),
        cmocka_unit_test(test_runtimes),
        cmocka_unit_test(test_a_cluster_that_was_named),
        cmocka_unit_test(test_crds_want_a_cluster),
        cmocka_unit_test(test_usage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
