/* Tests without a cluster; tests/adopt uses a real one. */
#include "cli/cmds.h"
#include "cli/install/cluster.h"
#include "cli/testing.h"

#include <errno.h>

static int try_open(struct ty_cli_fixture *b, const struct ty_kube_opts *kube, struct ty_err *err)
{
    struct ty_cluster c;
    int r = ty_cluster_open(&c, &b->cli, kube, err);

    ty_cluster_close(&c);
    return r;
}

static void test_no_kubeconfig(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    struct ty_err err = { 0 };
    fixture_open(&b);
    setenv("HOME", b.dir, 1);
    unsetenv("KUBECONFIG");
    unsetenv("KUBERNETES_SERVICE_HOST");
    assert_int_equal(try_open(&b, &(struct ty_kube_opts){ 0 }, &err), -ENOENT);
    assert_int_equal(strncmp(err.text, "no kubeconfig: ", 15), 0);
    assert_int_equal(try_open(&b, &(struct ty_kube_opts){ .kubeconfig = "gone" }, &err), -ENOENT);
    assert_has(err.text, "gone: "); /* --kubeconfig names the file: no further hint */
    fixture_close(&b);
}

static void test_a_context_that_is_not_there(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    struct ty_err err = { 0 };
    struct ty_kube_opts kube = { .kubeconfig = "k.yaml", .context = "prod" };
    fixture_open(&b);
    fixture_file("k.yaml", "apiVersion: v1\nkind: Config\ncontexts: []\n");
    assert_true(try_open(&b, &kube, &err) < 0);
    assert_has(err.text, "prod");
    fixture_close(&b);
}

static void test_nobody_answers(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    struct ty_err err = { 0 };
    struct ty_cluster c;
    struct ty_cluster_query want = { .kind = &ty_kind_jobset };
    fixture_open(&b);
    fixture_file("k.yaml", "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
                           "clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]\n"
                           "contexts: [{name: c, context: {cluster: c}}]\n");
    if (ty_cluster_open(&c, &b.cli, &(struct ty_kube_opts){ .kubeconfig = "k.yaml" }, &err) < 0)
        fail_msg("%s", err.text);
    ty_cluster_read(&c, &want, 1);
    assert_int_equal(ty_cluster_snapshot_list_error(c.snapshot, &ty_kind_jobset)->r, -EAGAIN);
    ty_cluster_close(&c);
    fixture_flush(&b);
    assert_int_equal(b.n_err, 0); /* no terminal: no line of progress */
    fixture_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_kubeconfig),
        cmocka_unit_test(test_a_context_that_is_not_there),
        cmocka_unit_test(test_nobody_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
