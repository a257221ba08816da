/* What containers print, from the pipe to file and observers. */
#include "engine/engine_testing.h"

#include <signal.h>
#include <sys/resource.h>

#include "report/failure_summary.h"

#define LOG "run/logs/j-node-0-0/main.0.0.log"

static void lines_are_cut_and_kept(void **state)
{
    struct engine_fixture *w = *state;

    fixture_submit(w, "j", 1, SH("printf 'one\\\\ntwo\\\\r\\\\n50%%\\\\r100%%\\\\n\\\\nno end'"));
    fixture_run(w);
    assert_observed(w, "L j-node-0-0/main one\nL j-node-0-0/main two\nL j-node-0-0/main 50%\n"
                       "L j-node-0-0/main 100%\nL j-node-0-0/main \nL j-node-0-0/main no end\n");
    assert_string_equal(fixture_file(w, LOG), "one\ntwo\r\n50%\r100%\n\nno end");
    assert_observed(w, "J j Complete");
}

static size_t longest(const struct engine_fixture *w)
{
    struct ty_str rest = ty_buf_str(&w->lines), line;
    size_t most = 0;

    do {
        rest = ty_str_cut(rest, '\n', &line);
        most = line.n > most ? line.n : most;
    } while (rest.p);
    return most;
}

static void an_endless_line_comes_in_pieces(void **state)
{
    struct engine_fixture *w = *state;

    fixture_submit(w, "j", 1, SH("head -c 300000 /dev/zero | tr '\\\\0' Z; echo end"));
    fixture_run(w);
    assert_int_equal(strlen(fixture_file(w, LOG)), 300000 + 4);
    assert_in_range(longest(w), 1000, 65536 + 100);
    assert_int_equal(fixture_count(w, "Z"), 300000);
    assert_observed(w, "end\n");
}

/* Every line in one of the two files that are left, none split, and the event once. */
static void a_long_log_is_rotated(void **state)
{
    struct engine_fixture *w = *state;

    w->o.log_max = 64 << 10;
    fixture_submit(w, "j", 1, SH("seq 1 60000"));
    fixture_run(w);
    char *now = fixture_file(w, LOG), *old = fixture_file(w, LOG ".1");
    assert_in_range(strlen(old), 64 << 10, (64 << 10) + (64 << 10) + 16);
    assert_in_range(strlen(now), 1, (64 << 10) + (64 << 10) + 16);
    assert_int_equal(fixture_count(w, "E Normal LogRotated j-node-0-0"), 1);
    assert_true(old[strlen(old) - 1] == '\n');
    char *line = strrchr(ty_arena_strndup(w->a, old, strlen(old) - 1), '\n');
    assert_int_equal(strtol(now, NULL, 10), strtol(line + 1, NULL, 10) + 1);
    assert_has(now, "\n60000\n");
    assert_int_equal(fixture_count(w, "L j-node-0-0/main "), 60000);
}

/* The last words count, also when they are in two files. */
static void the_tail_spans_rotated_files(void **state)
{
    struct engine_fixture *w = *state;

    /* Each is in the log before the next is said, or two of them may be read at once. */
    char *script = ty_arena_printf(w->a,
                                   "for i in first second; do echo $i; until grep -q $i %s/" LOG
                                   "; do sleep 0.05; done; done; echo third; exit 3",
                                   w->dir);
    w->o.log_max = 1;
    fixture_submit(
        w, "j", 1,
        ty_arena_printf(w->a,
                        "{restartPolicy: Never, containers: [{name: main, image: x,"
                        " terminationMessagePolicy: FallbackToLogsOnError, command: [sh, "
                        "-c, \"%s\"]}]}",
                        script));
    fixture_run(w);
    const struct ty_json *all =
        ty_json_at(fixture_stored(w, "j-node-0-0"), "status.containerStatuses");
    const struct ty_json *ended =
        ty_json_at(ty_json_find_item(all, "name", TY_LIT("main"), NULL), "state.terminated");
    assert_observed(w, "P j-node-0-0 main 3 Error");
    assert_true(ty_str_is(ty_json_str_at(ended, "message"), "second\nthird\n"));
    assert_string_equal(fixture_file(w, LOG), "third\n");
    assert_string_equal(fixture_file(w, LOG ".1"), "second\n");
}

/* A limit of the size of files, as a full disk has one. */
static void a_full_disk_costs_the_log_only(void **state)
{
    struct engine_fixture *w = *state;
    struct rlimit before, less;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    less = before;
    less.rlim_cur = 4096;
    signal(SIGXFSZ, SIG_IGN);
    fixture_submit(w, "j", 1, SH("echo one; sleep 0.1; echo two; seq 1 1000; seq 1 1000"));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &less), 0);
    fixture_run(w);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(fixture_count(w, "E Warning LogWriteFailed j-node-0-0: the log of container "
                                      "main of j-node-0-0 is cut off here: File too large"),
                     1);
    assert_observed(w, "L j-node-0-0/main one\n");
    assert_observed(w, "L j-node-0-0/main 1000\n");
    assert_observed(w, "J j Complete");
}

static void a_summary_of_half_a_log_says_so(void **state)
{
    struct engine_fixture *w = *state;
    struct rlimit before, less;
    ty_auto_buf b = { 0 };

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    less = before;
    less.rlim_cur = 4096;
    signal(SIGXFSZ, SIG_IGN);
    fixture_submit(w, "j", 1, SH("seq 1 1000; seq 1 1000; echo RuntimeError: end; exit 3"));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &less), 0);
    fixture_run(w);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    ty_failure_summary_print(ty_engine_failure_summary(w->e, "j"), 0, &b);
    assert_true(
        ty_str_contains(ty_buf_str(&b), TY_LIT("hint: its log is incomplete: File too large\n")));
}

/* What a container can put in the place of the next one's log. */
static void what_is_no_file_is_no_log(void **state)
{
    struct engine_fixture *w = *state;
    static const char pod[] =
        "{restartPolicy: Never, initContainers: [{name: before, image: x, command: [sh, -c, 'cd "
        "%s/run/logs/j-node-0-0 && mkfifo main.0.0.log main.0.0.log.1 && ln -s /dev/full "
        "next.0.0.log']}, {name: next, image: x, command: [echo, two]}], containers: [{name: "
        "main, image: x, terminationMessagePolicy: FallbackToLogsOnError, command: [sh, -c, "
        "'echo one; exit 3']}]}";

    fixture_submit(w, "j", 1, ty_arena_printf(w->a, pod, w->dir));
    fixture_run(w);
    assert_int_equal(fixture_count(w, "E Warning LogWriteFailed j-node-0-0: the log of container"),
                     2);
    assert_observed(w, "main of j-node-0-0 is cut off here: its path is taken by something that "
                       "is no file");
    assert_observed(w, "L j-node-0-0/next two\n");
    assert_observed(w, "L j-node-0-0/main one\n");
    assert_observed(w, "P j-node-0-0 main 3 Error");
}

/* The times of its lines are not worth a wait. */
static void times_that_are_no_file(void **state)
{
    struct engine_fixture *w = *state;

    mkdir(ty_arena_printf(w->a, "%s/run/logs/j-node-0-0", w->dir), 0755);
    assert_int_equal(mkfifo(ty_arena_printf(w->a, "%s/" LOG ".times", w->dir), 0600), 0);
    fixture_submit(w, "j", 1, SH("echo one"));
    fixture_run(w);
    assert_string_equal(fixture_file(w, LOG), "one\n");
}

static void no_folder_for_the_log(void **state)
{
    struct engine_fixture *w = *state;

    assert_int_equal(rmdir(ty_arena_printf(w->a, "%s/run/logs", w->dir)), 0);
    fixture_submit(w, "j", 1, SH("echo one"));
    fixture_run(w);
    assert_observed(w, "J j Failed");
    assert_not_observed(w, "L j-node-0-0");
}

static bool other_is_done(struct engine_fixture *w)
{
    return fixture_observed(w, "J quiet Complete") &&
           fixture_observed(w, "L flood-node-0-0/main y\n"); /* it may begin later */
}

/* One that never stops printing does not keep another from its end. */
static void a_flood_starves_nobody(void **state)
{
    struct engine_fixture *w = *state;

    w->o.log_max = 1 << 20;
    fixture_submit(w, "flood", 1, SH("exec yes"));
    fixture_submit(w, "quiet", 2, SH("echo done"));
    w->enough = other_is_done;
    fixture_run(w);
    assert_observed(w, "L flood-node-0-0/main y\n");
    assert_int_equal(fixture_count(w, "L quiet-node-0-0/main done\n"), 1);
    assert_int_equal(fixture_count(w, "L quiet-node-0-1/main done\n"), 1);
    w->enough = NULL;
    ty_engine_stop(w->e, true, "enough");
    fixture_run(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ENGINE_TEST(lines_are_cut_and_kept),         ENGINE_TEST(an_endless_line_comes_in_pieces),
        ENGINE_TEST(a_long_log_is_rotated),          ENGINE_TEST(the_tail_spans_rotated_files),
        ENGINE_TEST(a_full_disk_costs_the_log_only), ENGINE_TEST(a_summary_of_half_a_log_says_so),
        ENGINE_TEST(no_folder_for_the_log),          ENGINE_TEST(a_flood_starves_nobody),
        ENGINE_TEST(what_is_no_file_is_no_log),      ENGINE_TEST(times_that_are_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
