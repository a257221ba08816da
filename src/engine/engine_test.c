/* The reconcile loop: TrainJobs are suspended, resumed and stopped; an engine is freed. */
#include "engine/engine_testing.h"

static void nothing_to_do_is_done(void **state)
{
    struct engine_fixture *w = *state;

    fixture_open(w);
    assert_true(ty_engine_done(w->e));
    fixture_run(w);
    assert_int_equal(w->told.n, 0);
}

static void a_folder_that_is_missing(void **state)
{
    struct engine_fixture *w = *state;
    struct ty_err err = { 0 };

    w->o.dir = "/nonexistent/run";
    assert_true(ty_engine_new(&w->o, &w->e, &err) < 0);
    assert_has(err.text, "/nonexistent/run");
    assert_null(w->e);
}

static bool first_is_up(struct engine_fixture *w)
{
    return fixture_observed(w, "L j-node-0-0/main first\n");
}

static bool nothing_lives(struct engine_fixture *w)
{
    return w->e->pods.n_live == 0 && ty_engine_queued(w->e) == 0;
}

/* The second life ends at once. */
static void suspended_and_resumed(void **state)
{
    struct engine_fixture *w = *state;
    struct ty_err err = { 0 };
    char *mark = ty_arena_printf(w->a, "%s/claims/mark", w->dir);

    fixture_submit(
        w, "j", 1,
        ty_arena_printf(w->a, SH("mkdir %s || { echo again; exit 0; }; echo first; exec sleep 60"),
                        mark));
    w->enough = first_is_up;
    fixture_run(w);
    assert_int_equal(ty_engine_suspend(w->e, "j", true, &err), 0);
    w->enough = nothing_lives;
    fixture_run(w);
    assert_not_observed(w, "L j-node-0-0/main again\n");
    assert_null(fixture_stored(w, "j-node-0-0"));
    assert_int_equal(ty_engine_suspend(w->e, "j", false, &err), 0);
    w->enough = NULL;
    fixture_run(w);
    assert_observed(w, "L j-node-0-0/main again\n");
    assert_observed(w, "J j Complete");
    assert_int_equal(ty_engine_suspend(w->e, "other", true, &err), -ENOENT);
}

static void stopped_by_and_by(void **state)
{
    struct engine_fixture *w = *state;

    fixture_submit(w, "j", 2, SH("echo first; exec sleep 60"));
    w->enough = first_is_up;
    fixture_run(w);
    w->enough = NULL;
    ty_engine_stop(w->e, false, "enough");
    fixture_run(w);
    assert_int_equal(w->e->pods.n_live, 0);
    assert_observed(w, "P j-node-0-0 main 143 Error"); /* SIGTERM, which sleep does not handle */
    assert_not_observed(w, "J j Complete");
}

/* Who does not listen to SIGTERM goes all the same. */
static void stopped_at_once(void **state)
{
    struct engine_fixture *w = *state;

    fixture_submit(w, "j", 1, SH("trap '' TERM; echo first; while :; do sleep 1; done"));
    w->enough = first_is_up;
    fixture_run(w);
    w->enough = NULL;
    ty_engine_stop(w->e, true, "now");
    fixture_run(w);
    assert_observed(w, "P j-node-0-0 main 137 Error");
}

/* The teardown frees an engine in the middle of its work. */
static void freed_while_pods_run(void **state)
{
    struct engine_fixture *w = *state;

    fixture_submit(w, "j", 3, SH("echo first; exec sleep 60"));
    w->enough = first_is_up;
    fixture_run(w);
    assert_true(w->e->pods.n_live > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ENGINE_TEST(nothing_to_do_is_done), ENGINE_TEST(a_folder_that_is_missing),
        ENGINE_TEST(suspended_and_resumed), ENGINE_TEST(stopped_by_and_by),
        ENGINE_TEST(stopped_at_once),       ENGINE_TEST(freed_while_pods_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
