#include "cli/run/run_history.h"
#include "cli/testing.h"
#include "engine/engine_inner.h"
#include "store/history/history_read.h"
#include "store/history/run_lock.h"

#include <errno.h>
#include <sys/stat.h>

/* An engine with only a store, which is all that the history needs. */
struct run_history_fixture {
    struct ty_cli_fixture b;
    uv_loop_t loop;
    struct ty_engine e;
    struct ty_run_history h;
};

static int64_t noon(void *ctx TY_UNUSED)
{
    return 1767323045;
}

static int setup(void **state)
{
    struct run_history_fixture *w = calloc(1, sizeof(*w));

    fixture_open(&w->b);
    uv_loop_init(&w->loop);
    w->e.store = ty_local_new(noon, NULL);
    ty_run_history_init(&w->h, &w->b.cli);
    *state = w;
    return 0;
}

static int teardown(void **state)
{
    struct run_history_fixture *w = *state;

    ty_run_history_end(&w->h, 1);
    uv_run(&w->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&w->loop), 0);
    ty_local_free(w->e.store);
    fixture_close(&w->b);
    free(w);
    return 0;
}

static void add_job(struct run_history_fixture *w, const char *name)
{
    struct ty_arena *a = w->b.cli.arena;
    struct ty_err err = { 0 };
    char *text = ty_arena_printf(
        a,
        "{\"apiVersion\":\"trainer.kubeflow.org/v1alpha1\",\"kind\":\"TrainJob\",\"metadata\":"
        "{\"name\":\"%s\",\"namespace\":\"default\"},\"spec\":{}}",
        name);

    assert_int_equal(
        ty_local_create(w->e.store, a, ty_json_parse(a, ty_str(text), NULL, &err), &err), 0);
}

static bool take_first(void *ctx, const struct ty_history_read_object *o)
{
    struct ty_history_db_run *run = ctx;

    *run = o->run;
    run->dir = run->command = NULL;
    run->how = o->run.how[0] ? "ended" : "";
    assert_has(o->run.command, "run_history_test");
    return false;
}

/* The newest run of the file; id 0: none. */
static struct ty_history_db_run newest_run(void)
{
    struct ty_history_db_run run = { 0 };
    struct ty_history_db *d = NULL;

    if (ty_history_db_open("h.db", TY_HISTORY_DB_READ, &d, NULL) == 0)
        ty_history_read_objects(d, &(struct ty_history_read_filter){ 0 }, take_first, &run, NULL);
    ty_history_db_close(d);
    return run;
}

static void stop_loop(uv_timer_t *t)
{
    uv_stop(t->loop);
}

static void turn_loop(struct run_history_fixture *w, unsigned ms)
{
    uv_timer_t t;

    uv_timer_init(&w->loop, &t);
    uv_timer_start(&t, stop_loop, ms, 0);
    uv_run(&w->loop, UV_RUN_DEFAULT);
    uv_close((uv_handle_t *)&t, NULL);
    uv_run(&w->loop, UV_RUN_NOWAIT);
}

static void test_written_while_it_goes(void **state)
{
    struct run_history_fixture *w = *state;

    ty_run_history_begin(&w->h, &w->loop, &w->e, ".", "h.db");
    assert_true(ty_run_lock_is_held("."));
    assert_int_equal(access("h.db", F_OK), -1); /* nothing to tell of yet */
    add_job(w, "a");
    for (int i = 0; i < 100 && !newest_run().id; i++)
        turn_loop(w, 50);
    assert_int_equal(newest_run().id, 1);
    assert_int_equal(newest_run().pid, getpid());
    assert_string_equal(newest_run().how, "");
    ty_run_history_end(&w->h, 0);
    assert_string_equal(newest_run().how, "ended");
    assert_true(newest_run().ended_ms >= newest_run().started_ms);
    assert_false(ty_run_lock_is_held("."));
    fixture_flush(&w->b);
    assert_string_equal(w->b.err, "");
}

static void test_a_run_of_nothing_leaves_nothing(void **state)
{
    struct run_history_fixture *w = *state;

    ty_run_history_begin(&w->h, &w->loop, &w->e, ".", "h.db");
    ty_run_history_end(&w->h, 1);
    assert_int_equal(access("h.db", F_OK), -1);
    ty_run_history_end(&w->h, 1); /* twice is once */
}

static void test_a_broken_file_is_told_once(void **state)
{
    struct run_history_fixture *w = *state;

    fixture_file("h.db", "this is no database, it only looks like a file, and a long one at that: "
                         "SQLite wants a hundred bytes before it has a look at what they are");
    ty_run_history_begin(&w->h, &w->loop, &w->e, ".", "h.db");
    add_job(w, "a");
    turn_loop(w, 300);
    add_job(w, "b");
    turn_loop(w, 300);
    ty_run_history_end(&w->h, 0);
    fixture_flush(&w->b);
    assert_string_equal(w->b.err,
                        "warning: this run has no history: h.db: file is not a database\n");
}

static void test_orders(void **state)
{
    struct run_history_fixture *w = *state;
    struct ty_err err = { 0 };

    ty_run_history_begin(&w->h, &w->loop, &w->e, ".", "h.db");
    add_job(w, "a");
    turn_loop(w, 1);
    w->h.observer.event(w->h.observer.ctx, &ty_kind_trainjob, "a", "Normal", "R", "m", 1);
    assert_int_equal(access("control.sock", F_OK), 0);
    assert_int_equal(ty_engine_delete(&w->e, "a", &err), 0);
    ty_run_history_end(&w->h, 130);
    assert_int_equal(access("control.sock", F_OK), -1);
}

static void test_no_folder_no_trouble(void **state)
{
    struct run_history_fixture *w = *state;

    ty_run_history_begin(&w->h, &w->loop, &w->e, "not/there", "not/there/h.db");
    add_job(w, "a");
    ty_run_history_end(&w->h, 0);
    fixture_flush(&w->b);
    assert_has(w->b.err, "this run will look interrupted to others: not/there/lock: ");
    assert_has(w->b.err, "this run takes no orders: ");
    assert_has(w->b.err, "this run has no history: not/there/h.db: No such file or directory");
}

#define WORDS(lit) ((struct ty_str){ lit, sizeof(lit) - 1 })

static void test_command_as_typed(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 16);

    (void)state;
    assert_string_equal(ty_run_history_command(a, WORDS("trainyard\0run\0a b\0\0x\0"), NULL),
                        "trainyard run a b  x");
    assert_string_equal(ty_run_history_command(a, WORDS(""), NULL), "");
}

/* However --env is spelled, its value is masked. */
static void test_command_hides_values(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 16);
    static const char *const env[] = { "TOKEN=hf_x=y", "PLAIN", "EMPTY=", NULL };

    (void)state;
    assert_string_equal(
        ty_run_history_command(
            a,
            WORDS("trainyard\0run\0job.yaml\0--env\0TOKEN=hf_x=y\0--env=TOKEN=hf_x=y\0"
                  "-e\0TOKEN=hf_x=y\0-eTOKEN=hf_x=y\0-e=TOKEN=hf_x=y\0-qeTOKEN=hf_x=y\0"
                  "-e\0PLAIN\0-e\0EMPTY=\0--set\0spec.trainer.numNodes=2\0"),
            env),
        "trainyard run job.yaml --env TOKEN=*** --env=TOKEN=*** -e TOKEN=*** -eTOKEN=*** "
        "-e=TOKEN=*** -qeTOKEN=*** -e PLAIN -e EMPTY= --set spec.trainer.numNodes=2");
}

/* A truncated command line ends before its last word. */
static void test_command_cut_off(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 16);
    static const char *const env[] = { "TOKEN=secret", NULL };

    (void)state;
    assert_string_equal(ty_run_history_command(a, WORDS("trainyard\0run\0-e\0TOKEN=sec"), env),
                        "trainyard run -e …");
}

/* Written where the history has no room. */
static void test_the_end_beside_the_history(void **state)
{
    struct run_history_fixture *w = *state;
    struct ty_arena *a = w->b.cli.arena;

    assert_null(ty_run_history_lost_end(a, "."));
    fixture_file("end", "Failed         \n");
    assert_string_equal(ty_run_history_lost_end(a, "."), "Failed");
    fixture_file("end", "               \n"); /* as reserved: the run was killed */
    assert_null(ty_run_history_lost_end(a, "."));
    fixture_file("end", "\033[2Jwritten by a job\n");
    assert_null(ty_run_history_lost_end(a, "."));
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_written_while_it_goes),
        T(test_a_run_of_nothing_leaves_nothing),
        T(test_a_broken_file_is_told_once),
        T(test_orders),
        T(test_no_folder_no_trouble),
        T(test_the_end_beside_the_history),
        cmocka_unit_test(test_command_as_typed),
        cmocka_unit_test(test_command_hides_values),
        cmocka_unit_test(test_command_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
