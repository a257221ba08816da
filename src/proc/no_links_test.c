/* Every part of the path counts, not only the last. */
#include "proc/no_links.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/testing.h"
#include "base/tree_testing.h"

static int open_in(const char *dir, const char *rest)
{
    char path[2 * PATH_MAX];
    snprintf(path, sizeof(path), "%s/%s", dir, rest);
    int fd = ty_no_links_open(path, O_RDONLY);
    if (fd >= 0)
        close(fd);
    return fd < 0 ? fd : 0;
}

static void test_links(void **state)
{
    (void)state;
    char made[] = "/tmp/trainyard-links-XXXXXX", dir[PATH_MAX], longer[400];

    assert_non_null(mkdtemp(made));
    assert_non_null(realpath(made, dir));
    assert_int_equal(chdir(dir), 0);
    assert_int_equal(mkdir("a", 0755) | mkdir("a/b", 0755) | mkdir("a/b/c", 0755), 0);
    assert_int_equal(symlink("a", "link") | symlink("b", "a/link"), 0);
    assert_int_equal(open_in(dir, "a/b/c"), 0);
    assert_int_equal(open_in(dir, "/a//b"), 0);
    assert_int_equal(open_in(dir, "link/b/c"), -ENOTDIR);
    assert_int_equal(open_in(dir, "a/link/c"), -ENOTDIR);
    assert_int_equal(open_in(dir, "a/link"), -ELOOP);
    assert_int_equal(open_in(dir, "a/none"), -ENOENT);
    assert_int_equal(open_in(dir, "none/a"), -ENOENT);
    memset(longer, 'x', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = 0;
    memcpy(longer + 300, "/a", 2);
    assert_int_equal(open_in(dir, longer), -ENAMETOOLONG);
    assert_int_equal(chdir("/"), 0);
    tree_remove(made);
}

static void test_parent(void **state)
{
    (void)state;
    const char *name = NULL;
    struct stat a, b;

    int fd = ty_no_links_open_parent("/proc/self", &name);
    assert_int_equal(fstat(fd, &a) | stat("/proc", &b), 0);
    assert_int_equal(a.st_ino, b.st_ino);
    assert_int_equal(a.st_dev, b.st_dev);
    assert_string_equal(name, "self");
    close(fd);
    fd = ty_no_links_open("/", O_PATH);
    assert_int_equal(fstat(fd, &a) | stat("/", &b), 0);
    assert_int_equal(a.st_ino, b.st_ino);
    close(fd);
}

static int open_last(const char *path, unsigned depth)
{
    int fd = ty_no_links_open_last(path, depth, O_RDONLY, 0);
    if (fd >= 0)
        close(fd);
    return fd < 0 ? fd : 0;
}

/* The state directory may be behind a link; in it there is none. */
static void test_last(void **state)
{
    (void)state;
    char made[] = "/tmp/trainyard-links-XXXXXX", path[PATH_MAX];

    assert_non_null(mkdtemp(made));
    assert_int_equal(chdir(made), 0);
    assert_int_equal(mkdir("a", 0755) | mkdir("a/b", 0755) | mkdir("a/b/c", 0755), 0);
    assert_int_equal(symlink("a", "link"), 0);
    snprintf(path, sizeof(path), "%s/link/b/c", made);
    assert_int_equal(open_last(path, 1), 0);
    assert_int_equal(open_last(path, 2), 0);
    assert_int_equal(open_last(path, 3), -ENOTDIR);
    assert_int_equal(open_last(path, 99), -ENOTDIR);
    assert_int_equal(open_last("link/b", 1), 0);
    assert_int_equal(open_last("link/b", 2), -ENOTDIR);
    assert_int_equal(open_last("link", 1), -ELOOP);
    assert_int_equal(open_last("a/b/c", 99), 0);
    assert_int_equal(open_last("none/b", 1), -ENOENT);
    assert_int_equal(ty_no_links_rename("link/b/c", 3, "d"), -ENOTDIR);
    assert_int_equal(ty_no_links_unlink("link/b/c", 3, AT_REMOVEDIR), -ENOTDIR);
    assert_null(ty_no_links_opendir("link/b/c", 3));
    assert_int_equal(errno, ENOTDIR);
    assert_int_equal(ty_no_links_mkdir("link/b/e", 3, 0700), -ENOTDIR);
    assert_int_equal(ty_no_links_mkdir("link", 1, 0700), -ENOTDIR); /* though it leads to one */
    assert_int_equal(ty_no_links_mkdir("none/b", 2, 0700), -ENOENT);
    assert_int_equal(ty_no_links_mkdir("link/b/e", 2, 0700), 0);
    assert_int_equal(ty_no_links_mkdir("a/b/e", 3, 0700), 1); /* exists */
    assert_int_equal(rmdir("a/b/e"), 0);
    assert_int_equal(ty_no_links_rename("link/b/c", 2, "d"), 0);
    assert_int_equal(ty_no_links_unlink("a/b/d", 3, AT_REMOVEDIR), 0);
    assert_int_equal(ty_no_links_unlink("link", 1, 0), 0); /* the link itself */
    assert_int_equal(chdir("/"), 0);
    tree_remove(made);
}

/* As the filters of older container runtimes do. */
static int refuse_openat2(void **state)
{
    (void)state;
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = { TY_COUNT(code), code };

    assert_int_equal(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    assert_int_equal(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), 0);
    assert_int_equal(syscall(SYS_openat2, AT_FDCWD, "/", NULL, 0), -1);
    assert_int_equal(errno, EPERM);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_links), cmocka_unit_test(test_parent),
                                        cmocka_unit_test(test_last) };
    int failed = cmocka_run_group_tests_name("openat2", tests, NULL, NULL);
    return failed + cmocka_run_group_tests_name("by name", tests, refuse_openat2, NULL);
}
