#include "store/file.h"

#include "base/testing.h"
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static void test_pipe_past_the_limit(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new((size_t)1 << 32);
    struct ty_str text;
    struct ty_err err = { 0 };
    int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC); /* has no size to look at */
    assert_int_equal(ty_file_read(a, "-", fd, &text, &err), -EFBIG);
    assert_has(err.text, "MB or more is more than the 32 MB limit");
    close(fd);
}

static void test_what_is_no_file(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_str text;
    struct ty_err err = { 0 };
    assert_int_equal(ty_file_read(a, "/", -1, &text, &err), -EISDIR);
    assert_int_equal(ty_file_read(a, "/nonexistent", -1, &text, &err), -ENOENT);
    assert_string_equal(err.text, "cannot open: No such file or directory");
}

static void test_reads_all(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_str text;
    struct ty_err err = { 0 };
    int fds[2];
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    assert_int_equal(write(fds[1], "hello", 5), 5);
    close(fds[1]);
    assert_int_equal(ty_file_read(a, "-", fds[0], &text, &err), 0);
    assert_true(ty_str_is(text, "hello"));
    assert_int_equal(close(fds[0]), 0); /* it was borrowed */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pipe_past_the_limit),
        cmocka_unit_test(test_what_is_no_file),
        cmocka_unit_test(test_reads_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
