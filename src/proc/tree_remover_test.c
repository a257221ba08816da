/* All of it is gone when it is done, with a thread and without one. */
#include "proc/tree_remover.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/testing.h"

enum { TREES = 2000 }; /* more than wait in the socket */

static void make_tree(const char *path)
{
    assert_int_equal(mkdir(path, 0755), 0);
    int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(mkdirat(dir, "a", 0755), 0);
    int fd = openat(dir, "a/file", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    close(fd);
    close(dir);
}

static void remove_all(struct ty_tree_remover *r, const char *top)
{
    char path[PATH_MAX];

    for (int i = 0; i < TREES; i++) {
        snprintf(path, sizeof(path), "%s/%d", top, i);
        make_tree(path);
    }
    for (int i = 0; i < TREES; i++) {
        snprintf(path, sizeof(path), "%s/%d", top, i);
        ty_tree_remover_add(r, path, 1);
    }
    memset(path, 'x', sizeof(path) - 1); /* ours, not the thread's */
}

static void test_many(void **state)
{
    (void)state;
    char top[] = "/tmp/trainyard-remover-XXXXXX";
    struct ty_tree_remover r;

    assert_non_null(mkdtemp(top));
    ty_tree_remover_init(&r);
    remove_all(&r, top);
    assert_true(r.to >= 0);
    ty_tree_remover_done(&r);
    assert_int_equal(rmdir(top), 0);
    ty_tree_remover_done(&r); /* again is nothing */
}

static void test_no_thread(void **state)
{
    (void)state;
    char top[] = "/tmp/trainyard-remover-XXXXXX";
    struct rlimit before, none;
    struct ty_tree_remover r;

    assert_non_null(mkdtemp(top));
    ty_tree_remover_init(&r);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    int next = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    none.rlim_cur = (rlim_t)next + 1; /* one descriptor: a socket pair needs two */
    close(next);
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/0", top);
    assert_int_equal(mkdir(path, 0755), 0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    ty_tree_remover_add(&r, path, 1);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(r.to, -1);
    ty_tree_remover_done(&r);
    assert_int_equal(rmdir(top), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_no_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
