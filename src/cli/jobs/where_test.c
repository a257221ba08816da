#include "cli/cmds.h"
#include "cli/jobs/where.h"
#include "cli/testing.h"

#include <sys/stat.h>

static int setup(void **state)
{
    struct ty_cli_fixture *b = fixture_new(state);

    setenv("XDG_CONFIG_HOME", b->dir, 1);
    setenv("KUBECONFIG", "/somewhere/config", 1); /* never decides */
    assert_int_equal(mkdir("trainyard", 0700), 0);
    return 0;
}

static int where(struct ty_cli_fixture *b, struct ty_where_opts opts)
{
    int side = ty_where(&b->cli, &ty_cmd_get, &opts);

    fixture_flush(b);
    return side;
}

static void test_this_machine_is_the_default(void **state)
{
    assert_int_equal(where(*state, (struct ty_where_opts){ 0 }), TY_WHERE_LOCAL);
    assert_int_equal(where(*state, (struct ty_where_opts){ .history.run = "3" }), TY_WHERE_LOCAL);
}

static void test_options(void **state)
{
    assert_int_equal(where(*state, (struct ty_where_opts){ .cluster = true }), TY_WHERE_CLUSTER);
    assert_int_equal(where(*state, (struct ty_where_opts){ .context = "c" }), TY_WHERE_CLUSTER);
    assert_int_equal(where(*state, (struct ty_where_opts){ .kubeconfig = "f" }), TY_WHERE_CLUSTER);
    assert_int_equal(where(*state, (struct ty_where_opts){ .local = true }), TY_WHERE_LOCAL);
}

static void test_options_that_exclude_each_other(void **state)
{
    struct ty_cli_fixture *b = *state;

    assert_int_equal(where(b, (struct ty_where_opts){ .cluster = true, .local = true }), -1);
    assert_has(b->err, "error: --local and --cluster exclude each other");
    assert_int_equal(where(b, (struct ty_where_opts){ .context = "c", .local = true }), -1);
    assert_has(b->err, "error: --local and --context exclude each other");
    assert_int_equal(where(b, (struct ty_where_opts){ .kubeconfig = "c", .local = true }), -1);
    assert_has(b->err, "error: --local and --kubeconfig exclude each other");
    assert_int_equal(where(b, (struct ty_where_opts){ .cluster = true, .history.run = "3" }), -1);
    assert_has(b->err, "error: --run 3: only this machine numbers its runs");
}

static void test_configuration(void **state)
{
    struct ty_cli_fixture *b = *state;

    fixture_file("trainyard/config.yaml", "where: cluster\n");
    assert_int_equal(where(b, (struct ty_where_opts){ 0 }), TY_WHERE_CLUSTER);
    assert_int_equal(where(b, (struct ty_where_opts){ .local = true }), TY_WHERE_LOCAL);
    assert_int_equal(where(b, (struct ty_where_opts){ .history.run = "3" }), -1);
    assert_has(b->err, "as configured in ");
    assert_has(b->err, "trainyard/config.yaml; add --local");
    fixture_file("trainyard/config.yaml", "where: sky\n");
    assert_int_equal(where(b, (struct ty_where_opts){ 0 }), -1);
    assert_has(b->err, "where: must be local or cluster; --local or --cluster decides without it");
    assert_int_equal(where(b, (struct ty_where_opts){ .local = true }), TY_WHERE_LOCAL);
    assert_int_equal(where(b, (struct ty_where_opts){ .cluster = true }), TY_WHERE_CLUSTER);
}

static void test_kubectl_plugin(void **state)
{
    struct ty_cli_fixture *b = *state;

    b->cli.kubectl = true;
    assert_int_equal(where(b, (struct ty_where_opts){ 0 }), TY_WHERE_CLUSTER);
    assert_int_equal(where(b, (struct ty_where_opts){ .local = true }), TY_WHERE_LOCAL);
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, fixture_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = { T(test_this_machine_is_the_default), T(test_options),
                                        T(test_options_that_exclude_each_other),
                                        T(test_configuration), T(test_kubectl_plugin) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
