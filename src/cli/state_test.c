#include "cli/state.h"
#include "cli/testing.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_root) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
