#include "cli/history/state_dir.h"
#include "cli/testing.h"

#include <errno.h>
#include <pwd.h>
#include <sys/stat.h>

static void test_root(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 16);

    (void)state;
    setenv("HOME", "/h", 1);
    setenv("XDG_STATE_HOME", "/s", 1);
    assert_string_equal(ty_state_dir_root(a, NULL), "/s/trainyard");
    assert_string_equal(ty_state_dir_history(a, NULL), "/s/trainyard/trainyard.db");
    setenv("XDG_STATE_HOME", "not/absolute", 1);
    assert_string_equal(ty_state_dir_root(a, NULL), "/h/.local/state/trainyard");
    unsetenv("XDG_STATE_HOME");
    assert_string_equal(ty_state_dir_root(a, NULL), "/h/.local/state/trainyard");
}

/* Without HOME the user database is used; never a directory that another user could have
 * created. */
static void test_root_without_home(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    const struct passwd *me = getpwuid(geteuid());

    (void)state;
    if (!me)
        skip();
    unsetenv("XDG_STATE_HOME");
    char *want = ty_arena_printf(a, "%s/.local/state/trainyard", me->pw_dir);
    for (const char *const *home = (const char *const[]){ "", "relative", NULL }; *home; home++) {
        setenv("HOME", *home, 1);
        assert_string_equal(ty_state_dir_root(a, NULL), want);
    }
    unsetenv("HOME");
    assert_string_equal(ty_state_dir_root(a, NULL), want);
}

static void test_no_home_at_all(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_err err = { 0 };
    const uid_t nobody_knows = 54321;

    (void)state;
    if (geteuid() != 0 || getpwuid(nobody_knows))
        skip();
    unsetenv("XDG_STATE_HOME");
    unsetenv("HOME");
    assert_int_equal(seteuid(nobody_knows), 0);
    assert_null(ty_state_dir_root(a, &err));
    assert_null(ty_state_dir_history(a, &err));
    assert_null(ty_state_dir_runs(a, &err));
    assert_true(ty_state_dir_create(a, &err) < 0);
    assert_int_equal(ty_state_dir_remove(a, "/precious", &err), 0);
    assert_int_equal(seteuid(0), 0);
    assert_has(err.text, "user 54321 has no home; set XDG_STATE_HOME to a folder of yours");
}

static struct ty_cli_fixture *home_open(struct ty_cli_fixture *b)
{
    fixture_open(b);
    unsetenv("XDG_STATE_HOME");
    setenv("HOME", b->dir, 1);
    umask(022);
    return b;
}

static void make_way(mode_t mode)
{
    assert_int_equal(mkdir(".local", 0755), 0);
    assert_int_equal(mkdir(".local/state", 0755), 0);
    assert_int_equal(mkdir(".local/state/trainyard", 0700), 0);
    assert_int_equal(chmod(".local/state/trainyard", mode), 0);
}

static unsigned mode_of(const char *path)
{
    struct stat st;

    assert_int_equal(lstat(path, &st), 0);
    return st.st_mode & 0777;
}

static void test_made(void **state)
{
    struct ty_cli_fixture b;
    struct ty_err err = { 0 };

    (void)state;
    home_open(&b);
    assert_int_equal(ty_state_dir_check(b.cli.arena, &err), -ENOENT);
    assert_int_equal(ty_state_dir_create(b.cli.arena, &err), 0);
    assert_int_equal(mode_of(".local"), 0700);
    assert_int_equal(mode_of(".local/state/trainyard"), 0700);
    assert_int_equal(ty_state_dir_create(b.cli.arena, &err), 0);
    assert_int_equal(ty_state_dir_check(b.cli.arena, &err), 0);
    /* of an older trainyard, or by hand: kept, and closed */
    assert_int_equal(chmod(".local/state/trainyard", 0755), 0);
    assert_int_equal(ty_state_dir_check(b.cli.arena, &err), 0);
    assert_int_equal(mode_of(".local/state/trainyard"), 0755); /* who only looks changes nothing */
    assert_int_equal(ty_state_dir_create(b.cli.arena, &err), 0);
    assert_int_equal(mode_of(".local/state/trainyard"), 0700);
    fixture_close(&b);
}

static void assert_refused(struct ty_cli_fixture *b, const char *why)
{
    struct ty_err err = { 0 };

    assert_int_equal(ty_state_dir_create(b->cli.arena, &err), -EPERM);
    assert_has(err.text, why);
    assert_has(err.text, "set XDG_STATE_HOME");
    assert_int_equal(ty_state_dir_check(b->cli.arena, &err), -EPERM);
    assert_int_equal(access("elsewhere/trainyard", F_OK), -1);
    assert_int_equal(access("elsewhere/state", F_OK), -1);
    fixture_close(b);
}

static void test_what_others_may_write_to(void **state)
{
    struct ty_cli_fixture b;

    (void)state;
    home_open(&b);
    make_way(0770);
    assert_refused(&b, "can be written to by others");
    home_open(&b);
    make_way(0707);
    assert_refused(&b, "can be written to by others");
    home_open(&b);
    make_way(0700);
    assert_int_equal(chmod(".local", 0777), 0);
    assert_refused(&b, ".local can be written to by everybody");
}

static void test_links(void **state)
{
    struct ty_cli_fixture b;
    struct ty_err err = { 0 };

    (void)state;
    home_open(&b);
    make_way(0700);
    assert_int_equal(rmdir(".local/state/trainyard"), 0);
    assert_int_equal(mkdir("elsewhere", 0700), 0);
    assert_int_equal(symlink("../../elsewhere", ".local/state/trainyard"), 0);
    assert_refused(&b, "trainyard is a link or a file, not a folder");

    home_open(&b); /* a .local of one's own on another disk */
    assert_int_equal(mkdir("elsewhere", 0700), 0);
    assert_int_equal(symlink("elsewhere", ".local"), 0);
    assert_int_equal(ty_state_dir_create(b.cli.arena, &err), 0);
    assert_int_equal(access("elsewhere/state/trainyard", F_OK), 0);
    fixture_close(&b);
}

/* Root, and what another user has put there. */
static void test_of_another_user(void **state)
{
    struct ty_cli_fixture b;
    const uid_t other = 54321;

    (void)state;
    if (geteuid() != 0)
        skip();
    home_open(&b);
    make_way(0700);
    assert_int_equal(chown(".local/state/trainyard", other, other), 0);
    assert_refused(&b, "state/trainyard belongs to another user");
    home_open(&b);
    make_way(0700);
    assert_int_equal(chown(".local/state", other, other), 0);
    assert_refused(&b, "/.local/state belongs to another user");
    home_open(&b);
    assert_int_equal(mkdir("elsewhere", 0700), 0);
    assert_int_equal(symlink("elsewhere", ".local"), 0);
    assert_int_equal(lchown(".local", other, other), 0);
    assert_refused(&b, "/.local belongs to another user");
    home_open(&b); /* the HOME that sudo has kept */
    assert_int_equal(chown(".", other, other), 0);
    assert_refused(&b, "HOME, /tmp/trainyard-test-");
    home_open(&b); /* but not if root says so */
    assert_int_equal(chown(".", other, other), 0);
    setenv("XDG_STATE_HOME", b.dir, 1);
    assert_int_equal(ty_state_dir_create(b.cli.arena, NULL), 0);
    fixture_close(&b);
}

static bool path_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static void test_only_what_is_in_the_folder_of_runs(void **state)
{
    static const char *const below[] = {
        "", "/.", "/..", "/../trainyard.db", "/a/..", "/a/../..", "/./a", "/a//b", "//",
    };
    struct ty_cli_fixture b;
    struct ty_err err = { 0 };

    (void)state;
    fixture_open(&b);
    setenv("XDG_STATE_HOME", b.dir, 1);
    assert_int_equal(mkdir("trainyard", 0700), 0);
    assert_int_equal(mkdir("trainyard/runs", 0700), 0);
    assert_int_equal(mkdir("trainyard/runs/a", 0700), 0);
    assert_int_equal(mkdir("trainyard/runs/a/logs", 0700), 0);
    fixture_file("trainyard/trainyard.db", "x");
    fixture_file("trainyard/runs/a/logs/log", "x");
    fixture_file("precious", "x");
    assert_int_equal(symlink(b.dir, "trainyard/runs/a/up"), 0);
    char *runs = ty_state_dir_runs(b.cli.arena, NULL);
    for (size_t i = 0; i < TY_COUNT(below); i++) {
        char *path = ty_arena_printf(b.cli.arena, "%s%s", runs, below[i]);
        assert_int_equal(ty_state_dir_remove(b.cli.arena, path, &err), 0);
        assert_true(path_exists("trainyard/runs/a/logs/log") &&
                    path_exists("trainyard/trainyard.db"));
    }
    assert_int_equal(ty_state_dir_remove(b.cli.arena, "precious", &err), 0);
    assert_int_equal(ty_state_dir_remove(b.cli.arena, "", &err), 0);
    char *path = ty_arena_printf(b.cli.arena, "%s/a", runs);
    assert_int_equal(ty_state_dir_remove(b.cli.arena, path, &err), 0);
    assert_false(path_exists("trainyard/runs/a"));
    assert_true(path_exists("precious")); /* a link is removed, not followed */
    assert_int_equal(ty_state_dir_remove(b.cli.arena, path, &err), 0); /* gone is gone */
    fixture_close(&b);
}

/* A job may put a link in the place of any directory below the root. */
static void test_links_on_the_way(void **state)
{
    static const char *const links[] = { "trainyard", "trainyard/runs", "trainyard/runs/a",
                                         "trainyard/runs/a/logs" };
    struct ty_cli_fixture b;
    struct ty_err err = { 0 };

    (void)state;
    fixture_open(&b);
    setenv("XDG_STATE_HOME", b.dir, 1);
    assert_int_equal(mkdir("trainyard", 0700) | mkdir("trainyard/runs", 0700), 0);
    assert_int_equal(mkdir("trainyard/runs/a", 0700) | mkdir("trainyard/runs/a/logs", 0700), 0);
    assert_int_equal(mkdir("trainyard/runs/a/logs/pod", 0700), 0);
    fixture_file("trainyard/runs/a/logs/pod/log", "x");
    char *path = ty_arena_printf(b.cli.arena, "%s/trainyard/runs/a/logs/pod", b.dir);
    for (size_t i = 0; i < TY_COUNT(links); i++) {
        assert_int_equal(rename(links[i], "moved"), 0);
        assert_int_equal(symlink(ty_arena_printf(b.cli.arena, "%s/moved", b.dir), links[i]), 0);
        assert_int_equal(ty_state_dir_remove(b.cli.arena, path, &err), -ENOTDIR);
        assert_true(path_exists(ty_arena_printf(b.cli.arena, "%s/log", path)));
        assert_int_equal(unlink(links[i]) | rename("moved", links[i]), 0);
    }
    assert_int_equal(ty_state_dir_remove(b.cli.arena, path, &err), 0);
    assert_false(path_exists(path));
    fixture_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_root),
                                        cmocka_unit_test(test_root_without_home),
                                        cmocka_unit_test(test_no_home_at_all),
                                        cmocka_unit_test(test_made),
                                        cmocka_unit_test(test_what_others_may_write_to),
                                        cmocka_unit_test(test_links),
                                        cmocka_unit_test(test_of_another_user),
                                        cmocka_unit_test(test_only_what_is_in_the_folder_of_runs),
                                        cmocka_unit_test(test_links_on_the_way) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
