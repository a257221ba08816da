#include "cli/testing.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "cli/run/run_gc.h"
#include "store/history/run_lock.h"

static void make_run(const char *name, bool lock)
{
    static const char *const below[] = { "", "/logs", "/pods", "/pods/a", "/pods/a/tmp" };
    char path[128];

    for (size_t i = 0; i < TY_COUNT(below); i++) {
        snprintf(path, sizeof(path), "runs/%s%s", name, below[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    static const char *const files[] = { "logs/log", "pods/a/tmp/file", "rsh.sock", "lock" };
    for (size_t i = 0; i < (lock ? 4 : 3); i++) {
        snprintf(path, sizeof(path), "runs/%s/%s", name, files[i]);
        fixture_file(path, "x");
    }
}

static bool path_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static void test_only_the_dead(void **state)
{
    struct ty_cli_fixture b;
    struct ty_err err = { 0 };

    (void)state;
    fixture_open(&b);
    assert_int_equal(mkdir("runs", 0700), 0);
    make_run("dead", true);
    make_run("alive", true);
    make_run("young", false); /* between its folders and its lock */
    make_run("kept", true);
    fixture_file("runs/file", "not a run");
    assert_int_equal(symlink("/nowhere", "runs/dead/pods/a/link"), 0);
    assert_int_equal(symlink(b.dir, "runs/dead/pods/a/up"), 0); /* is removed, not followed */
    ty_run_gc_exclude(b.cli.arena, "runs/kept");
    int lock = ty_run_lock_acquire("runs/alive", &err);
    assert_true(lock >= 0);
    ty_run_gc(b.cli.arena, "runs");
    assert_false(path_exists("runs/dead/pods"));
    assert_false(path_exists("runs/dead/rsh.sock"));
    assert_true(path_exists("runs/dead/logs/log"));
    assert_true(path_exists("runs/alive/pods/a/tmp/file") && path_exists("runs/alive/rsh.sock"));
    assert_true(path_exists("runs/young/pods/a/tmp/file") && path_exists("runs/young/rsh.sock"));
    assert_true(path_exists("runs/kept/pods/a/tmp/file"));
    close(lock);
    ty_run_gc(b.cli.arena, "runs");
    assert_false(path_exists("runs/alive/pods"));
    ty_run_gc(b.cli.arena, "no/such/folder");
    fixture_close(&b);
}

static void test_an_empty_folder_may_be_that_of_a_beginner(void **state)
{
    struct ty_cli_fixture b;

    (void)state;
    fixture_open(&b);
    assert_int_equal(mkdir("runs", 0700), 0);
    assert_int_equal(mkdir("runs/new", 0700), 0);
    assert_int_equal(mkdir("runs/new/pods", 0700), 0);
    fixture_file("runs/new/lock", "");
    fixture_file("runs/new/rsh.sock", "");
    ty_run_gc(b.cli.arena, "runs");
    assert_true(path_exists("runs/new/pods") && path_exists("runs/new/rsh.sock"));
    fixture_close(&b);
}

/* A link in place of a run has nothing that its target has. */
static void test_a_link_is_no_run(void **state)
{
    struct ty_cli_fixture b;

    (void)state;
    fixture_open(&b);
    assert_int_equal(mkdir("runs", 0700), 0);
    make_run("kept", true);
    ty_run_gc_exclude(b.cli.arena, "runs/kept");
    assert_int_equal(symlink("kept", "runs/link"), 0);
    assert_true(ty_run_gc_is_excluded(b.cli.arena, "runs/kept"));
    assert_false(ty_run_gc_is_excluded(b.cli.arena, "runs/link"));
    fixture_close(&b);
}

/* Port claims of killed runs are removed; those of live runs stay. */
static void test_ports(void **state)
{
    struct ty_cli_fixture b;

    (void)state;
    fixture_open(&b);
    assert_int_equal(mkdir("runs", 0700), 0);
    fixture_file("runs/port-1.lock", "");
    fixture_file("runs/port-2.lock", "");
    fixture_file("runs/port-3", "not one of them");
    fixture_file("precious", "x");
    assert_int_equal(symlink("../precious", "runs/port-4.lock"), 0);
    int fd = open("runs/port-2.lock", O_RDWR | O_CLOEXEC);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    ty_run_gc(b.cli.arena, "runs");
    assert_false(path_exists("runs/port-1.lock"));
    assert_true(path_exists("runs/port-2.lock") && path_exists("runs/port-3") &&
                path_exists("precious"));
    close(fd);
    ty_run_gc(b.cli.arena, "runs");
    assert_false(path_exists("runs/port-2.lock"));
    fixture_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ports),
        cmocka_unit_test(test_a_link_is_no_run),
        cmocka_unit_test(test_only_the_dead),
        cmocka_unit_test(test_an_empty_folder_may_be_that_of_a_beginner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
