/* Claims without a history; tests/history/test_claims.py has them with one. */
#include "cli/testing.h"
#include "cli/view/claims_view.h"

#include <stdlib.h>
#include <sys/stat.h>

static int setup(void **state)
{
    struct ty_cli_fixture *b = fixture_new(state);

    setenv("XDG_STATE_HOME", b->dir, 1);
    return mkdir("trainyard", 0700) | mkdir("trainyard/claims", 0700);
}

static void test_words(void **state)
{
    (void)state;
    assert_true(ty_claims_view_is_kind("claims"));
    assert_true(ty_claims_view_is_kind("pvc"));
    assert_true(ty_claims_view_is_kind("persistentvolumeclaim"));
    assert_false(ty_claims_view_is_kind("pods"));
}

static void test_table(void **state)
{
    struct ty_cli_fixture *b = *state;
    static const char *const names[] = { "data", "none" };

    assert_int_equal(ty_claims_view_print(&b->cli, NULL, NULL, 0, NULL), TY_EXIT_OK);
    fixture_flush(b);
    assert_string_equal(b->err, "No resources found\n");
    assert_int_equal(mkdir("trainyard/claims/data", 0700), 0);
    assert_int_equal(ty_claims_view_print(&b->cli, NULL, names, 2, "wide"), TY_EXIT_BAD);
    fixture_flush(b);
    assert_has(b->out, "NAME   STATUS   TRAINJOB   POLICY   AGE");
    assert_has(b->out, "data   Bound    <none>     Retain");
    assert_has(b->out, "/trainyard/claims/data\n");
    assert_has(b->err, "persistentvolumeclaims \"none\" not found");
}

static void test_objects(void **state)
{
    struct ty_cli_fixture *b = *state;
    static const char *const names[] = { "data" };

    assert_int_equal(mkdir("trainyard/claims/data", 0700), 0);
    assert_int_equal(ty_claims_view_print(&b->cli, NULL, names, 1, "yaml"), TY_EXIT_OK);
    assert_int_equal(ty_claims_view_print(&b->cli, NULL, NULL, 0, "name"), TY_EXIT_OK);
    fixture_flush(b);
    assert_has(b->out, "kind: PersistentVolumeClaim\n");
    assert_has(b->out, "    trainyard.dev/path: ");
    assert_has(b->out, "persistentvolumeclaim/data\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test_setup_teardown(test_table, setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_objects, setup, fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
