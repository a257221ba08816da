#include "cli/run/run.h"
#include "cli/testing.h"

#include <errno.h>
#include <sys/stat.h>

struct world {
    struct ty_cli_fixture b;
    struct ty_run_ctx r;
};

static int setup(void **state)
{
    struct world *w = calloc(1, sizeof(*w));

    fixture_open(&w->b);
    w->r.cli = &w->b.cli;
    setenv("XDG_STATE_HOME", ty_arena_printf(w->b.cli.arena, "%s/a/b", w->b.dir), 1);
    setenv("TMPDIR", ty_arena_printf(w->b.cli.arena, "%s/tmp", w->b.dir), 1);
    assert_int_equal(mkdir("tmp", 0700), 0);
    *state = w;
    return 0;
}

static int teardown(void **state)
{
    struct world *w = *state;

    fixture_close(&w->b);
    free(w);
    return 0;
}

static void is_ours_alone(const char *path)
{
    struct stat st;

    assert_int_equal(stat(path, &st), 0);
    assert_true(S_ISDIR(st.st_mode));
    assert_int_equal(st.st_mode & 0777, 0700); /* pods' environments are in there */
}

static void test_made(void **state)
{
    struct world *w = *state;
    struct ty_arena *a = w->b.cli.arena;
    struct ty_err err = { 0 };

    umask(0);
    assert_int_equal(ty_run_folders(&w->r, "run", &err), 0);
    is_ours_alone("a/b/trainyard");
    is_ours_alone(w->r.dir);
    is_ours_alone(ty_arena_printf(a, "%s/logs", w->r.dir));
    is_ours_alone(ty_arena_printf(a, "%s/pods", w->r.dir));
    is_ours_alone(w->r.claims);
    assert_string_equal(w->r.past, ty_arena_printf(a, "%s/a/b/trainyard/trainyard.db", w->b.dir));
    assert_string_equal(w->r.dir, ty_arena_printf(a, "%s/a/b/trainyard/runs/run-1700000000-%d",
                                                  w->b.dir, getpid()));
    assert_int_equal(ty_run_folders(&w->r, "run", &err), 0); /* they are there: fine */
    fixture_flush(&w->b);
    assert_string_equal(w->b.err, "");
}

/* A file is in the way: the run goes to the temporary folder, and says so, and has no history. */
static void test_not_to_be_made(void **state)
{
    struct world *w = *state;
    struct ty_arena *a = w->b.cli.arena;
    struct ty_err err = { 0 };

    fixture_file("a", "a file");
    assert_int_equal(ty_run_folders(&w->r, "run", &err), 0);
    assert_null(w->r.past);
    assert_has(w->r.dir, "/tmp/trainyard-");
    is_ours_alone(ty_arena_printf(a, "%s/logs", w->r.dir));
    fixture_flush(&w->b);
    assert_has(w->b.err, "warning: this run has no history, its files are in ");
    assert_has(w->b.err, "Not a directory");
}

/* Who can write there can say where root writes: the run goes elsewhere, too. */
static void test_of_others(void **state)
{
    struct world *w = *state;
    struct ty_err err = { 0 };

    assert_int_equal(mkdir("a", 0700), 0);
    assert_int_equal(mkdir("a/b", 0700), 0);
    assert_int_equal(mkdir("target", 0700), 0);
    assert_int_equal(symlink("../../target", "a/b/trainyard"), 0);
    assert_int_equal(ty_run_folders(&w->r, "run", &err), 0);
    assert_null(w->r.past);
    assert_has(w->r.root, "/tmp/trainyard-");
    assert_has(w->r.dir, "/tmp/trainyard-");
    assert_int_equal(access("target/runs", F_OK), -1);
    fixture_flush(&w->b);
    assert_has(w->b.err, "a/b/trainyard is a link or a file, not a folder");
}

static void test_nowhere(void **state)
{
    struct world *w = *state;
    struct ty_err err = { 0 };

    fixture_file("a", "a file");
    setenv("TMPDIR", ty_arena_printf(w->b.cli.arena, "%s/gone", w->b.dir), 1);
    assert_int_equal(ty_run_folders(&w->r, "run", &err), -ENOTDIR);
    assert_has(err.text, "/a/b: Not a directory");
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = { T(test_made), T(test_not_to_be_made), T(test_of_others),
                                        T(test_nowhere) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
