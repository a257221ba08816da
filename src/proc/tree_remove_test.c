/* What jobs may leave behind: too many levels, links out, what cannot be opened. */
#include "proc/tree_remove.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
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

/* As an ordinary user, if this is root: root needs no rights. */
static void test_read_only(void **state)
{
    (void)state;
    char top[] = "/tmp/trainyard-tree-XXXXXX";
    int status = 0;

    make_dir(top);
    assert_int_equal(chmod(top, 0777), 0);
    pid_t pid = fork();
    if (pid == 0) {
        char path[64];
        if (geteuid() == 0 && (setgid(65534) < 0 || setuid(65534) < 0))
            _exit(1);
        bool made = mkdir("a", 0755) == 0 && mkdir("a/none", 0755) == 0 &&
                    mkdir("a/none/b", 0755) == 0 && mkdir("a/none/b/c", 0755) == 0;
        bool taken = chmod("a/none/b", 0555) == 0 && chmod("a/none", 0) == 0;
        snprintf(path, sizeof(path), "%s/a", top);
        ty_tree_remove(path, 1);
        _exit(made && taken && access("a", F_OK) < 0 ? 0 : 2);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(chdir("/"), 0);
    ty_tree_remove(top, 1);
    assert_int_equal(access(top, F_OK), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_read_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
