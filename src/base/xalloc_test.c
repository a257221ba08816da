#include "base/xalloc.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void copies_a_view(void **state)
{
    (void)state;
    char *copy = ty_xalloc_cstr((struct ty_str){ "abcdef", 3 });
    char *empty = ty_xalloc_cstr((struct ty_str){ 0 });

    assert_string_equal(copy, "abc");
    assert_string_equal(empty, "");
    free(copy);
    free(empty);
}

static void grows_by_doubling(void **state)
{
    (void)state;
    int *v = NULL;
    size_t cap = 0, changes = 0;

    for (size_t i = 0; i < 10000; i++) {
        size_t before = cap;
        ty_xroom(v, i, cap);
        changes += cap != before;
        v[i] = (int)i;
    }
    for (size_t i = 0; i < 10000; i++)
        assert_int_equal(v[i], i);
    assert_true(changes <= 11);
    ty_xroom(v, 100000, cap); /* far beyond the capacity */
    v[100000] = 1;
    free(v);
}

/* True if a capacity for item n aborts; in a child, because it does not return. */
static bool aborts(size_t n, size_t cap, size_t size)
{
    pid_t pid = fork();
    int status = 0;

    if (pid == 0) {
        ty_xalloc_cap(n, cap, size);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void aborts_on_overflow(void **state)
{
    (void)state;
    assert_int_equal(ty_xalloc_cap(0, 0, 24), 16);
    assert_int_equal(ty_xalloc_cap(16, 16, 24), 32);
    assert_int_equal(ty_xalloc_cap(100, 16, 24), 128);
    assert_false(aborts(0, SIZE_MAX / 64, 24));
    assert_true(aborts(0, SIZE_MAX / 32, 24)); /* twice the capacity is too many bytes */
    assert_true(aborts(SIZE_MAX / 8, 16, 24));
    assert_true(aborts(SIZE_MAX, 16, 1)); /* the capacity itself overflows */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_a_view),
        cmocka_unit_test(grows_by_doubling),
        cmocka_unit_test(aborts_on_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
