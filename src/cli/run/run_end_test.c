/* Exit codes, and an end of what never began. Whole runs are tests/run. */
#include "cli/run/run.h"
#include "cli/testing.h"
#include "engine/engine_inner.h"

/* An engine of which only the store is there: an exit code needs no more. */
struct world {
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
    struct world *w = calloc(1, sizeof(*w));

    fixture_open(&w->b);
    w->e.store = ty_local_new(noon, NULL);
    w->r.cli = &w->b.cli;
    w->r.engine = &w->e;
    *state = w;
    return 0;
}

static int teardown(void **state)
{
    struct world *w = *state;

    ty_local_free(w->e.store);
    fixture_close(&w->b);
    free(w);
    return 0;
}

static void add(struct world *w, const char *name, const char *type, const char *value)
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
    struct world *w = *state;

    assert_int_equal(ty_run_exit_code(&w->r), TY_EXIT_OK); /* nothing was to be done */
    add(w, "a", "Complete", "True");
    assert_int_equal(ty_run_exit_code(&w->r), TY_EXIT_OK);
    w->r.history.deleted = 1; /* somebody deleted one: that is not what was asked for */
    assert_int_equal(ty_run_exit_code(&w->r), TY_EXIT_BAD);
    w->r.history.deleted = 0;
    add(w, "b", "Complete", "False");
    assert_int_equal(ty_run_exit_code(&w->r), TY_EXIT_BAD);
}

static void test_failed_and_unfinished(void **state)
{
    struct world *w = *state;

    add(w, "a", "Failed", "True");
    assert_int_equal(ty_run_exit_code(&w->r), TY_EXIT_BAD);
    ty_local_finalize(w->e.store, &ty_kind_trainjob, TY_LIT("default"), TY_LIT("a"));
    assert_int_equal(ty_run_exit_code(&w->r), TY_EXIT_OK);
    add(w, "b", "Suspended", "True");
    assert_int_equal(ty_run_exit_code(&w->r), TY_EXIT_BAD);
}

/* Why it was cut short says more than what was left undone. */
static void test_cut_short(void **state)
{
    struct world *w = *state;

    add(w, "a", "Complete", "True");
    w->r.interrupts = 1;
    assert_int_equal(ty_run_exit_code(&w->r), 130);
    w->r.timed_out = true; /* and then somebody pressed Ctrl-C */
    assert_int_equal(ty_run_exit_code(&w->r), 124);
}

/* The command line was wrong, or the folders could not be made: nothing of it is there yet. */
static void test_half_built(void **state)
{
    struct world *w = *state;
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

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = { T(test_codes), T(test_failed_and_unfinished),
                                        T(test_cut_short), T(test_half_built) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
