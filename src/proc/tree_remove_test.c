/* What jobs may leave behind: too many levels, links out, what cannot be opened. */
#include "proc/tree_remove.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/testing.h"

static void make_dir(char *top)
{
    assert_non_null(mkdtemp(top));
    assert_int_equal(chdir(top), 0);
}

/* More levels than descriptors. */
static void test_deep(void **state)
{
    (void)state;
    char top[] = "/tmp/trainyard-deep-XXXXXX";
    struct rlimit before, few;

    make_dir(top);
    int at = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < 600; i++) {
        assert_int_equal(mkdirat(at, ".moved-1", 0755), 0);
        assert_int_equal(mkdirat(at, "beside", 0755), 0);
        int below = openat(at, ".moved-1", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(at);
        at = below;
    }
    close(at);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    few.rlim_cur = 256;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    ty_tree_remove(top, 1);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(access(top, F_OK), -1);
    assert_int_equal(chdir("/"), 0);
}

static void test_links(void **state)
{
    (void)state;
    char top[] = "/tmp/trainyard-tree-XXXXXX";
    char path[64];

    make_dir(top);
    assert_int_equal(mkdir("precious", 0755) | mkdir("precious/data", 0755), 0);
    assert_int_equal(mkdir("scratch", 0755) | mkdir("scratch/a", 0755), 0);
    assert_int_equal(symlink("../precious", "scratch/link"), 0);
    assert_int_equal(symlink("../../precious/data", "scratch/a/link"), 0);
    assert_int_equal(symlink("precious", "link"), 0);
    snprintf(path, sizeof(path), "%s/link", top);
    ty_tree_remove(path, 1); /* a link itself is not entered */
    snprintf(path, sizeof(path), "%s/scratch", top);
    ty_tree_remove(path, 1);
    assert_int_equal(access("scratch", F_OK), -1);
    assert_int_equal(access("precious/data", F_OK), 0);
    assert_int_equal(chdir("/"), 0);
    ty_tree_remove(top, 1);
    assert_int_equal(access(top, F_OK), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
