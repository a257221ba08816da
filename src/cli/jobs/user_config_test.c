#include "cli/jobs/user_config.h"
#include "cli/testing.h"

#include <errno.h>
#include <sys/stat.h>

static int setup(void **state)
{
    struct ty_cli_fixture *b = fixture_new(state);

    setenv("XDG_CONFIG_HOME", b->dir, 1);
    assert_int_equal(mkdir("trainyard", 0700), 0);
    return 0;
}

static int read_text(struct ty_cli_fixture *b, const char *text, struct ty_user_config *ret,
                     struct ty_err *err)
{
    fixture_file("trainyard/config.yaml", text);
    return ty_user_config_read(b->cli.arena, ret, err);
}

static void test_missing_is_empty(void **state)
{
    struct ty_cli_fixture *b = *state;
    struct ty_user_config c = { .cluster = true };
    struct ty_err err = { 0 };

    assert_int_equal(ty_user_config_read(b->cli.arena, &c, &err), 0);
    assert_false(c.cluster);
    assert_null(c.file);
    assert_int_equal(read_text(b, "# nothing\n", &c, &err), 0);
    assert_false(c.cluster);
}

static void test_fields(void **state)
{
    struct ty_user_config c = { 0 };
    struct ty_err err = { 0 };

    assert_int_equal(read_text(*state, "where: cluster\ncontext: lab\nnamespace: a\n", &c, &err),
                     0);
    assert_true(c.cluster);
    assert_string_equal(c.context, "lab");
    assert_string_equal(c.ns, "a");
    assert_int_equal(read_text(*state, "where: local\n", &c, &err), 0);
    assert_false(c.cluster);
    assert_null(c.context);
}

static void test_mistakes_name_the_field(void **state)
{
    static const char *const bad[][2] = {
        { "wherever: cluster\n", "config.yaml: wherever: unknown field" },
        { "where: moon\n", "config.yaml: where: must be local or cluster" },
        { "context: [a]\n", "config.yaml: context: must be a string" },
        { "namespace: ''\n", "config.yaml: namespace: must be a string" },
        { "- where\n", "must be one mapping" },
        { "where: local\n---\nwhere: cluster\n", "must be one mapping" },
        { "where: {\n", "config.yaml:" },
    };

    for (size_t i = 0; i < TY_COUNT(bad); i++) {
        struct ty_user_config c = { 0 };
        struct ty_err err = { 0 };
        assert_true(read_text(*state, bad[i][0], &c, &err) < 0);
        assert_has(err.text, bad[i][1]);
        assert_false(c.cluster);
    }
}

static void test_a_directory_is_an_error(void **state)
{
    struct ty_cli_fixture *b = *state;
    struct ty_user_config c = { 0 };
    struct ty_err err = { 0 };

    assert_int_equal(mkdir("trainyard/config.yaml", 0700), 0);
    assert_true(ty_user_config_read(b->cli.arena, &c, &err) < 0);
    assert_has(err.text, "trainyard/config.yaml: ");
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, fixture_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = { T(test_missing_is_empty), T(test_fields),
                                        T(test_mistakes_name_the_field),
                                        T(test_a_directory_is_an_error) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
