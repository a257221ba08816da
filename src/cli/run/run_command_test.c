#include "base/testing.h"
#include "cli/run/run_command.h"

#define TY_WORDS(lit) ((struct ty_str){ lit, sizeof(lit) - 1 })

static void test_as_typed(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 16);

    (void)state;
    assert_string_equal(ty_run_command(a, TY_WORDS("trainyard\0run\0a b\0\0x\0"), NULL),
                        "trainyard run a b  x");
    assert_string_equal(ty_run_command(a, TY_WORDS(""), NULL), "");
    assert_has(ty_run_command_own(a, NULL), "run_command_test");
}

/* However --env was written: the name stays, the value does not. */
static void test_values_of_variables(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 16);
    static const char *const env[] = { "TOKEN=hf_x=y", "PLAIN", "EMPTY=", NULL };

    (void)state;
    assert_string_equal(
        ty_run_command(
            a,
            TY_WORDS("trainyard\0run\0job.yaml\0--env\0TOKEN=hf_x=y\0--env=TOKEN=hf_x=y\0"
                     "-e\0TOKEN=hf_x=y\0-eTOKEN=hf_x=y\0-e=TOKEN=hf_x=y\0-qeTOKEN=hf_x=y\0"
                     "-e\0PLAIN\0-e\0EMPTY=\0--set\0spec.trainer.numNodes=2\0"),
            env),
        "trainyard run job.yaml --env TOKEN=*** --env=TOKEN=*** -e TOKEN=*** -eTOKEN=*** "
        "-e=TOKEN=*** -qeTOKEN=*** -e PLAIN -e EMPTY= --set spec.trainer.numNodes=2");
}

/* A command line that is longer than what is read of it ends before its last word. */
static void test_cut_off(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 16);
    static const char *const env[] = { "TOKEN=secret", NULL };

    (void)state;
    assert_string_equal(ty_run_command(a, TY_WORDS("trainyard\0run\0-e\0TOKEN=sec"), env),
                        "trainyard run -e …");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_as_typed),
                                        cmocka_unit_test(test_values_of_variables),
                                        cmocka_unit_test(test_cut_off) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
