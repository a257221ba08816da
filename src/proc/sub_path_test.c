#include "proc/sub_path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/testing.h"
#include "base/tree_testing.h"
#include "base/xalloc.h"

/* A volume `v` beside something that is not for its users. */
struct sub_path_box {
    char top[64], volume[80];
};

static int setup(void **state)
{
    struct sub_path_box *b = ty_xalloc(calloc(1, sizeof(*b)));

    snprintf(b->top, sizeof(b->top), "/tmp/sub-path-XXXXXX");
    assert_non_null(mkdtemp(b->top));
    snprintf(b->volume, sizeof(b->volume), "%s/v", b->top);
    assert_int_equal(chdir(b->top), 0);
    assert_int_equal(mkdir("v", 0755), 0);
    assert_int_equal(mkdir("outside", 0755), 0);
    *state = b;
    return 0;
}

static int teardown(void **state)
{
    struct sub_path_box *b = *state;

    assert_int_equal(chdir("/"), 0);
    tree_remove(b->top);
    free(b);
    return 0;
}

static void test_directories(void **state)
{
    struct sub_path_box *b = *state;
    struct stat st;

    assert_int_equal(ty_sub_path_create(b->volume, "a/b//c/"), 0);
    assert_int_equal(stat("v/a/b/c", &st), 0);
    assert_int_equal(ty_sub_path_create(b->volume, "a/b/c"), 0); /* exists */
    int fd = ty_sub_path_open(b->volume, "a/b/c"), file = open("v/file", O_CREAT | O_CLOEXEC, 0644);
    assert_true(fd >= 0 && file >= 0);
    close(fd);
    close(file);
    assert_int_equal(ty_sub_path_create(b->volume, "file"), 0); /* the last part may be one */
    assert_int_equal(ty_sub_path_create(b->volume, "file/x"), -ENOTDIR);
    assert_int_equal(ty_sub_path_open(b->volume, "no"), -ENOENT);
    assert_int_equal(ty_sub_path_create("/nowhere", "a"), -ENOENT);
}

static void test_links_stay_inside(void **state)
{
    struct sub_path_box *b = *state;
    char outside[96];
    struct stat st;

    snprintf(outside, sizeof(outside), "%s/outside", b->top);
    assert_int_equal(symlink(outside, "v/absolute"), 0);
    assert_int_equal(symlink("../outside", "v/relative"), 0);
    assert_int_equal(symlink("/real", "v/inner"), 0);
    assert_int_equal(mkdir("v/real", 0755), 0);
    assert_int_equal(ty_sub_path_open(b->volume, "absolute"), -ENOENT);
    assert_int_equal(ty_sub_path_open(b->volume, "relative"), -ENOENT);
    assert_int_equal(ty_sub_path_create(b->volume, "absolute/new"), -ENOENT);
    assert_int_equal(ty_sub_path_create(b->volume, "relative/new"), -ENOENT);
    assert_int_equal(stat("outside/new", &st), -1);
    assert_int_equal(ty_sub_path_create(b->volume, "inner/new"), 0);
    assert_int_equal(stat("v/real/new", &st), 0);
}

static void test_long_names(void **state)
{
    struct sub_path_box *b = *state;
    char name[6000];

    memset(name, 'x', 300);
    name[300] = '\0';
    assert_int_equal(ty_sub_path_create(b->volume, name), -ENAMETOOLONG);
    for (size_t i = 0; i < sizeof(name) - 1; i++)
        name[i] = i % 100 ? 'x' : '/';
    name[sizeof(name) - 1] = '\0';
    assert_int_equal(ty_sub_path_create(b->volume, name), -ENAMETOOLONG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_directories, setup, teardown),
        cmocka_unit_test_setup_teardown(test_links_stay_inside, setup, teardown),
        cmocka_unit_test_setup_teardown(test_long_names, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
