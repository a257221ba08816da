/* Directories, exit codes, and the end of a half-built run. Whole runs are in tests/run. */
#include "cli/run/run.h"
#include "cli/testing.h"
#include "engine/engine_inner.h"

#include <errno.h>
#include <sys/stat.h>

/* An engine with only a store, which is all that an exit code needs. */
struct run_fixture {
    struct ty_cli_fixture b;
    struct ty_engine e;
    struct ty_run_ctx r;
};

static int64_t noon(void *ctx)
{
    (void)ctx;
    return 1767323045;
}

static int setup(void **state)
{
    struct run_fixture *w = calloc(1, sizeof(*w));

    fixture_open(&w->b);
    w->e.store = ty_local_new(noon, NULL);
    w->r.cli = &w->b.cli;
    w->r.engine = &w->e;
    setenv("XDG_STATE_HOME", ty_arena_printf(w->b.cli.arena, "%s/a/b", w->b.dir), 1);
    setenv("TMPDIR", ty_arena_printf(w->b.cli.arena, "%s/tmp", w->b.dir), 1);
    assert_int_equal(mkdir("tmp", 0700), 0);
    *state = w;
    return 0;
}

static int teardown(void **state)
{
    struct run_fixture *w = *state;

    ty_local_free(w->e.store);
    fixture_close(&w->b);
    free(w);
    return 0;
}

static void add_job(struct run_fixture *w, const char *name, const char *type, const char *value)
{
    struct ty_arena *a = w->b.cli.arena;
    struct ty_err err = { 0 };
    char *text = ty_arena_printf(
        a,
        "{\"apiVersion\":\"trainer.kubeflow.org/v1alpha1\",\"kind\":\"TrainJob\",\"metadata\":"
        "{\"name\":\"%s\",\"namespace\":\"default\"},\"status\":{\"conditions\":[{\"type\":\"%s\","
        "\"status\":\"%s\"}]}}",
        name, type, value);

    assert_int_equal(
        ty_local_create(w->e.store, a, ty_json_parse(a, ty_str(text), NULL, &err), &err), 0);
}

static void test_codes(void **state)
{
    struct run_fixture *w = *state;

    assert_int_equal(ty_run_exit_code(&w->r), TY_EXIT_OK); /* nothing was to be done */
    add_job(w, "a", "Complete", "True");
    assert_int_equal(ty_run_exit_code(&w->r), TY_EXIT_OK);
    w->r.history.deleted = 1; /* somebody deleted one: that is not what was asked for */
    assert_int_equal(ty_run_exit_code(&w->r), TY_EXIT_BAD);
    w->r.history.deleted = 0;
    add_job(w, "b", "Complete", "False");
    assert_int_equal(ty_run_exit_code(&w->r), TY_EXIT_BAD);
}

static void test_failed_and_unfinished(void **state)
{
    struct run_fixture *w = *state;

    add_job(w, "a", "Failed", "True");
    assert_int_equal(ty_run_exit_code(&w->r), TY_EXIT_BAD);
    ty_local_finalize(w->e.store, &ty_kind_trainjob, TY_LIT("default"), TY_LIT("a"));
    assert_int_equal(ty_run_exit_code(&w->r), TY_EXIT_OK);
    add_job(w, "b", "Suspended", "True");
    assert_int_equal(ty_run_exit_code(&w->r), TY_EXIT_BAD);
}

/* Timeout and interruption take precedence over unfinished jobs. */
static void test_cut_short(void **state)
{
    struct run_fixture *w = *state;

    add_job(w, "a", "Complete", "True");
    w->r.interrupts = 1;
    assert_int_equal(ty_run_exit_code(&w->r), 130);
    w->r.timed_out = true; /* and then somebody pressed Ctrl-C */
    assert_int_equal(ty_run_exit_code(&w->r), 124);
}

/* A run that ends before its directories and engine exist. */
static void test_half_built(void **state)
{
    struct run_fixture *w = *state;
    struct ty_run_ctx r = { .cli = &w->b.cli };
    struct ty_run_view_opts opts = { 0 };

    uv_loop_init(&r.loop);
    ty_run_view_init(&r.view, &w->b.cli, &opts);
    ty_run_history_init(&r.history, &w->b.cli);
    ty_run_history_end(&r.history, 1);
    ty_run_end(&r);
    fixture_flush(&w->b);
    assert_string_equal(w->b.out, "");
    assert_string_equal(w->b.err, "");
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
    struct run_fixture *w = *state;
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

/* A file is in the way: the run uses a temporary directory, warns, and has no history. */
static void test_not_to_be_made(void **state)
{
    struct run_fixture *w = *state;
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

/* A state directory that is a link is not used: its owner could redirect writes. */
static void test_of_others(void **state)
{
    struct run_fixture *w = *state;
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
    struct run_fixture *w = *state;
    struct ty_err err = { 0 };

    fixture_file("a", "a file");
    setenv("TMPDIR", ty_arena_printf(w->b.cli.arena, "%s/gone", w->b.dir), 1);
    assert_int_equal(ty_run_folders(&w->r, "run", &err), -ENOTDIR);
    assert_has(err.text, "/a/b: Not a directory");
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_codes), T(test_failed_and_unfinished), T(test_cut_short), T(test_half_built),
        T(test_made),  T(test_not_to_be_made),        T(test_of_others), T(test_nowhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
