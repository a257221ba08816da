#include "proc/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/testing.h"
#include "base/tree_testing.h"

struct regular_file_fixture {
    char start[4096]; /* the working directory before */
    char dir[64];
};

static int setup(void **state)
{
    struct regular_file_fixture *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    assert_non_null(getcwd(f->start, sizeof(f->start)));
    snprintf(f->dir, sizeof(f->dir), "%s", "/tmp/trainyard-test-XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    assert_int_equal(chdir(f->dir), 0);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct regular_file_fixture *f = *state;

    assert_int_equal(chdir(f->start), 0);
    tree_remove(f->dir);
    free(f);
    return 0;
}

/* Each of these would wait for ever, or write elsewhere. */
static void test_what_is_no_file(void **state)
{
    static const char *const names[] = { "fifo", "link", "dir" };

    (void)state;
    assert_int_equal(mkfifo("fifo", 0600), 0);
    assert_int_equal(symlink("target", "link"), 0);
    assert_int_equal(mkdir("dir", 0700), 0);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(ty_regular_file_open(names[i], TY_DEPTH_ENTRY, O_RDONLY, 0), -EBADF);
        assert_true(ty_regular_file_open(names[i], TY_DEPTH_ENTRY, O_WRONLY | O_CREAT, 0600) < 0);
        assert_null(ty_regular_file_fopen(names[i], TY_DEPTH_ENTRY, "w"));
        assert_null(ty_regular_file_fopen(names[i], TY_DEPTH_ENTRY, "a"));
        assert_null(ty_regular_file_fopen(names[i], TY_DEPTH_ENTRY, "r"));
    }
    int reader = open("fifo", O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* then it can be opened */
    assert_int_equal(ty_regular_file_open("fifo", TY_DEPTH_ENTRY, O_WRONLY, 0), -EBADF);
    close(reader);
    assert_int_equal(access("target", F_OK), -1);
    assert_int_equal(ty_regular_file_open("none", TY_DEPTH_ENTRY, O_RDONLY, 0), -ENOENT);
    assert_null(ty_regular_file_fopen("none", TY_DEPTH_ENTRY, "r"));
    assert_int_equal(errno, ENOENT);
}

static void test_files(void **state)
{
    char text[16] = "";

    (void)state;
    FILE *f = ty_regular_file_fopen("f", TY_DEPTH_ENTRY, "w");
    assert_non_null(f);
    assert_true(fputs("old", f) >= 0);
    assert_int_equal(fclose(f), 0);
    f = ty_regular_file_fopen("f", TY_DEPTH_ENTRY, "w"); /* instead of what was there */
    assert_true(fputs("a", f) >= 0);
    assert_int_equal(fclose(f), 0);
    f = ty_regular_file_fopen("f", TY_DEPTH_ENTRY, "a");
    assert_true(fputs("b", f) >= 0);
    assert_int_equal(fclose(f), 0);
    f = ty_regular_file_fopen("f", TY_DEPTH_ENTRY, "r");
    assert_non_null(fgets(text, sizeof(text), f));
    assert_string_equal(text, "ab");
    assert_int_equal(fclose(f), 0);
}

static void test_locks(void **state)
{
    (void)state;
    int one = ty_regular_file_open("lock", TY_DEPTH_ENTRY, O_RDWR | O_CREAT, 0600);
    int two = ty_regular_file_open("lock", TY_DEPTH_ENTRY, O_RDWR | O_CREAT, 0600);
    int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    assert_int_equal(ty_regular_file_lock(one, LOCK_EX, AT_FDCWD, "lock"), 0);
    assert_int_equal(ty_regular_file_lock(two, LOCK_SH, AT_FDCWD, "lock"), -EWOULDBLOCK);
    assert_int_equal(unlink("lock"), 0);
    assert_int_equal(ty_regular_file_lock(one, LOCK_EX, here, "lock"), -ESTALE);
    int three = ty_regular_file_open("lock", TY_DEPTH_ENTRY, O_RDWR | O_CREAT,
                                     0600); /* another of that name */
    assert_int_equal(ty_regular_file_lock(one, LOCK_EX, here, "lock"), -ESTALE);
    assert_int_equal(ty_regular_file_lock(three, LOCK_EX, here, "lock"), 0);
    assert_int_equal(ty_regular_file_lock(here, LOCK_EX, AT_FDCWD, "."), 0); /* a directory */
    close(one);
    close(two);
    close(three);
    close(here);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_what_is_no_file, setup, teardown),
        cmocka_unit_test_setup_teardown(test_files, setup, teardown),
        cmocka_unit_test_setup_teardown(test_locks, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
