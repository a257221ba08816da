#include "proc/program.h"

#include "base/testing.h"

static const char *run_shell(struct ty_arena *a, const char *script, size_t max, int64_t ms)
{
    return ty_program_output(a, (const char *const[]){ "/bin/sh", "-c", script, NULL }, max, ms);
}

static void test_output(void **state)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);

    (void)state;
    assert_string_equal(run_shell(a, "echo one; echo two >&2; echo three; exit 3", 100, 60000),
                        "one\nthree");
    assert_string_equal(run_shell(a, "echo 0123456789", 4, 60000), "0123");
    assert_null(run_shell(a, "true", 100, 60000));
    assert_null(ty_program_output(a, (const char *const[]){ "/nonexistent", NULL }, 100, 60000));
}

/* Sleeps for longer than the whole test may last. */
static void test_out_of_time(void **state)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);

    (void)state;
    assert_null(run_shell(a, "echo half; sleep 3600; echo more", 100, 50));
    /* Closed: it is not waited for. */
    assert_null(run_shell(a, "exec >&-; sleep 3600", 100, 60000));
}

static void test_path(void **state)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);
    const char *sh = ty_program_find(a, "sh");

    (void)state;
    assert_non_null(sh);
    assert_has(sh, "/sh");
    assert_null(ty_program_find(a, "no-such-program"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_output),
        cmocka_unit_test(test_out_of_time),
        cmocka_unit_test(test_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
