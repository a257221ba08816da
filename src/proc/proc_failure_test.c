/* The text of a failed step names the step, its path and the error. */
#include "proc/proc_failure.h"

#include "base/testing.h"

static void steps_are_formatted(void **state)
{
    (void)state;
    char text[256], tiny[8];
    char name[] = "torchrun"; /* in a frame that will be gone */
    struct ty_proc_failure step;
    errno = ENOENT;
    assert_int_equal(ty_proc_failure_set(&step, "exec", name), -ENOENT);
    memset(name, 0, sizeof(name));
    ty_proc_failure_text(&step, text, sizeof(text));
    assert_string_equal(text, "exec torchrun: No such file or directory");
    errno = EPERM;
    assert_int_equal(ty_proc_failure_set(&step, "setsid", NULL), -EPERM);
    ty_proc_failure_text(&step, text, sizeof(text));
    assert_string_equal(text, "setsid: Operation not permitted");
    ty_proc_failure_text(&step, tiny, sizeof(tiny));
    assert_string_equal(tiny, "setsid:");
    char path[4000]; /* the reason is not lost behind a long path */
    memset(path, 'p', sizeof(path) - 1);
    path[sizeof(path) - 1] = 0;
    errno = EACCES;
    assert_int_equal(ty_proc_failure_set(&step, "mount", path), -EACCES);
    ty_proc_failure_text(&step, text, sizeof(text));
    assert_has(text, ": Permission denied");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_formatted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
