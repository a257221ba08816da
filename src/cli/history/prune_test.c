#include "cli/history/prune.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/time.h"
#include "cli/history/state_dir.h"
#include "cli/run/run_gc.h"
#include "cli/testing.h"
#include "store/history/run_lock.h"

#define NOW ((int64_t)1767323045000)
#define DAY ((int64_t)TY_DAY_MS)

struct prune_fixture {
    struct ty_cli_fixture b;
    struct ty_history_db *d;
};

static int setup(void **state)
{
    struct prune_fixture *w = calloc(1, sizeof(*w));
    struct ty_err err = { 0 };

    fixture_open(&w->b);
    setenv("XDG_STATE_HOME", w->b.dir, 1);
    unsetenv("TRAINYARD_HISTORY");
    assert_int_equal(mkdir("trainyard", 0700), 0);
    assert_int_equal(mkdir("trainyard/runs", 0700), 0);
    assert_int_equal(ty_history_db_open(ty_state_dir_history(w->b.cli.arena, NULL),
                                        TY_HISTORY_DB_WRITE, &w->d, &err),
                     0);
    *state = w;
    return 0;
}

static int teardown(void **state)
{
    struct prune_fixture *w = *state;

    ty_history_db_close(w->d);
    fixture_close(&w->b);
    free(w);
    return 0;
}

static char *create_run_dir(struct prune_fixture *w, int64_t began_ms, int pid)
{
    return ty_arena_printf(w->b.cli.arena, "%s/run-%lld-%d",
                           ty_state_dir_runs(w->b.cli.arena, NULL), (long long)(began_ms / 1000),
                           pid);
}

static char *make_folder(struct prune_fixture *w, int64_t began_ms, int pid)
{
    char *dir = create_run_dir(w, began_ms, pid);

    assert_int_equal(mkdir(dir, 0700), 0);
    assert_int_equal(mkdir(ty_arena_printf(w->b.cli.arena, "%s/logs", dir), 0700), 0);
    fixture_file(ty_arena_printf(w->b.cli.arena, "%s/logs/log", dir), "x");
    return dir;
}

/* Adds a run that began so many days ago, with its directory; interrupted unless it ended a day
 * later. */
static char *add_run(struct prune_fixture *w, int days, bool ended)
{
    int64_t began = NOW - days * DAY;
    char *dir = make_folder(w, began, days);
    struct ty_history_db_run run = { .dir = dir, .command = "c", .started_ms = began };
    struct ty_err err = { 0 };

    assert_int_equal(ty_history_db_begin_run(w->d, &run, &err), 0);
    if (ended)
        assert_int_equal(ty_history_db_end_run(w->d, run.id, began + DAY, "Complete", &err), 0);
    return dir;
}

static bool path_exists(const char *dir)
{
    return access(dir, F_OK) == 0;
}

static void prune_now(struct prune_fixture *w, int64_t runs, int64_t days)
{
    struct ty_prune keep = { runs, days * DAY };
    struct ty_err err = { 0 };

    if (ty_prune_history(w->b.cli.arena, w->d, &keep, NOW, &err) != 0)
        fail_msg("%s", err.text);
}

static void test_by_number(void **state)
{
    struct prune_fixture *w = *state;
    char *dirs[5];

    for (int i = 0; i < 5; i++)
        dirs[i] = add_run(w, 50 - i, true);
    prune_now(w, 0, 0);
    prune_now(w, 5, 0);
    assert_true(path_exists(dirs[0]));
    prune_now(w, 2, 0);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(path_exists(dirs[i]), i >= 3);
        assert_int_equal(ty_history_read_has_dir(w->d, dirs[i]), i >= 3);
    }
}

/* Counted from its end: what began long ago and ended yesterday is not old. */
static void test_by_age(void **state)
{
    struct prune_fixture *w = *state;
    char *old = add_run(w, 32, true), *edge = add_run(w, 31, true), *cut = add_run(w, 33, false);

    prune_now(w, 100, 30);
    assert_false(path_exists(old) || path_exists(cut));
    assert_true(path_exists(edge)); /* exactly so old is not older */
    assert_true(ty_history_read_has_dir(w->d, edge));
}

static void test_who_stays(void **state)
{
    struct prune_fixture *w = *state;
    char *alive = add_run(w, 90, false), *kept = add_run(w, 80, true), *old = add_run(w, 70, true);
    struct ty_err err = { 0 };
    int lock = ty_run_lock_acquire(alive, &err);

    add_run(w, 0, true);
    ty_run_gc_exclude(w->b.cli.arena, kept);
    prune_now(w, 1, 1);
    assert_true(path_exists(alive) && path_exists(kept));
    assert_true(ty_history_read_has_dir(w->d, alive) && ty_history_read_has_dir(w->d, kept));
    assert_false(path_exists(old));
    close(lock);
    prune_now(w, 1, 0);
    assert_false(path_exists(alive));
}

/* Run directories without a row are deleted by age; other directories stay. */
static void test_left_over_folders(void **state)
{
    struct prune_fixture *w = *state;
    char *old = make_folder(w, NOW - 40 * DAY, 1), *young = make_folder(w, NOW - 3 * DAY, 2);
    char *kept = make_folder(w, NOW - 41 * DAY, 3), *alive = make_folder(w, NOW - 42 * DAY, 4);
    char *mine =
        ty_arena_printf(w->b.cli.arena, "%s/mine", ty_state_dir_runs(w->b.cli.arena, NULL));
    struct ty_err err = { 0 };
    int lock = ty_run_lock_acquire(alive, &err);

    assert_int_equal(mkdir(mine, 0700), 0);
    ty_run_gc_exclude(w->b.cli.arena, kept);
    prune_now(w, 1, 0);
    assert_true(path_exists(old)); /* a number says nothing about them */
    prune_now(w, 1, 30);
    assert_false(path_exists(old));
    assert_true(path_exists(young) && path_exists(kept) && path_exists(alive) && path_exists(mine));
    close(lock);
}

/* A run that was killed before its first log and its row, whatever the limits. */
static void test_killed_at_the_start(void **state)
{
    struct prune_fixture *w = *state;
    char *dead = make_folder(w, NOW - 90 * 1000, 1), *young = make_folder(w, NOW - 30 * 1000, 2);
    char *alive = make_folder(w, NOW - 90 * 1000, 3), *logs = make_folder(w, NOW - 90 * 1000, 4);
    char *known = add_run(w, 1, false);
    struct ty_err err = { 0 };
    int lock = ty_run_lock_acquire(alive, &err);

    const char *const empty[] = { dead, young, alive, known };
    for (size_t i = 0; i < TY_COUNT(empty); i++)
        assert_int_equal(unlink(ty_arena_printf(w->b.cli.arena, "%s/logs/log", empty[i])), 0);
    prune_now(w, 0, 0);
    assert_false(path_exists(dead));
    assert_true(path_exists(young) && path_exists(alive) && path_exists(logs) &&
                path_exists(known));
    close(lock);
}

/* A large history is pruned in several calls, so that no run ends late; runs that must stay do not
 * block the others. */
static void test_at_most_so_many_at_once(void **state)
{
    struct prune_fixture *w = *state;
    char *last = NULL, *dir = NULL;

    for (int i = 0; i < TY_PRUNE_ONCE + 10; i++) {
        dir = add_run(w, 300 - i, true);
        ty_run_gc_exclude(w->b.cli.arena, dir);
    }
    for (int i = 0; i < TY_PRUNE_ONCE + 10; i++)
        last = add_run(w, 170 - i, true);
    prune_now(w, 1, 0);
    char *tenth = create_run_dir(w, NOW - (170 - TY_PRUNE_ONCE) * DAY, 170 - TY_PRUNE_ONCE);
    char *before = create_run_dir(w, NOW - (171 - TY_PRUNE_ONCE) * DAY, 171 - TY_PRUNE_ONCE);
    assert_true(path_exists(dir) && path_exists(tenth) && path_exists(last));
    assert_false(path_exists(before));
    prune_now(w, 1, 0);
    assert_false(path_exists(tenth));
    assert_true(path_exists(last) && path_exists(dir));
}

static void test_a_history_that_lies(void **state)
{
    struct prune_fixture *w = *state;
    char *out = ty_arena_printf(w->b.cli.arena, "%s/../../precious",
                                ty_state_dir_runs(w->b.cli.arena, NULL));
    struct ty_history_db_run run = { .dir = out, .command = "c", .started_ms = 1 };
    struct ty_err err = { 0 };

    assert_int_equal(mkdir("precious", 0700), 0);
    assert_int_equal(ty_history_db_begin_run(w->d, &run, &err), 0);
    prune_now(w, 1, 1);
    assert_true(path_exists("precious"));
    assert_false(ty_history_read_has_dir(w->d, out));
}

static void test_others_are_busy(void **state)
{
    struct prune_fixture *w = *state;
    struct ty_history_db *other = NULL;
    struct ty_prune keep = { .runs = 1 };
    struct ty_err err = { 0 };
    char *old = add_run(w, 9, true);

    add_run(w, 8, true);
    assert_int_equal(ty_history_db_open(ty_state_dir_history(w->b.cli.arena, NULL),
                                        TY_HISTORY_DB_WRITE, &other, &err),
                     0);
    assert_int_equal(ty_history_db_exec(other, TY_SQL_BEGIN, &err), 0);
    ty_history_db_busy_timeout(w->d, 1);
    assert_int_equal(ty_prune_history(w->b.cli.arena, w->d, &keep, NOW, &err), -EAGAIN);
    assert_int_equal(ty_history_db_exec(other, TY_SQL_ROLLBACK, &err), 0);
    ty_history_db_close(other);
    prune_now(w, 1, 0); /* the next one ends it */
    assert_false(ty_history_read_has_dir(w->d, old));
}

static void test_words(void **state)
{
    static const struct {
        const char *text;
        int64_t runs, age_ms;
    } good[] = { { "all", 0, 0 },
                 { "1", 1, 0 },
                 { "90d", 0, 90 * DAY },
                 { "50,12h", 50, DAY / 2 },
                 { "200,2w", 200, 14 * DAY } };
    static const char *const bad[] = { "",
                                       "0",
                                       "-1",
                                       "none",
                                       "90d,200",
                                       "5,",
                                       ",90d",
                                       "5,5",
                                       "5,0d",
                                       "1,2d,3",
                                       "99999999999999999999" };

    (void)state;
    for (size_t i = 0; i < TY_COUNT(good); i++) {
        struct ty_prune p = { 7, 7 };
        assert_true(ty_prune_parse(ty_str(good[i].text), &p));
        assert_int_equal(p.runs, good[i].runs);
        assert_int_equal(p.age_ms, good[i].age_ms);
    }
    for (size_t i = 0; i < TY_COUNT(bad); i++) {
        struct ty_prune p = { 7, 7 };
        assert_false(ty_prune_parse(ty_str(bad[i]), &p));
        assert_true(p.runs == 7 && p.age_ms == 7);
    }
}

/* The option overrides the variable; an invalid option is refused, an invalid variable keeps all
 * runs. */
static void test_settings(void **state)
{
    struct prune_fixture *w = *state;
    struct ty_cli *cli = &w->b.cli;
    const struct ty_cmd *cmd = ty_cli_find_cmd("run");
    struct ty_prune p = { 0 };

    assert_int_equal(ty_prune_settings(cli, cmd, NULL, &p), TY_EXIT_OK);
    assert_true(p.runs == 200 && p.age_ms == 90 * DAY);
    setenv("TRAINYARD_HISTORY", "5", 1);
    assert_int_equal(ty_prune_settings(cli, cmd, NULL, &p), TY_EXIT_OK);
    assert_true(p.runs == 5 && p.age_ms == 0);
    assert_int_equal(ty_prune_settings(cli, cmd, "7,1d", &p), TY_EXIT_OK);
    assert_true(p.runs == 7 && p.age_ms == DAY);
    setenv("TRAINYARD_HISTORY", "lots", 1);
    assert_int_equal(ty_prune_settings(cli, cmd, NULL, &p), TY_EXIT_OK);
    assert_true(p.runs == 0 && p.age_ms == 0);
    fixture_flush(&w->b);
    assert_has(w->b.err,
               "warning: TRAINYARD_HISTORY=lots: write 200, 90d, 200,90d or all; old runs "
               "are kept\n");
    assert_int_equal(ty_prune_settings(cli, cmd, "lots", &p), TY_EXIT_USAGE);
    fixture_flush(&w->b);
    assert_has(w->b.err, "--history lots: write");
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_by_number),
        T(test_by_age),
        T(test_who_stays),
        T(test_left_over_folders),
        T(test_killed_at_the_start),
        T(test_at_most_so_many_at_once),
        T(test_a_history_that_lies),
        T(test_others_are_busy),
        cmocka_unit_test(test_words),
        T(test_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
