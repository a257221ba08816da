#include "cli/state.h"
#include "cli/testing.h"

#include <sys/stat.h>

static void test_root(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 16);

    (void)state;
    setenv("HOME", "/h", 1);
    setenv("XDG_STATE_HOME", "/s", 1);
    assert_string_equal(ty_state_root(a), "/s/trainyard");
    assert_string_equal(ty_state_history(a), "/s/trainyard/trainyard.db");
    setenv("XDG_STATE_HOME", "not/absolute", 1);
    assert_string_equal(ty_state_root(a), "/h/.local/state/trainyard");
    unsetenv("XDG_STATE_HOME");
    assert_string_equal(ty_state_root(a), "/h/.local/state/trainyard");
    unsetenv("HOME");
    assert_string_equal(ty_state_root(a), "/tmp/.local/state/trainyard");
}

static bool there(const char *path)
{
    return access(path, F_OK) == 0;
}

static void test_only_what_is_in_the_folder_of_runs(void **state)
{
    static const char *const below[] = {
        "", "/.", "/..", "/../trainyard.db", "/a/..", "/a/../..", "/./a", "/a//b", "//",
    };
    struct ty_bench b;
    struct ty_err err = { 0 };

    (void)state;
    bench_open(&b);
    setenv("XDG_STATE_HOME", b.dir, 1);
    assert_int_equal(mkdir("trainyard", 0700), 0);
    assert_int_equal(mkdir("trainyard/runs", 0700), 0);
    assert_int_equal(mkdir("trainyard/runs/a", 0700), 0);
    assert_int_equal(mkdir("trainyard/runs/a/logs", 0700), 0);
    bench_file("trainyard/trainyard.db", "x");
    bench_file("trainyard/runs/a/logs/log", "x");
    bench_file("precious", "x");
    assert_int_equal(symlink(b.dir, "trainyard/runs/a/up"), 0);
    char *runs = ty_state_runs(b.cli.arena);
    for (size_t i = 0; i < sizeof(below) / sizeof(*below); i++) {
        char *path = ty_arena_printf(b.cli.arena, "%s%s", runs, below[i]);
        assert_int_equal(ty_state_remove(b.cli.arena, path, &err), 0);
        assert_true(there("trainyard/runs/a/logs/log") && there("trainyard/trainyard.db"));
    }
    assert_int_equal(ty_state_remove(b.cli.arena, "precious", &err), 0);
    assert_int_equal(ty_state_remove(b.cli.arena, "", &err), 0);
    char *path = ty_arena_printf(b.cli.arena, "%s/a", runs);
    assert_int_equal(ty_state_remove(b.cli.arena, path, &err), 0);
    assert_false(there("trainyard/runs/a"));
    assert_true(there("precious")); /* a link is removed, not followed */
    assert_int_equal(ty_state_remove(b.cli.arena, path, &err), 0); /* gone is gone */
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_root),
                                        cmocka_unit_test(test_only_what_is_in_the_folder_of_runs) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
